// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization

/// Gives tests exclusive access, one after the other, to resources that exist once in a process.
///
/// **Shape**: first come, first served.
/// **Isolation**: any thread.
final class AsyncSerialLock: Sendable {
    static let shared = AsyncSerialLock()

    private struct State {
        var isTaken = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// Waits for a turn, which must be ended with `end`.
    func begin() async {
        await withCheckedContinuation { continuation in take { continuation.resume() } }
    }

    /// Waits for a turn and blocks the thread.
    func beginBlocking() {
        let semaphore = DispatchSemaphore(value: 0)
        take { semaphore.signal() }
        semaphore.wait()
    }

    /// Ends the turn and starts the next one.
    func end() {
        let next = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?()
    }

    private func take(_ go: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state -> Bool in
            if state.isTaken {
                state.waiting.append(go)
                return false
            }
            state.isTaken = true
            return true
        }
        if isFree { go() }
    }
}
