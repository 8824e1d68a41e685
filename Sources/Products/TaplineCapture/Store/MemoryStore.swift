// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStatistics
internal import TaplineSystem

/// The latest exchanges, in memory.
///
/// **Limits**: by number, age and bytes; the first limit that is reached applies, and the oldest
/// entries are removed first.
/// **Isolation**: any thread.
public final class MemoryStore: Sendable {
    /// The limits of a store.
    public struct Limits: Sendable, Equatable {
        /// The maximum number of entries.
        public var entries: Int
        /// The maximum total size of all entries: bodies, fields and about 1 KiB for each.
        public var bytes: Int
        /// How long an entry is kept after its end; `nil` for any age.
        public var age: Duration?

        /// Whether the exchanges of one run of the tap are kept in the next; otherwise each run
        /// begins with an empty store.
        public var keepsAcrossRuns: Bool

        /// Creates limits; by default 100 entries, 64 MiB, any age and one run.
        public init(
            entries: Int = 100,
            bytes: Int = 64 << 20,
            age: Duration? = nil,
            keepsAcrossRuns: Bool = false
        ) {
            self.entries = entries
            self.bytes = bytes
            self.age = age
            self.keepsAcrossRuns = keepsAcrossRuns
        }
    }

    private struct State {
        /// Oldest first; the records before `first` are removed.
        var records: [Record?] = []
        var first = 0
        var bytes = 0
        var active: [ExchangeID: ActiveExchange] = [:]
        /// Exchanges that ended before this time are discarded, even if they arrive later.
        var cleared: Moment?
    }

    /// A moment by the wall clock, which may be changed, and by the steady clock.
    private struct Moment {
        let time: Timestamp
        let steady: Int64

        /// Returns this moment by the wall clock as it was set at another moment.
        func time(asOf other: Moment) -> Timestamp {
            let shift =
                (other.time.microseconds - other.steady) - (time.microseconds - steady)
            // A smaller shift is jitter from reading two clocks.
            guard abs(shift) >= 1_000_000 else { return time }
            return Timestamp(microseconds: time.microseconds + shift)
        }
    }

    /// The limits of the store.
    public let limits: Limits
    /// Summarizes all exchanges, including those that are not stored.
    let traffic = TrafficTable()
    /// Passes exchanges to readers.
    let feed = ExchangeFeed()
    private let now: @Sendable () -> Timestamp
    private let steady: @Sendable () -> Int64
    private let state = Mutex(State())

    /// Creates an empty store with a wall clock and a steady clock, both in microseconds.
    init(
        _ limits: Limits,
        now: @escaping @Sendable () -> Timestamp,
        steady: @escaping @Sendable () -> Int64 = { SteadyClock.microseconds }
    ) {
        self.limits = limits
        self.now = now
        self.steady = steady
    }

    private var moment: Moment { Moment(time: now(), steady: steady()) }

    /// The entries, newest first; unfinished ones come before the others.
    public var entries: [Entry] {
        state.withLock { state in
            prune(&state)
            let active = state.active.values.sorted { $0.id > $1.id }.map(Entry.init)
            return active
                + state.records[state.first...].reversed().compactMap { $0.map(Entry.init) }
        }
    }

    /// Removes all ended exchanges.
    public func clear() {
        state.withLock { $0 = State(active: $0.active, cleared: moment) }
        traffic.clear()
    }

    func add(_ records: [Record]) {
        let kept = state.withLock { state in
            for record in records { state.active[record.exchange.id] = nil }
            let cleared = state.cleared?.time(asOf: moment)
            let kept = cleared.map { time in records.filter { $0.ended > time } } ?? records
            for record in kept {
                state.records.append(record)
                state.bytes += record.memory
            }
            prune(&state)
            return kept
        }
        for record in kept { traffic.add(record.exchange) }
        feed.send(records.lazy.map { .ended($0) })
    }

    func note(opened: [ActiveExchange], ended: [ExchangeID]) {
        state.withLock { state in
            for exchange in opened { state.active[exchange.id] = exchange }
            for id in ended { state.active[id] = nil }
        }
        feed.send(opened.lazy.map { .began($0) })
    }

    /// Begins a run, and removes the exchanges of the previous one unless they are kept.
    func begin() {
        guard !limits.keepsAcrossRuns else { return }
        state.withLock { $0 = State() }
        traffic.clear()
    }

    /// Ends a run.
    func end() { feed.finish() }

    private func prune(_ state: inout State) {
        let oldest = limits.age.map { now().microseconds - max(Microseconds($0).count, 0) }
        while state.first < state.records.count, let record = state.records[state.first] {
            let isTooOld = oldest.map { record.ended.microseconds < $0 } ?? false
            let count = state.records.count - state.first
            guard count > limits.entries || state.bytes > limits.bytes || isTooOld else { break }
            state.bytes -= record.memory
            state.records[state.first] = nil
            state.first += 1
        }
        if state.first > 64, state.first * 2 > state.records.count {
            state.records.removeFirst(state.first)
            state.first = 0
        }
    }
}

extension Record {
    fileprivate var ended: Timestamp {
        let total = exchange.timing.total?.count ?? 0
        return Timestamp(microseconds: exchange.started.microseconds + total)
    }
}

/// The sink that fills a store.
struct MemorySink: SinkFactory {
    let store: MemoryStore

    var wantsActive: Bool { true }
    var staysInMemory: Bool { true }
    var batchDelay: Microseconds { Microseconds(5_000) }

    func open(_ context: SinkContext) throws -> any Sink {
        store.begin()
        return Writer(store: store)
    }

    private final class Writer: Sink {
        let store: MemoryStore

        init(store: MemoryStore) { self.store = store }

        func write(_ batch: [Record]) throws -> WriteResult {
            store.add(batch)
            return .written
        }

        func active(opened: [ActiveExchange], ended: [ExchangeID]) throws {
            store.note(opened: opened, ended: ended)
        }

        func close() throws { store.end() }
    }
}
