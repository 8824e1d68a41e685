// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery

/// What sets of stores need of each store.
extension Store {
    /// Explains how a query is answered.
    func explain(_ query: StoreQuery, _ kind: ExplainedQuery) throws -> StorePlan {
        switch content {
        case .database(let store):
            return StorePlan(store: path, steps: try store.explain(query, kind))
        case .recording:
            var steps = [StorePlan.Step("scan", "the whole recording, from its start")]
            if let filter = query.filter {
                steps.append(.init("memory", filter.text(of: filter.tree, hidingSecrets: true)))
            }
            if kind == .results, query.sort != nil || query.order == .newestFirst {
                let order = query.sort.map { "by \($0.field.name)" } ?? "newest first"
                steps.append(.init("memory", "results are sorted \(order)"))
            }
            return StorePlan(store: path, steps: steps)
        }
    }

    /// Follows what is added to the store.
    func follow(_ query: StoreQuery) throws(StoreError) -> any FollowedStore {
        switch content {
        case .database(let store): FollowedDatabase(store, query)
        case .recording(let store): try store.follow(query)
        }
    }

    /// Returns the key of an id, with the value that a sorted query needs; `nil` if no exchange has
    /// the id.
    func key(of id: ExchangeID, for query: StoreQuery) throws -> StoreKey? {
        if case .recording(let store) = content {
            return try store.key(of: id, sortedBy: query.sort?.field)
        }
        return try key(of: id).map { try complete($0, for: query) }
    }

    /// Adds the value that a sorted query needs to a key of this store, unless it has it.
    func complete(_ key: StoreKey, for query: StoreQuery) throws -> StoreKey {
        guard let sort = query.sort, key.value == nil else { return key }
        let value: SortValue?
        switch content {
        case .database(let store):
            let columns = RowColumns(usedBy: [sort.field.field])
            value = try store.exchange(at: key, columns).map { SortValue($0, of: sort.field) }
        case .recording(let store):
            value = try store.value(at: key, of: sort.field)
        }
        guard let value else {
            throw StoreError(.unknownID, "no exchange has the id \(key.id) any more")
        }
        var key = key
        key.value = value
        return key
    }
}
