// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization

/// Transforms values on several threads, and passes the results to one thread in the order of the
/// values.
///
/// The calling thread transforms the first values itself, so that few of them start no thread.
///
/// **Limits**: at most `lead` values for each thread are transformed ahead of the results that have
/// been passed on.
package final class ParallelMap<Input: Sendable, Output: Sendable>: Sendable {
    /// How many values the calling thread transforms before it starts threads.
    private static var inlineCount: Int { 2 }
    /// How many values for each thread may be ahead.
    private static var lead: Int { 4 }

    /// A value and, later, its result.
    private final class Job: Sendable {
        let input: Input
        private let output = Mutex<Result<Output, any Error>?>(nil)
        private let isDone = DispatchSemaphore(value: 0)

        init(_ input: Input) { self.input = input }

        func finish(_ result: Result<Output, any Error>) {
            output.withLock { $0 = result }
            isDone.signal()
        }

        /// Waits for the result; `nil` if it was taken before.
        func wait() -> Result<Output, any Error>? {
            isDone.wait()
            return output.withLock { $0.take() }
        }
    }

    private struct State {
        /// The jobs that no thread has begun, in reverse order.
        var waiting: [Job] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    /// Signalled for each job, and for each thread at the end.
    private let isReady = DispatchSemaphore(value: 0)
    private let makeTransform: @Sendable () throws -> (Input) throws -> Output

    private init(_ makeTransform: @escaping @Sendable () throws -> (Input) throws -> Output) {
        self.makeTransform = makeTransform
    }

    /// Transforms values.
    ///
    /// - Parameters:
    ///   - threads: The maximum number of threads; with 1, the calling thread does everything.
    ///   - next: Returns the next value; `nil` if there is none before further results have been
    ///     passed on, or none at all. Called on the calling thread.
    ///   - transform: Transforms values on the calling thread.
    ///   - makeTransform: Called on each other thread; returns what transforms its values. `nil` if
    ///     only the calling thread can.
    ///   - body: Receives the results in the order of the values, on the calling thread.
    /// - Throws: The first error in the order of the values, or that of a closure; no thread runs any
    ///   more then.
    package static func run(
        threads: Int = Processors.available,
        next: () throws -> Input?,
        transform: (Input) throws -> Output,
        makeTransform: (@Sendable () throws -> (Input) throws -> Output)?,
        body: (Output) throws -> Void
    ) throws {
        var count = 0
        while true {
            if let makeTransform, threads > 1, count >= inlineCount {
                return try ParallelMap(makeTransform).runOnThreads(threads, next, body)
            }
            guard let input = try next() else { return }
            try body(try transform(input))
            count += 1
        }
    }

    private func runOnThreads(
        _ threads: Int,
        _ next: () throws -> Input?,
        _ body: (Output) throws -> Void
    ) throws {
        var running: [DedicatedThread] = []
        defer {
            state.withLock { $0.isStopped = true }
            for _ in running { isReady.signal() }
            for thread in running { thread.join() }
        }
        var pending: [Job] = []
        while true {
            while pending.count < threads * Self.lead, let input = try next() {
                let job = Job(input)
                pending.append(job)
                state.withLock { $0.waiting.insert(job, at: 0) }
                isReady.signal()
                guard running.count < threads else { continue }
                running.append(try DedicatedThread.start { [self] in work() })
            }
            guard !pending.isEmpty else { return }
            guard let result = pending.removeFirst().wait() else { return }
            try body(try result.get())
        }
    }

    // MARK: Threads

    private func work() {
        do {
            let transform = try makeTransform()
            while let job = take() {
                job.finish(Result { try transform(job.input) })
            }
        } catch {
            while let job = take() { job.finish(.failure(error)) }
        }
    }

    /// Waits for a job; `nil` at the end.
    private func take() -> Job? {
        isReady.wait()
        return state.withLock { $0.isStopped ? nil : $0.waiting.popLast() }
    }
}
