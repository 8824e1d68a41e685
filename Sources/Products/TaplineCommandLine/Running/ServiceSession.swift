// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplineNet
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// The service manager's part of a run: the sockets that it passes and the notices that it gets.
///
/// Without a service manager, it does nothing.
final class ServiceSession: Sendable {
    /// The sockets that the manager has passed.
    let sockets = ListeningSockets()
    private let notifier: ServiceNotifier?
    private let interval: Int64?
    private let watchdog = ServiceWatchdog()
    private let writer: LogWriter

    /// Takes the sockets that the manager passes.
    init(_ variables: ServiceVariables, _ writer: LogWriter) {
        let inherited = InheritedSockets(variables)
        let log = writer.log.of("service")
        for problem in variables.problems + inherited.problems { log.warning(problem) }
        // The form of addresses in which sources ask for them.
        for socket in inherited.sockets {
            let address = SocketAddress(socket.address)?.description ?? socket.address
            sockets.add([socket.descriptor], for: address)
        }
        interval = variables.watchdogInterval
        self.writer = writer
        notifier = variables.notifySocket.map { address in
            ServiceNotifier(to: address) {
                log.warning("the service manager gets no notice: \($0)")
            }
        }
    }

    /// The pipeline listens and its sinks are open.
    func becameReady(_ topology: Topology) {
        for address in sockets.unused {
            writer.log.of("service").warning(
                "the socket at \(address) is not used; expected a source with 'listen: \(address)'"
            )
        }
        let counts = [
            Counted.text(topology.sources.count, "source"),
            Counted.text(topology.sinks.count, "sink"),
        ]
        notifier?.becameReady("running: \(counts.joined(separator: ", "))")
    }

    /// Shows the manager at intervals that the threads of a pipeline make progress.
    func watch(_ pipeline: Pipeline) {
        guard let interval, let notifier else { return }
        do {
            try watchdog.start(interval: interval, notifier) { limit in
                pipeline.answers(within: Microseconds(limit))
            }
        } catch {
            writer.log.of("service").error("no watchdog: \(error)")
        }
    }

    /// A reload has begun.
    func reloadBegan() { notifier?.reloadBegan() }

    /// A reload has ended with a result, after which these are the reloads so far.
    ///
    /// Every user can read the status of a service, so it has no lines of the configuration.
    func reloadEnded(_ outcome: ReloadOutcome, _ reloads: ReloadHistory) {
        switch outcome {
        case .applied(let generation, _):
            notifier?.reloadEnded("running: generation \(generation)")
        case .failed:
            let reasons = reloads.lastFailure?.reasons ?? "the log gives the reasons"
            notifier?.reloadEnded("running: the reload has failed, nothing was changed: \(reasons)")
        }
    }

    /// The run has begun to end.
    func stopBegan() { notifier?.stopBegan("writing what is in flight") }

    /// The run has ended.
    func end() {
        stopBegan()
        watchdog.stop()
    }
}
