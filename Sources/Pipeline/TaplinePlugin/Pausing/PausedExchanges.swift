// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineModel

/// The exchanges that wait for a decision.
///
/// **Isolation**: any thread.
package final class PausedExchanges: Sendable {
    /// An exchange that waits.
    package struct Entry: Sendable {
        /// The facts that may be shown of it in any case.
        package let active: ActiveExchange
        /// Since when it waits.
        package let at: Timestamp
        /// When it passes on unchanged.
        package let until: Timestamp
        /// The hook after which it waits: `request` or `response`.
        package let hook: Plane
        /// The rule that has paused it.
        package let rule: String
        /// A copy that has passed the record stages; `nil` if they have kept none.
        package let record: Record?

        /// Creates an entry.
        package init(
            _ active: ActiveExchange,
            at: Timestamp,
            until: Timestamp,
            hook: Plane,
            rule: String,
            record: Record?
        ) {
            self.active = active
            self.at = at
            self.until = until
            self.hook = hook
            self.rule = rule
            self.record = record
        }
    }

    private struct Waiting {
        let entry: Entry
        /// The stage that has paused it.
        let stage: String
        let check: Check
        let decided: @Sendable (PauseDecision?) -> Void
    }

    /// Throws if the changes in a decision are not possible.
    package typealias Check = @Sendable (PauseDecision) throws(PauseRefusal) -> Void

    private struct State {
        var waiting: [Waiting] = []
        var memory = 0
        /// Who can decide, each with what is called after a change.
        var attendants: [Int: @Sendable () -> Void] = [:]
        /// The number of the last attendant.
        var lastAttendant = 0
        var isClosed = false

        var isAttended: Bool { !isClosed && !attendants.isEmpty }

        mutating func takeAll() -> [Waiting] {
            let all = waiting
            waiting = []
            memory = 0
            return all
        }
    }

    /// How many exchanges wait at once, whatever the stages permit.
    package static let maxCount = 1024
    /// The memory of all copies, in bytes; beyond it, an exchange is shown without its content.
    package static let maxMemory = 64 << 20

    private let state = Mutex(State())

    /// Creates an empty board.
    package init() {}

    /// Whether somebody can decide.
    package var isAttended: Bool { state.withLock { $0.isAttended } }

    /// Notes that somebody can decide from now on.
    ///
    /// - Parameter changed: Called after each change, on the thread that has made it.
    /// - Returns: What ends the attendance when it is released.
    package func attend(
        observing changed: @escaping @Sendable () -> Void = {}
    ) -> PauseAttendance {
        let number = state.withLock { state in
            state.lastAttendant += 1
            state.attendants[state.lastAttendant] = changed
            return state.lastAttendant
        }
        return PauseAttendance(number, self)
    }

    /// Notes that an attendant can no longer decide; if it was the last one, all exchanges pass.
    ///
    /// Later calls for the same attendant have no effect.
    fileprivate func leave(_ attendant: Int) {
        let rest = state.withLock { state -> [Waiting] in
            guard state.attendants.removeValue(forKey: attendant) != nil,
                state.attendants.isEmpty
            else { return [] }
            return state.takeAll()
        }
        for waiting in rest { waiting.decided(nil) }
    }

    /// Lets all exchanges pass, and takes no more.
    package func close() {
        let rest = state.withLock { state -> [Waiting] in
            state.isClosed = true
            return state.takeAll()
        }
        for waiting in rest { waiting.decided(nil) }
        if !rest.isEmpty { notify() }
    }

    /// Adds an exchange.
    ///
    /// - Parameters:
    ///   - entry: The exchange.
    ///   - stage: The stage that has paused it.
    ///   - limit: How many exchanges of the stage may wait at once.
    ///   - check: Called on any thread, with each decision before it counts.
    ///   - decided: Called at most once, on any thread, with the decision, or with `nil` if nobody
    ///     can decide any more; not after `remove`.
    /// - Returns: `false` if too many wait, or nobody can decide.
    package func add(
        _ entry: Entry,
        of stage: String,
        atMost limit: Int,
        checking check: @escaping Check = { _ in },
        decided: @escaping @Sendable (PauseDecision?) -> Void
    ) -> Bool {
        let isAdded = state.withLock { state in
            guard state.isAttended, state.waiting.count < Self.maxCount,
                state.waiting.count(where: { $0.stage == stage }) < limit
            else { return false }
            let memory = entry.record?.memory ?? 0
            let fits = memory <= Self.maxMemory - state.memory
            let shown = fits ? entry : entry.withoutRecord
            state.memory += fits ? memory : 0
            state.waiting.append(
                Waiting(entry: shown, stage: stage, check: check, decided: decided)
            )
            return true
        }
        if isAdded { notify() }
        return isAdded
    }

    /// Whether another exchange of a stage may wait.
    package func hasRoom(for stage: String, atMost limit: Int) -> Bool {
        state.withLock { state in
            state.isAttended && state.waiting.count < Self.maxCount
                && state.waiting.count(where: { $0.stage == stage }) < limit
        }
    }

    /// The exchanges, in the order in which they began to wait.
    package var all: [Entry] { state.withLock { $0.waiting.map(\.entry) } }

    /// Returns an exchange; `nil` if it does not wait any longer.
    package func entry(_ id: ExchangeID) -> Entry? {
        state.withLock { $0.waiting.first { $0.entry.active.id == id }?.entry }
    }

    /// Decides about an exchange.
    ///
    /// - Parameters:
    ///   - id: The exchange.
    ///   - decision: The decision.
    ///   - hook: The hook that the decision is for; `nil` for any.
    /// - Returns: `false` if it does not wait any longer, or after another hook.
    /// - Throws: `PauseRefusal` if a change is not possible; the exchange waits on, unchanged.
    @discardableResult
    package func resume(
        _ id: ExchangeID,
        _ decision: PauseDecision,
        after hook: Plane? = nil
    ) throws(PauseRefusal) -> Bool {
        guard let waiting = waiting(id, after: hook) else { return false }
        // Not under the lock, since changes of a large body take time.
        try waiting.check(decision)
        guard take(id, after: waiting.entry.hook) != nil else { return false }
        waiting.decided(decision)
        notify()
        return true
    }

    /// Removes an exchange that does not wait any longer.
    ///
    /// - Returns: `false` if it was decided about in the meantime.
    @discardableResult
    package func remove(_ id: ExchangeID) -> Bool {
        guard take(id) != nil else { return false }
        notify()
        return true
    }

    private func waiting(_ id: ExchangeID, after hook: Plane?) -> Waiting? {
        state.withLock { state in
            state.waiting.first {
                $0.entry.active.id == id && (hook == nil || $0.entry.hook == hook)
            }
        }
    }

    private func take(_ id: ExchangeID, after hook: Plane? = nil) -> Waiting? {
        state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.entry.active.id == id }) else {
                return nil
            }
            if let hook, state.waiting[index].entry.hook != hook { return nil }
            let waiting = state.waiting.remove(at: index)
            state.memory -= waiting.entry.record?.memory ?? 0
            return waiting
        }
    }

    private func notify() {
        for observer in state.withLock({ Array($0.attendants.values) }) { observer() }
    }
}

/// Somebody who can decide about exchanges, until this object is released.
///
/// **Isolation**: any thread.
package final class PauseAttendance: Sendable {
    private let number: Int
    private let board: PausedExchanges

    fileprivate init(_ number: Int, _ board: PausedExchanges) {
        self.number = number
        self.board = board
    }

    deinit { leave() }

    /// Ends the attendance; if it was the last one, all exchanges pass.
    ///
    /// Later calls have no effect.
    package func leave() { board.leave(number) }
}

extension PausedExchanges.Entry {
    /// The same without the copy.
    fileprivate var withoutRecord: Self {
        Self(active, at: at, until: until, hook: hook, rule: rule, record: nil)
    }
}
