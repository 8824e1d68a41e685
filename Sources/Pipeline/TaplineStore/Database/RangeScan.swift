// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineSystem

/// Reads ranges of rows on several threads, each with a connection of its own, and passes the
/// results to one thread in the order of the ranges.
///
/// The first range is read by the calling thread, so that a question that it answers starts no
/// threads.
final class RangeScan<Output: Sendable>: Sendable {
    /// What a thread does with its ranges.
    struct Work {
        /// Reads a range, in a transaction.
        let read: (RowRange) throws -> Output
        /// Returns what was collected over all ranges of the thread.
        var finish: () -> Output? = { nil }
    }

    private struct RangeResult: Sendable {
        /// `nil` after the last range.
        let output: Result<Output, any Error>?
        var range: RowRange?
        var problems = RowProblems()
    }

    private final class Slot: Sendable {
        let isFilled = DispatchSemaphore(value: 0)
        let result = Mutex<RangeResult?>(nil)
    }

    private struct State {
        var ranges: RowRanges
        /// The number of the next range.
        var next = 0
        /// The results that have not been passed on, and those that are waited for.
        var slots: [Int: Slot] = [:]
        /// What threads have collected that have ended.
        var collected: [Output] = []
        var isStopped = false
    }

    /// How many ranges the calling thread reads before it starts others.
    private static var inlineRanges: Int { 2 }
    /// How many ranges each thread may be ahead of the results that have been passed on.
    private static var lead: Int { 4 }
    /// How many results may wait.
    static var maxWaiting: Int { lead * Processors.available }

    private let path: String
    private let threads: Int
    private let progress: QueryProgress?
    private let makeWork: @Sendable (DatabaseReader) throws -> Work
    private let state: Mutex<State>
    /// Created with 0 and then signalled: Dispatch traps if a semaphore is destroyed below its
    /// initial value.
    private let permits = DispatchSemaphore(value: 0)

    /// Creates a scan.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - ranges: The ranges.
    ///   - threads: The maximum number of threads.
    ///   - progress: Observes the scan; asked before each range whether it goes on.
    ///   - makeWork: Prepares what a thread does with each range, in a transaction for each.
    init(
        _ path: String,
        _ ranges: RowRanges,
        threads: Int = Processors.available,
        progress: QueryProgress? = nil,
        makeWork: @escaping @Sendable (DatabaseReader) throws -> Work
    ) {
        self.path = path
        self.threads = max(1, threads)
        self.progress = progress
        self.makeWork = makeWork
        state = Mutex(State(ranges: ranges))
        for _ in 0..<self.threads * Self.lead { permits.signal() }
    }

    /// Reads the ranges, and calls a closure with each result until it returns `false`; after the
    /// last range, with what the threads have collected.
    ///
    /// - Parameters:
    ///   - reader: Reads the first ranges.
    ///   - body: Receives the results in order, on this thread, and the problems of each.
    /// - Throws: The first error in the order of the ranges, or that of the closure;
    ///   `QueryCancelled` after the results of the ranges before it and what was collected.
    func run(
        _ reader: DatabaseReader,
        _ body: (Output, RowProblems) throws -> Bool
    ) throws {
        let work = try reader.naming { try makeWork(reader) }
        var end: QueryCancelled?
        do {
            if try !readRanges(reader, work, body) { return }
        } catch let error as QueryCancelled {
            end = error
        }
        let collected = state.withLock { $0.collected } + (work.finish().map { [$0] } ?? [])
        for output in collected where try !body(output, RowProblems()) { return }
        if let end { throw end }
    }

    /// Returns `false` if the closure has.
    private func readRanges(
        _ reader: DatabaseReader,
        _ work: Work,
        _ body: (Output, RowProblems) throws -> Bool
    ) throws -> Bool {
        let extent = try extent(reader)
        for _ in 0..<Self.inlineRanges {
            guard let range = try next(reader)?.range else { return true }
            let output = try reader.snapshot { try work.read(range) }
            if try !body(output, reader.problems.take()) { return false }
            note(range, extent)
        }
        return try runOnThreads(extent, body)
    }

    /// The rows of all ranges, if the progress is observed.
    private func extent(_ reader: DatabaseReader) throws -> RowExtent? {
        guard progress != nil else { return nil }
        let rest = state.withLock { $0.ranges.rest }
        return try reader.naming { try RowExtent(of: rest, reader.connection) }
    }

    private func note(_ range: RowRange?, _ extent: RowExtent?) {
        guard let progress, let range, let extent else { return }
        let isForward = state.withLock { $0.ranges.isForward }
        progress.reach(extent.part(after: range, isForward: isForward))
    }

    /// Returns `false` if the closure has.
    private func runOnThreads(
        _ extent: RowExtent?,
        _ body: (Output, RowProblems) throws -> Bool
    ) throws -> Bool {
        var running: [DedicatedThread] = []
        defer {
            state.withLock { $0.isStopped = true }
            for _ in running { permits.signal() }
            for thread in running { thread.join() }
        }
        for _ in 0..<threads {
            running.append(try DedicatedThread.start { [self] in readRanges() })
        }
        var index = Self.inlineRanges
        while true {
            try progress?.check()
            let slot = slot(index)
            slot.isFilled.wait()
            guard let result = slot.result.withLock({ $0.take() }),
                let output = try result.output?.get()
            else { return true }
            state.withLock { $0.slots[index] = nil }
            permits.signal()
            if try !body(output, result.problems) { return false }
            note(result.range, extent)
            index += 1
        }
    }

    // MARK: Threads

    /// Reads ranges until there are none, or the scan is stopped.
    private func readRanges() {
        do {
            guard let reader = try DatabaseReader(path) else {
                throw StoreError(.damaged, "'\(path)' is not a database any more")
            }
            let work = try reader.naming { try makeWork(reader) }
            defer {
                if let output = work.finish() { state.withLock { $0.collected.append(output) } }
            }
            while true {
                permits.wait()
                guard let (index, range) = try next(reader) else { break }
                var result = RangeResult(
                    output: Result { try reader.snapshot { try work.read(range) } }
                )
                result.range = range
                result.problems = reader.problems.take()
                fill(index, result)
            }
        } catch {
            let index = state.withLock { state in
                defer { state.next += 1 }
                return state.next
            }
            fill(index, RangeResult(output: .failure(error)))
        }
    }

    /// Takes the next range; `nil` at the end, after notifying the thread that called `run`.
    private func next(_ reader: DatabaseReader) throws -> (index: Int, range: RowRange)? {
        try progress?.check()
        let (index, range) = try state.withLock { state -> (Int, RowRange?) in
            guard !state.isStopped else { return (-1, nil) }
            let range = try reader.naming { try state.ranges.next(reader.connection) }
            defer { state.next += 1 }
            return (state.next, range)
        }
        if let range { return (index, range) }
        if index >= 0 { fill(index, RangeResult(output: nil)) }
        return nil
    }

    private func slot(_ index: Int) -> Slot {
        state.withLock { state in
            if let slot = state.slots[index] { return slot }
            let slot = Slot()
            state.slots[index] = slot
            return slot
        }
    }

    private func fill(_ index: Int, _ result: RangeResult) {
        let slot = slot(index)
        slot.result.withLock { $0 = result }
        slot.isFilled.signal()
    }
}
