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
        let decided: @Sendable (PauseDecision) -> Void
    }

    private struct State {
        var waiting: [Waiting] = []
        var memory = 0
        var attendants = 0
        var observers: [@Sendable () -> Void] = []
    }

    /// How many exchanges wait at once, whatever the stages permit.
    package static let maxCount = 1024
    /// The memory of all copies, in bytes; beyond it, an exchange is shown without its content.
    package static let maxMemory = 64 << 20

    private let state = Mutex(State())

    /// Creates an empty board.
    package init() {}

    /// Whether somebody can decide.
    package var isAttended: Bool { state.withLock { $0.attendants > 0 } }

    /// Notes that somebody can decide from now on.
    package func attend() { state.withLock { $0.attendants += 1 } }

    /// Notes that somebody can no longer decide; if it was the last one, all exchanges pass.
    package func leave() {
        let rest = state.withLock { state -> [Waiting] in
            state.attendants = max(state.attendants - 1, 0)
            return state.attendants == 0 ? state.waiting : []
        }
        for waiting in rest { _ = resume(waiting.entry.active.id, PauseDecision()) }
    }

    /// Calls a closure after each change, on the thread that has made it.
    package func observe(_ changed: @escaping @Sendable () -> Void) {
        state.withLock { $0.observers.append(changed) }
    }

    /// Adds an exchange.
    ///
    /// - Parameters:
    ///   - entry: The exchange.
    ///   - stage: The stage that has paused it.
    ///   - limit: How many exchanges of the stage may wait at once.
    ///   - decided: Called at most once, on any thread, with the decision; not after `remove`.
    /// - Returns: `false` if too many wait, or nobody can decide.
    package func add(
        _ entry: Entry,
        of stage: String,
        atMost limit: Int,
        decided: @escaping @Sendable (PauseDecision) -> Void
    ) -> Bool {
        let isAdded = state.withLock { state in
            guard state.attendants > 0, state.waiting.count < Self.maxCount,
                state.waiting.count(where: { $0.stage == stage }) < limit
            else { return false }
            let memory = entry.record?.memory ?? 0
            let fits = memory <= Self.maxMemory - state.memory
            let shown = fits ? entry : entry.withoutRecord
            state.memory += fits ? memory : 0
            state.waiting.append(Waiting(entry: shown, stage: stage, decided: decided))
            return true
        }
        if isAdded { notify() }
        return isAdded
    }

    /// Whether another exchange of a stage may wait.
    package func hasRoom(for stage: String, atMost limit: Int) -> Bool {
        state.withLock { state in
            state.attendants > 0 && state.waiting.count < Self.maxCount
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
    /// - Returns: `false` if it does not wait any longer.
    @discardableResult
    package func resume(_ id: ExchangeID, _ decision: PauseDecision) -> Bool {
        guard let waiting = take(id) else { return false }
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

    private func take(_ id: ExchangeID) -> Waiting? {
        state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.entry.active.id == id }) else {
                return nil
            }
            let waiting = state.waiting.remove(at: index)
            state.memory -= waiting.entry.record?.memory ?? 0
            return waiting
        }
    }

    private func notify() {
        for observer in state.withLock({ $0.observers }) { observer() }
    }
}

extension PausedExchanges.Entry {
    /// The same without the copy.
    fileprivate var withoutRecord: Self {
        Self(active, at: at, until: until, hook: hook, rule: rule, record: nil)
    }
}
