// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin

/// The bounded queue between the lanes and one sink's thread.
///
/// **Isolation**: lanes call `submit` from any thread; only the sink's thread calls `next`. Nobody
/// blocks but the sink's thread, and that only while there is nothing to do.
final class SinkQueue: Sendable {
    /// What the sink's thread does next.
    enum Work {
        /// Look through these records, in this order.
        case records([Entry])
        /// Exchanges have begun and ended.
        case active(opened: [ActiveExchange], ended: [ExchangeID])
        /// There was nothing for a moment: make lasting what was written.
        case flush
        /// Open the files anew.
        case reopen
        /// Nothing will come any more.
        case end
    }

    /// Records of one batch.
    struct Entry: Sendable {
        let batch: RecordBatch
        var range: Range<Int>
        let memory: Int
    }

    /// What the sink's thread waits for.
    private enum Sleep {
        case none
        /// Anything.
        case idle
        /// That a batch is full, or has waited long enough.
        case filling
    }

    private struct State: ~Copyable {
        var entries: [Entry] = []
        var count = 0
        var bytes = 0
        /// Records that the sink's thread is at.
        var writing = 0
        var opened: [ActiveExchange] = []
        var ended: [ExchangeID] = []
        /// How many of them may wait before those go of which the sink knows nothing yet.
        var maxActive = 0
        var reopens = false
        var isClosed = false
        /// Nobody waits for this sink any more; what does not fit is lost.
        var isDegraded = false
        /// The sink is gone; what comes is dropped.
        var isOver = false
        /// All that it was at counts as lost, whatever it still does.
        var isAbandoned = false
        var sleep = Sleep.none
        /// Until when a batch may fill.
        var fillBy: DispatchTime?
        /// Until when the batch behind the last one may fill, though nothing has come for it yet: a
        /// thread that waits for the time need not be woken by what comes.
        var lingerBy: DispatchTime?
        /// Records whose turn it is, whatever begins and ends meanwhile.
        var due = 0
        /// Whether it is the turn of those who wait for a flush.
        var isFlushDue = false
        var unflushed = false
        /// Those who wait until all is lasting that is queued now.
        var flushes: [@Sendable () -> Void] = []
        /// Those of them for whom the sink flushes at this moment.
        var flushing: [@Sendable () -> Void] = []
        var waiters: [@Sendable () -> Void] = []
        var counters = SinkCounters()
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let options: QueueOptions
    private let batchLimit: Int
    private let batchDelay: Microseconds

    init(_ options: QueueOptions, batchLimit: Int, batchDelay: Microseconds) {
        self.options = options
        self.batchLimit = min(batchLimit, options.maxExchanges)
        self.batchDelay = batchDelay
    }
}

// MARK: - Lanes

extension SinkQueue {
    /// Takes a batch, as far as `overflow` lets it.
    ///
    /// `ready` is kept, and called once there is room again, when the answer is `paused`.
    func submit(_ batch: RecordBatch, ready: @escaping @Sendable () -> Void) -> Admission {
        guard !batch.records.isEmpty else { return .open }
        let (admission, wakes) = state.withLock { state -> (Admission, Bool) in
            state.counters.received += batch.records.count
            if state.isOver {
                state.counters.dropped += batch.records.count
                return (.closed, false)
            }
            admit(batch, &state)
            let wakes =
                state.sleep == .idle || (state.sleep == .filling && state.count >= batchLimit)
            if wakes { state.sleep = .none }
            guard options.overflow == .block, isFull(state), !state.isDegraded else {
                return (.open, wakes)
            }
            state.waiters.append(ready)
            return (.paused, wakes)
        }
        if wakes { wake.signal() }
        return admission
    }

    /// Notes an exchange that has begun.
    func opened(_ exchange: ActiveExchange) { note { $0.opened.append(exchange) } }

    /// Notes exchanges that have ended.
    func ended(_ ids: [ExchangeID]) { note { $0.ended += ids } }

    private func note(_ change: (inout State) -> Void) {
        let wakes = state.withLock { state in
            guard !state.isOver else { return false }
            change(&state)
            forgetUntold(&state)
            let isFull = state.opened.count + state.ended.count >= batchLimit
            let wakes = state.sleep == .idle || (state.sleep == .filling && isFull)
            if wakes { state.sleep = .none }
            return wakes
        }
        if wakes { wake.signal() }
    }

