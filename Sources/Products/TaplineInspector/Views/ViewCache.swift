// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineQuery
internal import TaplineStore

/// The lists that were used last.
///
/// **Limits**: `maxViews` lists and `maxPositions` positions; the list that was used longest ago is
/// dropped first.
///
/// **Isolation**: any thread.
final class ViewCache: Sendable {
    /// What a list depends on.
    struct Key: Hashable, Sendable {
        let filter: String
        let sort: String
        /// The head; `nil` for a list that grows with the store.
        let head: Int64?
        let generation: Int
        /// `StoreGeneration.annotations`, if the filter depends on notes, marks or tags.
        var annotations: Int?
    }

    private struct State {
        /// The one that was used last comes last.
        var views: [(key: Key, view: ListView)] = []
        var created = 0
    }

    private static let maxViews = 16
    private static let maxPositions = 16 << 20
    /// How long lists are built that nobody asks for, in microseconds.
    ///
    /// Pages that show one ask a few times a second. While others wait for a thread, it is shorter.
    private static let patience = (crowded: Int64(1_000_000), idle: Int64(60_000_000))

    private let state = Mutex(State())
    private let workers: Workers
    private let changed: @Sendable (ListView) -> Void

    init(_ workers: Workers, changed: @escaping @Sendable (ListView) -> Void) {
        self.workers = workers
        self.changed = changed
    }

    /// Returns a list that has, or will have, everything up to a head.
    ///
    /// - Parameters:
    ///   - key: What it depends on.
    ///   - filter: The condition; `nil` for all exchanges.
    ///   - sort: The order; `nil` for the newest first.
    ///   - head: What it has to have.
    ///   - again: Whether to go on with a list that its reader has ended.
    ///   - call: The call that asks for it.
    /// - Returns: The list.
    /// - Throws: `APIError` if too much is to be done.
    func view(
        _ key: Key,
        _ filter: Filter?,
        _ sort: StoreSort?,
        upTo head: StoreHead,
        again: Bool = false,
        for call: QueryProgress
    ) throws -> ListView {
        let (view, dropped) = state.withLock { state in
            let index = state.views.firstIndex { $0.key == key }
            let entry: (key: Key, view: ListView)
            if let index {
                entry = state.views.remove(at: index)
            } else {
                state.created += 1
                let name = "v\(state.created)"
                entry = (
                    key,
                    ListView(
                        name,
                        filter,
                        sort,
                        generation: key.generation,
                        changed: changed
                    )
                )
            }
            state.views.append(entry)
            return (entry.view, Self.drop(&state.views))
        }
        for view in dropped { view.cancel() }
        view.isAsked(by: call)
        if let job = view.extended(to: head, again: again), !workers.run(job) {
            remove(view)
            throw APIError.busy
        }
        return view
    }

    /// Returns the rows that a list has found, if it is there and complete, and they are few.
    ///
    /// - Parameters:
    ///   - key: What the list depends on.
    ///   - filter: The filter of `key`, as it was read now.
    ///   - rows: How many rows the store has.
    /// - Returns: The rows; `nil` if they are not known, or too many.
    func candidates(_ key: Key, for filter: Filter, among rows: Int) -> CandidateRows? {
        let view = state.withLock { $0.views.first { $0.key == key }?.view }
        return view?.candidates(for: filter, among: rows)
    }

    /// Ends building a list.
    func cancel(_ id: String) {
        state.withLock { $0.views.first { $0.view.id == id }?.view }?.cancel()
    }

    /// Ends building lists that nobody waits for.
    ///
    /// - Parameter isCrowded: Whether others wait for a thread.
    func endForgotten(isCrowded: Bool) {
        let time = isCrowded ? Self.patience.crowded : Self.patience.idle
        for entry in state.withLock({ $0.views }) { entry.view.endIfForgotten(after: time) }
    }

    /// Ends building all lists.
    func cancelAll() {
        for entry in state.withLock({ $0.views }) { entry.view.cancel() }
    }

    private func remove(_ view: ListView) {
        state.withLock { $0.views.removeAll { $0.view === view } }
    }

    private static func drop(_ views: inout [(key: Key, view: ListView)]) -> [ListView] {
        // Nobody can ask for lists of files that were replaced.
        let newest = views.reduce(0) { max($0, $1.key.generation) }
        var dropped = views.filter { $0.key.generation < newest }.map(\.view)
        views.removeAll { $0.key.generation < newest }
        var positions = views.reduce(0) { $0 + $1.view.count }
        while views.count > 1, views.count > maxViews || positions > maxPositions {
            let view = views.removeFirst().view
            positions -= view.count
            dropped.append(view)
        }
        return dropped
    }
}
