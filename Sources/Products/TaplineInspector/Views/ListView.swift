// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineQuery
internal import TaplineStore
internal import TaplineSystem

/// The list of one filter and one order, which a thread builds while others read its start.
///
/// A list of one store, newest first, grows with the store; other lists belong to one head. All of
/// its positions are those of one generation of the stores.
///
/// **Isolation**: any thread.
final class ListView: Sendable {
    /// A part of the list.
    struct Slice: Sendable {
        let positions: [StorePosition]
        let total: Int
        let isComplete: Bool
        let isCancelled: Bool
        let progress: Double
    }

    private enum Phase {
        /// What was found is in the list; a thread is to read, or reads, up to this head.
        case building(Int64)
        case complete
        case cancelled
        /// Nobody has asked for it any more; it is built again when somebody does.
        case forgotten
        case failed(APIError)
    }

    private struct State {
        var list = PositionList.empty
        var phase: Phase
        /// The number of the last exchange that was considered; `nil` before the first reading.
        var covered: Int64?
        var progress = QueryProgress()
        /// Whether `progress` was cancelled since nobody asked any more.
        var isForgotten = false
        /// The call that has asked last, and when, in microseconds of the steady clock.
        var asker: QueryProgress?
        var asked: Int64 = 0
        var waiting: [DispatchSemaphore] = []
    }

    /// How long a reader who has some of its part waits for more.
    private static let pause = DispatchTimeInterval.milliseconds(30)

    /// The name by which the page refers to it.
    let id: String
    private let filter: Filter?
    private let sort: StoreSort?
    /// The number of the generation.
    private let generation: Int
    private let changed: @Sendable (ListView) -> Void
    private let state: Mutex<State>

    init(
        _ id: String,
        _ filter: Filter?,
        _ sort: StoreSort?,
        generation: Int,
        changed: @escaping @Sendable (ListView) -> Void
    ) {
        self.id = id
        self.filter = filter
        self.sort = sort
        self.generation = generation
        self.changed = changed
        state = Mutex(State(phase: .complete))
    }

    // MARK: Reading

    /// Returns a part of the list, at the latest after some time.
    ///
    /// - Parameters:
    ///   - range: The indices.
    ///   - last: The number of the last exchange that is visible.
    ///   - time: How long to wait for all of the part.
    /// - Returns: The part, as far as it was found.
    /// - Throws: `APIError` if the list could not be built.
    func slice(_ range: Range<Int>, through last: Int64, within time: Duration) throws -> Slice {
        let end = DispatchTime.now() + .microseconds(Int(clamping: time.microseconds))
        while true {
            let (slice, wait) = try state.withLock { state in
                let slice = try Self.slice(of: state, range, last)
                if slice.isComplete || slice.isCancelled || slice.positions.count == range.count {
                    return (slice, nil as DispatchSemaphore?)
                }
                let wait = DispatchSemaphore(value: 0)
                state.waiting.append(wait)
                return (slice, wait)
            }
            // Rare matches are shown as they are found; the next ones may take long.
            let limit = slice.positions.isEmpty ? end : min(end, .now() + Self.pause)
            guard let wait, wait.wait(timeout: limit) == .success else { return slice }
        }
    }

    private static func slice(
        of state: State,
        _ range: Range<Int>,
        _ last: Int64
    ) throws -> Slice {
        var isCancelled = false
        var isComplete = false
        switch state.phase {
        case .failed(let error): throw error
        case .cancelled: isCancelled = true
        case .complete: isComplete = true
        case .building, .forgotten: isComplete = state.covered.map { $0 >= last } ?? false
        }
        return Slice(
            positions: state.list.positions(range, through: last),
            total: state.list.count(through: last),
            isComplete: isComplete,
            isCancelled: isCancelled,
            progress: isComplete ? 1 : state.progress.part ?? 0
        )
    }

    /// Returns the index of an exchange; `nil` if it is not in the list.
    func index(
        of position: StorePosition,
        through last: Int64,
        within time: Duration
    ) throws -> Int? {
        _ = try slice(Int.max - 1..<Int.max, through: last, within: time)
        return state.withLock { $0.list.index(of: position, through: last) }
    }

    /// How many positions it has, which take memory.
    var count: Int {
        state.withLock { state in
            if case .gapless = state.list { 0 } else { state.list.count(through: .max) }
        }
    }

