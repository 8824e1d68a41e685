// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineModel
internal import TaplineSystem

/// The verdict of a record hook that is known later, for example when another program has answered.
///
/// Whoever makes it settles it within a bounded time: at the end, lanes wait for all verdicts.
///
/// **Isolation**: any thread.
package final class PendingVerdict: Sendable {
    /// What the hook decided in the end.
    package enum Answer: Sendable {
        /// The record as it is, or none.
        case verdict(RecordVerdict)
        /// This record.
        indirect case replace(Exchange)
        /// The hook failed, so that there is no record.
        case failed(any Error)
    }

    private enum State {
        case open(settled: (@Sendable () -> Void)?)
        case settled(Answer)
    }

    private let state = Mutex(State.open(settled: nil))
    private let event = ThreadEvent()

    /// Creates a verdict that is not known yet.
    package init() {}

    /// Gives the verdict; later calls are ignored.
    package func settle(_ answer: Answer) {
        let call = state.withLock { state -> (@Sendable () -> Void)? in
            guard case .open(let call) = state else { return nil }
            state = .settled(answer)
            return call
        }
        event.signal()
        call?()
    }

    /// The verdict; `nil` if it is not known yet.
    package var answer: Answer? {
        state.withLock { if case .settled(let answer) = $0 { answer } else { nil } }
    }

    /// Calls back once when the verdict is known, on the thread that gives it, or at once.
    package func whenSettled(_ call: @escaping @Sendable () -> Void) {
        let isSettled = state.withLock { state -> Bool in
            guard case .open = state else { return true }
            state = .open(settled: call)
            return false
        }
        if isSettled { call() }
    }

    /// Waits for the verdict; blocks the thread.
    package func wait() -> Answer {
        while true {
            if let answer { return answer }
            event.wait()
        }
    }
}