    /// Keeps what has begun and ended bounded by what is open, however long the sink takes: it need
    /// not be told of the beginning of what is over.
    private func forgetUntold(_ state: inout State) {
        let limit = max(state.maxActive, options.maxExchanges)
        guard state.opened.count + state.ended.count > limit else { return }
        let over = Set(state.ended)
        let untold = Set(state.opened.lazy.map(\.id))
        state.opened.removeAll { over.contains($0.id) }
        state.ended.removeAll { untold.contains($0) }
        // Not again for each of those that are left.
        state.maxActive = 2 * (state.opened.count + state.ended.count)
    }

    private func isFull(_ state: borrowing State) -> Bool {
        state.count >= options.maxExchanges || state.bytes >= options.maxBytes
    }

    /// Queues what fits, and counts the rest as the policy says.
    private func admit(_ batch: RecordBatch, _ state: inout State) {
        let all = batch.records.indices
        if options.overflow == .block, !state.isDegraded {
            push(batch, all, &state)
            return
        }
        let room = max(0, options.maxExchanges - state.count)
        let fits = state.bytes >= options.maxBytes ? 0 : min(room, all.count)
        if options.overflow == .dropOldest, !state.isDegraded {
            push(batch, all, &state)
            while isOver(state), state.count > 1 { dropFirst(&state) }
            return
        }
        if fits > 0 { push(batch, 0..<fits, &state) }
        if state.isDegraded {
            state.counters.errors += all.count - fits
        } else {
            state.counters.dropped += all.count - fits
        }
    }

    private func isOver(_ state: borrowing State) -> Bool {
        state.count > options.maxExchanges || state.bytes > options.maxBytes
    }

    private func push(_ batch: RecordBatch, _ range: Range<Int>, _ state: inout State) {
        let memory = batch.memory * range.count / max(batch.records.count, 1)
        state.entries.append(Entry(batch: batch, range: range, memory: memory))
        state.count += range.count
        state.bytes += memory
        state.counters.peakQueue = max(state.counters.peakQueue, state.count)
    }

    private func dropFirst(_ state: inout State) {
        let entry = state.entries[0]
        let excess = min(max(state.count - options.maxExchanges, 1), entry.range.count)
        let part = entry.memory * excess / max(entry.range.count, 1)
        state.count -= excess
        state.counters.dropped += excess
        if excess == entry.range.count {
            state.bytes -= entry.memory
            state.entries.removeFirst()
        } else {
            state.bytes -= part
            state.entries[0] = Entry(
                batch: entry.batch,
                range: entry.range.lowerBound + excess..<entry.range.upperBound,
                memory: entry.memory - part
            )
        }
    }
}

// MARK: - The sink's thread

extension SinkQueue {
    /// Waits for something to do.
    ///
    /// Records come in batches of about `batchLimit`, or fewer when the first of them has waited
    /// for `batchDelay`.
    func next() -> Work {
        while true {
            let (work, deadline) = state.withLock { state in take(&state) }
            if let work { return work }
            _ = wake.wait(timeout: deadline)
        }
    }

    /// What there is to do, or until when to sleep.
    private func take(_ state: inout State) -> (Work?, DispatchTime) {
        state.sleep = .none
        if state.reopens {
            state.reopens = false
            return (.reopen, .distantFuture)
        }
        if state.due > 0, state.count > 0 {
            return (.records(takeRecords(&state)), .distantFuture)
        }
        let active = state.opened.count + state.ended.count
        if !state.isFlushDue, active > 0 || state.count > 0 {
            // The wait counts from the first look at the batch, whatever else comes in between.
            let deadline = state.fillBy ?? fillTime
            let isWaitedFor = state.isClosed || !state.flushes.isEmpty
            let isFull = max(active, state.count) >= batchLimit
            guard isFull || isWaitedFor || .now() >= deadline else {
                state.fillBy = deadline
                state.sleep = .filling
                return (nil, deadline)
            }
            let work = active > 0 ? takeActive(&state) : .records(takeRecords(&state))
            return (work, .distantFuture)
        }
        if state.unflushed || !state.flushes.isEmpty {
            state.unflushed = false
            state.isFlushDue = false
            state.flushing += state.flushes
            state.flushes = []
            return (.flush, .distantFuture)
        }
        if state.isClosed { return (.end, .distantFuture) }
        state.fillBy = state.lingerBy
        state.lingerBy = nil
        if let deadline = state.fillBy, .now() < deadline {
            state.sleep = .filling
            return (nil, deadline)
        }
        state.fillBy = nil
        state.sleep = .idle
        return (nil, .distantFuture)
    }

    /// Until when a batch may fill that begins now.
    private var fillTime: DispatchTime { .now() + .microseconds(Int(clamping: batchDelay.count)) }

