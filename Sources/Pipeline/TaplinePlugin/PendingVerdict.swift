// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineModel
internal import TaplineSystem

/// The verdict of a record hook that is known later, for example when another program has answered.
///
/// The stage that makes it settles it within a bounded time: at the end, lanes wait for all
/// verdicts, after a stop until its deadline.
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
        case open(settled: (@Sendable () -> Void)?, waiter: ThreadEvent?)
        case settled(Answer)
    }

    private let state = Mutex(State.open(settled: nil, waiter: nil))
    /// The bytes that are kept until the verdict is known, besides the exchange.
    package let memory: Int

    /// Creates a verdict that is not known yet.
    ///
    /// - Parameter memory: The bytes that are kept until it is, besides the exchange.
    package init(memory: Int = 0) { self.memory = memory }

    /// Gives the verdict; later calls are ignored.
    package func settle(_ answer: Answer) {
        let (call, waiter) = state.withLock { state in
            guard case .open(let call, let waiter) = state else {
                return (nil as (@Sendable () -> Void)?, nil as ThreadEvent?)
            }
            state = .settled(answer)
            return (call, waiter)
        }
        waiter?.signal()
        call?()
    }

    /// The verdict; `nil` if it is not known yet.
    package var answer: Answer? {
        state.withLock { if case .settled(let answer) = $0 { answer } else { nil } }
    }

    /// Calls back once when the verdict is known, on the thread that gives it, or at once.
    package func whenSettled(_ call: @escaping @Sendable () -> Void) {
        let isSettled = state.withLock { state -> Bool in
            guard case .open(_, let waiter) = state else { return true }
            state = .open(settled: call, waiter: waiter)
            return false
        }
        if isSettled { call() }
    }

    /// Waits for the verdict; blocks the thread.
    package func wait() -> Answer {
        while true {
            if let answer { return answer }
            waiter()?.wait()
        }
    }

    /// Waits for the verdict until a deadline; blocks the thread.
    ///
    /// - Returns: The verdict; `nil` if it is not known in time.
    package func wait(until deadline: StopDeadline) -> Answer? {
        if let waiter = waiter() { _ = deadline.wait(for: waiter) }
        return answer
    }

    /// The event of the threads that wait, which few verdicts need; `nil` if the verdict is known.
    private func waiter() -> ThreadEvent? {
        state.withLock { state in
            guard case .open(let call, let known) = state else { return nil }
            let waiter = known ?? ThreadEvent()
            state = .open(settled: call, waiter: waiter)
            return waiter
        }
    }
}
