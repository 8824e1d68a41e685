// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineSystem

/// Threads that answer questions to stores, each with connections of its own.
///
/// **Isolation**: any thread.
final class Workers: Sendable {
    typealias Job = @Sendable (OpenStores) -> Void

    private struct State {
        var jobs: [Job] = []
        var isStopped = false
        var threads: [DedicatedThread] = []
    }

    private let state = Mutex(State())
    private let available = DispatchSemaphore(value: 0)
    private let limit: Int
    private let names: [String]
    private let generation: StoreGeneration

    /// Creates threads, which start with the first job.
    ///
    /// - Parameters:
    ///   - count: The number of threads.
    ///   - limit: How many jobs may wait.
    ///   - names: The stores.
    ///   - generation: Which files these are.
    /// - Throws: `DedicatedThreadError` if a thread cannot be created.
    init(
        _ count: Int,
        limit: Int = 256,
        _ names: [String],
        _ generation: StoreGeneration
    ) throws {
        self.limit = limit
        self.names = names
        self.generation = generation
        for _ in 0..<count {
            let thread = try DedicatedThread.start { [self] in work() }
            state.withLock { $0.threads.append(thread) }
        }
    }

    /// Runs a job soon; returns `false` if too many jobs wait, or after `stop`.
    @discardableResult
    func run(_ job: @escaping Job) -> Bool {
        let isAdded = state.withLock { state in
            guard !state.isStopped, state.jobs.count < limit else { return false }
            state.jobs.append(job)
            return true
        }
        if isAdded { available.signal() }
        return isAdded
    }

    /// Drops the jobs that wait, and waits for those that run.
    func stop() {
        let threads = state.withLock { state in
            state.isStopped = true
            state.jobs = []
            defer { state.threads = [] }
            return state.threads
        }
        for _ in threads { available.signal() }
        for thread in threads { thread.join() }
    }

    private func work() {
        let stores = OpenStores(names, generation)
        while true {
            available.wait()
            let (job, isStopped) = state.withLock { state in
                (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isStopped)
            }
            if isStopped { return }
            job?(stores)
        }
    }
}
