// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineStore
internal import TaplineSystem

/// Threads that answer questions to stores, each with connections of its own.
///
/// **Isolation**: any thread.
final class Workers: Sendable {
    typealias Job = @Sendable (OpenStores) -> Void

    private struct Waiting {
        let job: Job
        /// Is cancelled once nobody waits for the job any more; `nil` if that cannot happen.
        let progress: QueryProgress?

        var isCancelled: Bool { progress?.isCancelled ?? false }
    }

    private struct State {
        var jobs: [Waiting] = []
        var isStopped = false
        var threads: [DedicatedThread] = []
    }

    private let state = Mutex(State())
    private let available = DispatchSemaphore(value: 0)
    private let limit: Int
    private let current: CurrentStores

    /// Creates threads, which start with the first job.
    ///
    /// - Parameters:
    ///   - count: The number of threads.
    ///   - limit: How many jobs may wait.
    ///   - current: The stores.
    /// - Throws: `DedicatedThreadError` if a thread cannot be created.
    init(
        _ count: Int,
        limit: Int = 256,
        _ current: CurrentStores
    ) throws {
        self.limit = limit
        self.current = current
        for _ in 0..<count {
            let thread = try DedicatedThread.start { [self] in work() }
            state.withLock { $0.threads.append(thread) }
        }
    }

    /// How many jobs wait for a thread.
    var waiting: Int { state.withLock { $0.jobs.count } }

    /// Runs a job soon.
    ///
    /// - Parameters:
    ///   - progress: If it is cancelled before the job begins, the job is dropped.
    ///   - job: The job.
    /// - Returns: `false` if too many jobs wait, or after `stop`.
    @discardableResult
    func run(unlessCancelled progress: QueryProgress? = nil, _ job: @escaping Job) -> Bool {
        // Released outside of the lock, since that answers their calls.
        var dropped: [Waiting] = []
        let isAdded = state.withLock { state in
            guard !state.isStopped else { return false }
            if state.jobs.count >= limit {
                dropped = state.jobs.filter(\.isCancelled)
                state.jobs.removeAll(where: \.isCancelled)
            }
            guard state.jobs.count < limit else { return false }
            state.jobs.append(Waiting(job: job, progress: progress))
            return true
        }
        if isAdded { available.signal() }
        withExtendedLifetime(dropped) {}
        return isAdded
    }

    /// Drops the jobs that wait, and waits for those that run.
    func stop() {
        let (threads, dropped) = state.withLock { state in
            state.isStopped = true
            defer { (state.threads, state.jobs) = ([], []) }
            return (state.threads, state.jobs)
        }
        withExtendedLifetime(dropped) {}
        for _ in threads { available.signal() }
        for thread in threads { thread.join() }
    }

    private func work() {
        let stores = OpenStores(current)
        while true {
            available.wait()
            let (next, isStopped) = state.withLock { state in
                (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isStopped)
            }
            if isStopped { return }
            guard let next, !next.isCancelled else { continue }
            stores.beginCall()
            next.job(stores)
        }
    }
}
