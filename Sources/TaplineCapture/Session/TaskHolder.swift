// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A task that may be cancelled before it is there.
final class TaskHolder: Sendable {
    private struct State {
        var task: URLSessionTask?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Starts the task, or cancels it where that was asked for.
    func run(_ task: URLSessionTask) {
        let isCancelled = state.withLock { state -> Bool in
            state.task = task
            return state.isCancelled
        }
        // A task that was never resumed would not say that it is cancelled.
        task.resume()
        if isCancelled { task.cancel() }
    }

    /// Cancels the task, now or when it comes.
    func cancel() {
        let task = state.withLock { state -> URLSessionTask? in
            state.isCancelled = true
            return state.task
        }
        guard let task else { return }
        // Not here: the caller's locks are held, and Foundation's queue, which is waited for, may want
        // them at this moment.
        DispatchQueue.global().async { [self] in state.withLock { _ in task.cancel() } }
    }

    /// Does something that Foundation asks of a task that runs, and traps where it is cancelled
    /// meanwhile; nothing where it is already.
    func whileRunning(_ body: () -> Void) {
        state.withLock { if !$0.isCancelled, $0.task?.state == .running { body() } }
    }
}
