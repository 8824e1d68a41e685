// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Glibc

/// The signals of a run, delivered on a queue: stop, stop at once, reopen files and reload, print
/// counters.
///
/// Listens as long as it lives; afterwards the signals stay ignored.
package final class Signals {
    private let queue = DispatchQueue(label: "tapline.signals")
    private var sources: [any DispatchSourceSignal] = []

    package init(
        stop: @escaping @Sendable () -> Void,
        reopen: @escaping @Sendable () -> Void,
        report: @escaping @Sendable () -> Void
    ) {
        for number in [SIGINT, SIGTERM] {
            listen(number) {
                stop()
                // A second signal ends the process at once, even if records are lost.
                signal(SIGINT, SIG_DFL)
                signal(SIGTERM, SIG_DFL)
            }
        }
        listen(SIGHUP, reopen)
        listen(SIGUSR1, report)
    }

    /// Listens for the interrupt key of the terminal.
    ///
    /// - Parameter interrupt: Called for it; returns whether another one ends the process at once.
    package init(interrupt: @escaping @Sendable () -> Bool) {
        listen(SIGINT) { if interrupt() { signal(SIGINT, SIG_DFL) } }
    }

    /// Ignores the terminal's signals, which a child process receives as well, and passes on those
    /// that only this process receives.
    package init(passingTo child: SignalTarget) {
        for number in [SIGINT, SIGQUIT] { signal(number, SIG_IGN) }
        for number in [SIGTERM, SIGHUP, SIGUSR1, SIGUSR2] { listen(number) { child.send(number) } }
    }

    /// Calls a closure before a signal ends the process, until `end`.
    package init(beforeEnding clean: @escaping @Sendable () -> Void) {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            listen(number) {
                clean()
                _exit(128 + number)
            }
        }
    }

    /// Ends listening; the signals end the process again.
    package func end() {
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
    }

    deinit {
        for source in sources { source.cancel() }
    }

    private func listen(_ number: Int32, _ action: @escaping @Sendable () -> Void) {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: action)
        source.resume()
        sources.append(source)
    }
}
