// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL
internal import TaplineSystem

/// A database to which another process adds rows.
final class FollowedDatabase: FollowedStore {
    /// The row with the lowest number.
    private struct FirstRow {
        let number: Int64
        let id: [UInt8]

        /// Whether numbers began again between another row and this one.
        ///
        /// That happens after all rows were removed; otherwise the lowest number only grows.
        func isRestart(after other: FirstRow) -> Bool {
            number < other.number || (number == other.number && id != other.id)
        }
    }

    private var store: DatabaseStore
    /// The file of the database; `nil` if it was removed already.
    private var file: FileStatus?
    private let filter: Filter?
    private let parts: StoreParts
    private let progress: QueryProgress?
    /// Whether everything after a key is new.
    private let isContinued: Bool
    /// The number of the last row that was examined.
    private var last: Int64
    /// The first row at that time; `nil` if there was none, or it is not known.
    private var first: FirstRow?
    /// The value of `PRAGMA data_version` at that time.
    private var version: Int64?

    init(_ store: DatabaseStore, _ query: StoreQuery) {
        self.store = store
        file = try? FileSystem.status(of: store.path)
        filter = query.filter
        parts = query.parts
        progress = query.progress
        last = query.after?.number ?? .min
        isContinued = query.after != nil
    }

    func begin(newest: Int, _ body: (StoredExchange) throws -> Void) throws {
        if isContinued { return try next(atMost: .max, body) }
        store.counted = nil
        version = try store.reader.currentDataVersion()
        let rows = try ends()
        last = rows?.last ?? .min
        first = rows?.first
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
        guard try isInPlace() else { return }
        // Whether an exchange was read before decides, and not whether an earlier database has it.
        store.counted = nil
        let current = try store.reader.currentDataVersion()
        guard current != version else { return }
        version = current
        guard let rows = try ends() else {
            // After the last row was removed, numbers begin again.
            last = .min
            first = nil
            return
        }
        if let first, rows.first.isRestart(after: first) { last = .min }
        first = rows.first
        let newest = rows.last
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

    var isCompared: Bool { true }

    func hasRead(_ id: ExchangeID) throws -> Bool {
        try store.key(of: id).map { $0.number <= last } ?? false
    }

    /// Opens the database that has taken the place of the one that was read.
    ///
    /// - Returns: Whether there is a database, which may be the same one.
    private func isInPlace() throws -> Bool {
        do {
            guard let current = try FileSystem.status(of: store.path) else { return false }
            if let file, current.isSameFile(as: file) { return true }
            guard let other = try store.reopened() else { return false }
            store = other
            file = current
        } catch let error as FileError {
            throw StoreError(.system, error.description)
        } catch let error as StoreError where Self.passing.contains(error.code) {
            // Its writer is creating it.
            return false
        }
        // All that it has is new.
        version = nil
        last = .min
        first = nil
        return true
    }

    /// Errors while another process creates a database.
    private static let passing: [StoreError.Code] = [.missing, .foreign, .locked]

    /// The first row, and the number of the last one; `nil` if there are no rows.
    private func ends() throws -> (first: FirstRow, last: Int64)? {
        try store.reader.naming {
            let query = try store.reader.connection.cached(
                """
                SELECT seq, id, (SELECT max(seq) FROM exchanges) FROM exchanges
                  ORDER BY seq LIMIT 1
                """
            )
            defer { query.reset() }
            guard try query.step() else { return nil }
            let first = FirstRow(number: query.integer(0), id: query.blob(1))
            return (first: first, last: query.integer(2))
        }
    }
}