    /// What has begun and ended goes ahead of the records that are due, and they ahead of what begins
    /// and ends from now on: a sink that takes long over the one would never come to the other.
    private func takeActive(_ state: inout State) -> Work {
        state.fillBy = nil
        state.lingerBy = fillTime
        state.due = state.count
        state.isFlushDue = !state.flushes.isEmpty
        defer { (state.opened, state.ended, state.maxActive) = ([], [], 0) }
        return .active(opened: state.opened, ended: state.ended)
    }

    private func takeRecords(_ state: inout State) -> [Entry] {
        let limit = state.due > 0 ? min(state.due, batchLimit) : batchLimit
        var end = 0
        var count = 0
        while end < state.entries.count {
            let entry = state.entries[end]
            if count > 0, count + entry.range.count > limit { break }
            count += entry.range.count
            state.bytes -= entry.memory
            end += 1
        }
        let taken = Array(state.entries[..<end])
        state.entries.removeFirst(end)
        state.count -= count
        state.due = max(0, state.due - count)
        state.writing = count
        state.unflushed = true
        state.fillBy = nil
        state.lingerBy = fillTime
        return taken
    }

    /// Tells waiting sources that there is room, when there is.
    ///
    /// Called when a batch is done with, so that what is being written counts as queued.
    func settle() {
        let waiters = state.withLock { state -> [@Sendable () -> Void] in
            state.writing = 0
            let hasRoom =
                state.count <= options.maxExchanges / 2 && state.bytes <= options.maxBytes / 2
            guard hasRoom || state.isDegraded || state.isOver else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter() }
    }

    /// Tells those who wait for it that the sink has flushed.
    func flushed() {
        let waiters = state.withLock { state in
            defer { state.flushing = [] }
            return state.flushing
        }
        for waiter in waiters { waiter() }
    }

    /// Changes the counters, unless the sink has been given up.
    func count(_ change: (inout SinkCounters) -> Void) {
        state.withLock {
            if !$0.isAbandoned { change(&$0.counters) }
        }
    }

    /// Whether nobody waits for this sink.
    func setDegraded(_ isDegraded: Bool) {
        state.withLock {
            $0.isDegraded = isDegraded
            $0.counters.isDegraded = isDegraded
        }
        if isDegraded { settle() }
    }

    /// The sink is gone: what waits is dropped, or lost, and what comes is dropped.
    func finish(lost: Bool) {
        let flushes = state.withLock { state in
            state.isOver = true
            if lost {
                state.isAbandoned = true
                state.counters.errors += state.count + state.writing
            } else {
                state.counters.dropped += state.count
            }
            state.entries = []
            state.count = 0
            state.bytes = 0
            state.writing = 0
            defer { (state.flushes, state.flushing) = ([], []) }
            return state.flushes + state.flushing
        }
        for waiter in flushes { waiter() }
        settle()
    }
}

// MARK: - The pipeline

extension SinkQueue {
    /// Nothing more will be submitted; the sink's thread ends when all is written.
    func close() {
        signal { $0.isClosed = true }
    }

    /// Has the sink write and flush what is queued now, and calls back then, or when the sink has
    /// ended.
    func flush(_ done: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.flushes.append(done) }
            state.sleep = .none
            return state.isOver
        }
        if isOver { done() } else { wake.signal() }
    }

    /// Asks the sink to open its files anew.
    func reopen() {
        signal { $0.reopens = true }
    }

    private func signal(_ change: (inout State) -> Void) {
        state.withLock {
            change(&$0)
            $0.sleep = .none
        }
        wake.signal()
    }

    /// The counters as they are now.
    var counters: SinkCounters {
        state.withLock {
            var counters = $0.counters
            counters.queued = $0.count + $0.writing
            return counters
        }
    }
}

/// What went through a sink: received = written + duplicates + filtered + dropped + errors + queued.
public struct SinkCounters: Sendable, Equatable {
    /// Records that came to the queue.
    public var received = 0
    /// Records that the sink has taken.
    public var written = 0
    /// Records that were there already.
    public var duplicates = 0
    /// Records that `when` left out.
    public var filtered = 0
    /// Records that `overflow` dropped, or that came when the reader had gone.
    public var dropped = 0
    /// Records that were lost since the sink failed.
    public var errors = 0
    /// Times that a flush, a close or the like failed.
    public var failures = 0
    /// Batches that were tried again.
    public var retries = 0
    /// Records that wait now.
    public var queued = 0
    /// The most records that have waited at one time.
    public var peakQueue = 0
    /// Whether the sink has failed for so long that nobody waits for it.
    public var isDegraded = false

    /// Nothing yet.
    public init() {}
}
