// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineNATS
internal import TaplinePlugin
internal import TaplineSystem

/// A configured source `nats`: one thread fetches messages and passes them through its lane.
struct NATSSource: Source {
    let settings: NATSSourceSettings
    let figures = NATSFigures()

    var metrics: [Metric] { figures.metrics(of: settings.server.stream) }

    func run(_ intake: any Intake) async throws {
        let control = SourceControl()
        let ended = OneShotEvent()
        let thread = try DedicatedThread.start {
            do {
                try begin(intake, control)?.run()
            } catch {
                control.fail(error)
            }
            ended.signal()
        }
        await withTaskCancellationHandler {
            // Even if the task is cancelled, the thread still waits for the sinks.
            await Task.detached { await ended.wait() }.value
        } onCancel: {
            control.stop()
        }
        thread.join()
        if let error = control.error { throw error }
    }

    /// Connects, and waits while no server can be reached, or while JetStream has no leader, as it has
    /// none when a cluster starts.
    ///
    /// Returns `nil` if the source is stopped meanwhile.
    private func begin(_ intake: any Intake, _ control: SourceControl) throws -> NATSSourceRun? {
        var isLogged = false
        while !control.isStopped {
            do {
                return try NATSSourceRun(settings, figures, intake, control)
            } catch let error as NATSError where error.isPassing {
                if !isLogged { intake.log.warning("waits for the servers: \(error)") }
                isLogged = true
                control.wait(milliseconds: 250)
            }
        }
        return nil
    }
}

/// Stops the thread of a source, and wakes it while it waits.
///
/// **Isolation**: any thread.
final class SourceControl: Sendable {
    private struct State {
        var isStopped = false
        var error: (any Error)?
    }

    private let state = Mutex(State())
    private let event = ThreadEvent()

    var isStopped: Bool { state.withLock { $0.isStopped } }

    var error: (any Error)? { state.withLock { $0.error } }

    func stop() {
        state.withLock { $0.isStopped = true }
        wake()
    }

    func fail(_ error: any Error) { state.withLock { $0.error = error } }

    /// Wakes the thread so that it checks again.
    func wake() { event.signal() }

    /// Waits until woken, possibly too early, or for a number of milliseconds.
    func wait(milliseconds: Int) {
        event.take(until: SteadyClock.microseconds + Int64(milliseconds) * 1000)
    }
}

/// Whether the pipeline has room for more records.
///
/// **Isolation**: any thread.
final class RoomSignal: Sendable {
    private let control: SourceControl
    private let hasRoom = Atomic<Bool>(true)

    init(_ control: SourceControl) { self.control = control }

    var isOpen: Bool { hasRoom.load(ordering: .acquiring) }

    func close() { hasRoom.store(false, ordering: .releasing) }

    /// There was room all the time, so nobody waits.
    func reopen() { hasRoom.store(true, ordering: .releasing) }

    /// There is room again.
    func open() {
        hasRoom.store(true, ordering: .releasing)
        control.wake()
    }
}

/// The counters of a source `nats`.
final class NATSFigures: Sendable {
    struct Values: Sendable {
        var received = 0
        var redelivered = 0
        var terminated = 0
        var returned = 0
        var unacknowledged = 0
        var pending = 0
    }

    private let values = Mutex(Values())

    func update(_ change: (inout Values) -> Void) { values.withLock { change(&$0) } }

    var current: Values { values.withLock { $0 } }

    func metrics(of stream: String) -> [Metric] {
        let values = current
        return [
            Metric("messages", of: stream, count: values.received),
            Metric("redelivered messages", of: stream, count: values.redelivered),
            Metric("terminated messages", of: stream, count: values.terminated),
            Metric("returned messages", of: stream, count: values.returned),
            Metric("unacknowledged messages", of: stream, value: values.unacknowledged),
            Metric("pending messages", of: stream, value: values.pending),
        ]
    }
}
