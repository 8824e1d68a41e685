// SPDX-License-Identifier: MIT

internal import Synchronization

/// An event that occurs once and that one task can wait for.
package final class OneShotEvent: Sendable {
    private enum State {
        case shut
        case awaited(CheckedContinuation<Void, Never>)
        case open
    }

    private let state = Mutex(State.shut)

    /// Creates a closed gate.
    package init() {}

    /// Opens the gate permanently.
    package func open() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .open }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }

    /// Waits until the gate is open; cancelling the task opens it.
    package nonisolated(nonsending) func wait() async {
        await withTaskCancellationHandler {
            await pass()
        } onCancel: {
            open()
        }
    }

    private nonisolated(nonsending) func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state -> Bool in
                if case .open = state { return true }
                state = .awaited(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }
}