    /// Returns the rows that it has found, if it is complete and they are few.
    ///
    /// - Parameters:
    ///   - wanted: The filter whose rows are asked for; with `now`, it is another one each time that
    ///     its text is read.
    ///   - rows: How many rows the store has.
    /// - Returns: The rows; `nil` if they are not known, or too many.
    func candidates(for wanted: Filter, among rows: Int) -> CandidateRows? {
        guard let filter, filter.isSame(as: wanted) else { return nil }
        return state.withLock { state in
            guard case .complete = state.phase, let covered = state.covered,
                case .growing(let newer, let older) = state.list,
                newer.count + older.count <= CandidateRows.limit(of: rows)
            else { return nil }
            return CandidateRows(numbers: older.reversed() + newer, covered: covered)
        }
    }

    /// What an event about it says.
    var report: Slice? { state.withLock { try? Self.slice(of: $0, 0..<0, .max) } }

    // MARK: Building

    /// Returns what makes the list have everything up to a head; `nil` if it has, or a thread is
    /// making it, or its reader has ended that and does not want it `again`.
    func extended(to head: StoreHead, again: Bool = false) -> Workers.Job? {
        guard let part = head.parts.first else { return nil }
        let last = part.last
        return state.withLock { state in
            switch state.phase {
            case .building: return nil
            case .complete:
                if let covered = state.covered, covered >= last { return nil }
            case .cancelled where !again: return nil
            case .cancelled, .failed, .forgotten:
                state.list = .empty
                state.covered = nil
            }
            if filter == nil, sort == nil, head.parts.count == 1, part.isGapless {
                state.list = .gapless(first: part.first, last: last)
                state.covered = last
                state.phase = .complete
                return nil
            }
            state.phase = .building(last)
            state.progress = QueryProgress()
            state.isForgotten = false
            return { [self] stores in build(stores, head) }
        }
    }

    /// Ends building; what was found stays.
    func cancel() { state.withLock { $0.progress }.cancel() }

    /// Notes that a call asks for a part of it.
    func isAsked(by call: QueryProgress) {
        state.withLock { state in
            state.asker = call
            state.asked = SteadyClock.microseconds
        }
    }

    /// Ends building if nobody waits for it: if the call that asked last was cancelled, or was some
    /// time ago.
    func endIfForgotten(after time: Int64) {
        let progress = state.withLock { state -> QueryProgress? in
            guard case .building = state.phase, let asker = state.asker else { return nil }
            guard asker.isCancelled || SteadyClock.microseconds - state.asked > time else {
                return nil
            }
            state.isForgotten = true
            return state.progress
        }
        progress?.cancel()
    }

    private func build(_ stores: OpenStores, _ head: StoreHead) {
        let phase: Phase
        do {
            let opened = try stores.opened()
            // Its numbers would mean other exchanges there.
            guard opened.generation.number == generation else { throw APIError.replaced }
            let stores = opened.stores
            if sort != nil || stores.count > 1 {
                try buildSorted(stores, head)
            } else if let part = head.parts.first {
                try buildNewestFirst(stores[0], part)
            }
            phase = .complete
        } catch is QueryCancelled {
            phase = state.withLock { $0.isForgotten } ? .forgotten : .cancelled
        } catch {
            phase = .failed(APIError(any: error))
        }
        update { state in
            state.phase = phase
            if case .forgotten = phase {
                state.covered = nil
            } else {
                state.covered = head.parts.first?.last
            }
        }
    }

    private func buildSorted(_ stores: StoreSet, _ head: StoreHead) throws {
        let progress = state.withLock { $0.progress }
        let found = try stores.positions(
            matching: filter,
            sort: sort,
            in: head,
            progress: progress
        )
        update { $0.list = .fixed(found) }
    }

    private func buildNewestFirst(_ store: Store, _ part: StoreHead.Part) throws {
        let (progress, covered) = state.withLock { state in
            // Rows that were removed have left a gap.
            if case .gapless = state.list {
                state.list = .empty
                state.covered = nil
            }
            return (state.progress, state.covered)
        }
        var added: [Int64] = []
        let isFirst = covered == nil && store.isDatabase
        try store.forEachNumber(
            matching: filter,
            after: covered ?? .min,
            through: part.last,
            progress: progress
        ) { numbers in
            guard isFirst else {
                added += numbers
                return
            }
            update { state in
                guard case .growing(let newer, var older) = state.list else { return }
                // Released first, so that the list is not copied.
                state.list = .empty
                older += numbers
                state.list = .growing(newer: newer, older: older)
            }
        }
        guard !added.isEmpty else { return }
        if store.isDatabase { added.reverse() }
        update { state in
            guard case .growing(var newer, let older) = state.list else { return }
            state.list = .empty
            newer += added
            state.list = .growing(newer: newer, older: older)
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for semaphore in waiting { semaphore.signal() }
        changed(self)
    }
}

extension Duration {
    /// The whole microseconds.
    fileprivate var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? .max : product &+ attoseconds / 1_000_000_000_000
    }
}
