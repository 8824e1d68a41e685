// SPDX-License-Identifier: MIT

internal import Synchronization

/// An event that occurs once and that one task can wait for.
package final class OneShotEvent: Sendable {
    private enum State {
        case pending
        case awaited(CheckedContinuation<Void, Never>)
        case signalled
    }

    private let state = Mutex(State.pending)

    /// Creates an event that has not occurred.
    package init() {}

    /// Signals that the event has occurred.
    package func signal() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .signalled }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }

    /// Waits until the event has occurred; cancelling the task signals it.
    package nonisolated(nonsending) func wait() async {
        await withTaskCancellationHandler {
            await pass()
        } onCancel: {
            signal()
        }
    }

    private nonisolated(nonsending) func pass() async {
        await withCheckedContinuation { continuation in
            let hasOccurred = state.withLock { state -> Bool in
                if case .signalled = state { return true }
                state = .awaited(continuation)
                return false
            }
            if hasOccurred { continuation.resume() }
        }
    }
}
