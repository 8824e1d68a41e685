// SPDX-License-Identifier: MIT

internal import TaplineQuery

extension StoreSet {
    /// Explains how each store answers a query: by which index, by a scan, in memory.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - isCount: Whether only the number of matches is wanted.
    /// - Returns: A plan for each store.
    /// - Throws: `StoreError` if a store cannot be read.
    package func explain(_ query: StoreQuery, isCount: Bool = false) throws -> [StorePlan] {
        var query = query
        try findCopies(query.progress)
        guard stores.count > 1, !isCount else {
            if let after = query.after, stores.count == 1 {
                query.after = try stores[0].complete(after, for: query)
            }
            return try stores.map { store in
                withCopies(try store.explain(query, isCount ? .count : .results), of: store)
            }
        }
        // Each store is read completely, and the keys are sorted.
        let sort = query.sort
        query.sort = nil
        query.order = .oldestFirst
        query.limit = nil
        query.after = nil
        let order = sort.map { "by \($0.field.name)" } ?? "by start time"
        return try stores.map { store in
            let plan = try store.explain(query, .results)
            let step = StorePlan.Step(
                "memory",
                "keys are sorted with those of other stores, \(order)"
            )
            return withCopies(StorePlan(store: plan.store, steps: plan.steps + [step]), of: store)
        }
    }

    /// Adds which exchanges do not count, if there are several databases.
    private func withCopies(_ plan: StorePlan, of store: Store) -> StorePlan {
        guard countsOnce || recordedIDs != nil else { return plan }
        return StorePlan(store: plan.store, steps: plan.steps + [store.copiesStep()])
    }

    /// Follows what other processes add to the stores.
    ///
    /// If exchanges count once, the copy that is written first is the one.
    ///
    /// - Parameters:
    ///   - query: The filter, the parts that results need to have, and the key after which the
    ///     results begin; its order and its limit have no effect.
    ///   - newest: Without a key, how many of the exchanges that are there already come first.
    /// - Returns: What reads the results.
    /// - Throws: `StoreError` if a recording cannot be opened or is standard input, or if there are
    ///   several stores and a key, which belongs to one of them.
    package func follow(_ query: StoreQuery, newest: Int = 10) throws -> StoreFollower {
        guard query.after == nil || stores.count == 1 else {
            throw StoreError(
                .notFollowed,
                "several stores cannot be followed after an exchange of one of them"
            )
        }
        return StoreFollower(
            try stores.map { try $0.follow(query) },
            newest: newest,
            countsOnce: countsOnce
        )
    }
}
