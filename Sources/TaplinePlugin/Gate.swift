// SPDX-License-Identifier: MIT

internal import Synchronization

/// Something that opens once, and lets one task wait for that.
package final class Gate: Sendable {
    private enum State {
        case shut
        case awaited(CheckedContinuation<Void, Never>)
        case open
    }

    private let state = Mutex(State.shut)

    /// A gate that is shut.
    package init() {}

    /// Opens it for good.
    package func open() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .open }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }

    /// Waits until it is open, or the task is cancelled, which opens it.
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
