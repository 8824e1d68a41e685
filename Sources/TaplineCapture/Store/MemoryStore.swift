// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFiles
internal import TaplineModel
internal import TaplinePlugin

/// What was captured last, in memory.
///
/// **Limits**: by count, by age and by bytes; the first one that is reached counts, and the oldest
/// entries go first.
/// **Isolation**: any thread.
public final class MemoryStore: Sendable {
    /// How much is kept.
    public struct Limits: Sendable, Equatable {
        /// The most entries.
        public var entries: Int
        /// The most bytes of all entries together: bodies, fields and about 1 KiB for each.
        public var bytes: Int
        /// How long an entry stays behind its end; nothing where age does not count.
        public var age: Duration?

        /// Whether what one run of the tap has captured is still there in the next; otherwise each
        /// begins with an empty store.
        public var keepsAcrossRuns: Bool

        /// Limits; 100 entries, 64 MiB, any age and one run where they are left out.
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
        /// Oldest first; those before `first` are gone.
        var records: [Record?] = []
        var first = 0
        var bytes = 0
        var active: [ExchangeID: ActiveExchange] = [:]
        /// What had ended by then is forgotten, though it comes later.
        var cleared: Moment?
    }

    /// A moment by the clock, which may be set, and by the one that nobody sets.
    private struct Moment {
        let time: Timestamp
        let steady: Int64

        /// The same moment by the clock as it was set at another one.
        func time(asOf other: Moment) -> Timestamp {
            let shift =
                (other.time.microseconds - other.steady) - (time.microseconds - steady)
            // Less is the jitter of asking two clocks.
            guard abs(shift) >= 1_000_000 else { return time }
            return Timestamp(microseconds: time.microseconds + shift)
        }
    }

    /// How much is kept.
    public let limits: Limits
    /// Sums up what comes, also what is not kept.
    let traffic = TrafficTable()
    /// Tells readers what comes.
    let feed = ExchangeFeed()
    private let now: @Sendable () -> Timestamp
    private let steady: @Sendable () -> Int64
    private let state = Mutex(State())

    /// An empty store, with the clock and the one that nobody sets, in microseconds.
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

    /// The entries, newest first; those that have not ended come before the others.
    public var entries: [Entry] {
        state.withLock { state in
            prune(&state)
            let active = state.active.values.sorted { $0.id > $1.id }.map(Entry.init)
            return active
                + state.records[state.first...].reversed().compactMap { $0.map(Entry.init) }
        }
    }

    /// Forgets all that has ended.
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
        traffic.add(kept)
        feed.tell(records.lazy.map { .ended($0) })
    }

    func note(opened: [ActiveExchange], ended: [ExchangeID]) {
        state.withLock { state in
            for exchange in opened { state.active[exchange.id] = exchange }
            for id in ended { state.active[id] = nil }
        }
        feed.tell(opened.lazy.map { .began($0) })
    }

    /// A run begins: what the last one has left is forgotten, unless it is to be kept.
    func begin() {
        guard !limits.keepsAcrossRuns else { return }
        state.withLock { $0 = State() }
        traffic.clear()
    }

    /// A run has ended.
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
