// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A task that may be cancelled before it exists.
final class TaskHolder: Sendable {
    private struct State {
        var task: URLSessionTask?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Starts the task, or cancels it if that was requested.
    func run(_ task: URLSessionTask) {
        let isCancelled = state.withLock { state -> Bool in
            state.task = task
            return state.isCancelled
        }
        // A task that was never resumed would not report its cancellation.
        task.resume()
        if isCancelled { task.cancel() }
    }

    /// Cancels the task, now or when it is created.
    func cancel() {
        let task = state.withLock { state -> URLSessionTask? in
            state.isCancelled = true
            return state.task
        }
        guard let task else { return }
        // Not on this thread: the caller holds locks, which Foundation's queue may need while this
        // call waits for that queue.
        DispatchQueue.global().async { [self] in state.withLock { _ in task.cancel() } }
    }

    /// Runs a closure during which the task must not be cancelled, because Foundation would trap;
    /// does nothing if the task is already cancelled.
    func whileRunning(_ body: () -> Void) {
        state.withLock { if !$0.isCancelled, $0.task?.state == .running { body() } }
    }
}
