// SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// A program that gets signals of this process, which may arrive before the program has started.
///
/// **Isolation**: any thread.
package final class SignalTarget: Sendable {
    private enum State {
        /// The program has not started; these signals wait for it.
        case starting([Int32])
        /// It runs, and gets signals by a closure.
        case running(@Sendable (_ number: Int32) -> Void)
    }

    private let state = Mutex(State.starting([]))

    package init() {}

    /// Sends a signal now, or once the program has started.
    func send(_ number: Int32) {
        state.withLock { state in
            switch state {
            case .starting(let waiting): state = .starting(waiting + [number])
            case .running(let pass): pass(number)
            }
        }
    }

    /// Notes that the program has started, and sends the signals that wait.
    ///
    /// - Parameter pass: Sends a signal to it.
    package func started(_ pass: @escaping @Sendable (_ number: Int32) -> Void) {
        state.withLock { state in
            if case .starting(let waiting) = state { waiting.forEach(pass) }
            state = .running(pass)
        }
    }

    /// Notes that a child of this process has started.
    package func started(process: Int32) { started { _ = kill(process, $0) } }
}
