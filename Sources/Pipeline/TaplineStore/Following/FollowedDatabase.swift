// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL

/// A database to which another process adds rows.
final class FollowedDatabase: FollowedStore {
    private let store: DatabaseStore
    private let filter: Filter?
    private let parts: StoreParts
    private let progress: QueryProgress?
    /// Whether everything after a key is new.
    private let isContinued: Bool
    /// The number of the last row that was examined.
    private var last: Int64
    /// The value of `PRAGMA data_version` at that time.
    private var version: Int64?

    init(_ store: DatabaseStore, _ query: StoreQuery) {
        self.store = store
        filter = query.filter
        parts = query.parts
        progress = query.progress
        last = query.after?.number ?? .min
        isContinued = query.after != nil
    }

    func begin(newest: Int, _ body: (StoredExchange) throws -> Void) throws {
        if isContinued { return try next(atMost: .max, body) }
        version = try store.reader.currentDataVersion()
        last = try store.reader.lastNumber() ?? .min
        guard newest > 0, last > .min, let range = RowRange(last) else { return }
        // Rows that are added meanwhile are read later.
        let after = StoreKey(number: range.upper, value: SortValue(indexed: nil))
        var query = StoreQuery(filter, after: after, limit: newest, parts: parts)
        query.progress = progress
        var found: [StoredExchange] = []
        try store.scan(query) { found.append(StoredExchange(key: $0, exchange: $1)) }
        for exchange in found.reversed() { try body(exchange) }
    }

    func next(atMost limit: Int, _ body: (StoredExchange) throws -> Void) throws {
        let current = try store.reader.currentDataVersion()
        guard current != version else { return }
        version = current
        guard let newest = try store.reader.lastNumber() else {
            // After the last row was removed, numbers begin again.
            last = .min
            return
        }
        let start = min(last, newest)
        last = newest
        var (count, reached) = (0, start)
        let after = StoreKey(number: start, value: SortValue(indexed: nil))
        var query = StoreQuery(filter, order: .oldestFirst, after: after, parts: parts)
        query.limit = limit
        query.progress = progress
        try store.scan(query) { key, exchange in
            last = max(last, key.number)
            (count, reached) = (count + 1, key.number)
            try body(StoredExchange(key: key, exchange: exchange))
        }
        if count == limit {
            // More matches may be there already.
            last = reached
            version = nil
        }
    }
}
