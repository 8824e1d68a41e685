// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineQuery
internal import TaplineSystem

/// Stored exchanges that can be queried: a database that the sink `sqlite` writes, or a recording
/// in NDJSON or HAR.
///
/// The content of the file determines its format. A database is opened read-only, and another
/// process may write to it at the same time; older schemas are read as they are. A recording may be
/// compressed, and is read from its start for each question.
///
/// **Isolation**: one thread at a time. Closures that receive exchanges must not use the store.
package final class Store {
    enum Content {
        case database(DatabaseStore)
        case recording(RecordingStore)
    }

    /// The path as given; `-` is standard input.
    package let path: String
    let content: Content

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - path: The file; `-` is standard input.
    ///   - warn: Receives a message for each part that cannot be read.
    /// - Throws: `StoreError` if there is no such file, or it cannot be a store. The content of a
    ///   recording is checked when it is read.
    package init(
        _ path: String,
        warn: @escaping (String) -> Void = { _ in }
    ) throws(StoreError) {
        self.path = path
        let status = try Self.status(of: path)
        let isRegular = status?.kind == .regular
        // SQLite itself checks the format: closing the file here would release the locks that
        // other connections of this process hold on it (https://sqlite.org/howtocorrupt.html
        // section 2.2).
        if isRegular, status?.size != 0, let store = try DatabaseStore(path, warn: warn) {
            content = .database(store)
        } else {
            content = .recording(RecordingStore(path, isRepeatable: isRegular, warn: warn))
        }
    }

    private init(_ path: String, _ database: DatabaseStore) {
        self.path = path
        content = .database(database)
    }

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - warn: Receives a message for each part that cannot be read.
    /// - Returns: The store; `nil` if the file is not a database and may be a recording.
    /// - Throws: `StoreError` if the database cannot be read.
    package static func database(
        _ path: String,
        warn: @escaping (String) -> Void = { _ in }
    ) throws(StoreError) -> Store? {
        guard let status = try? status(of: path), status.kind == .regular, status.size > 0 else {
            return nil
        }
        return try DatabaseStore(path, warn: warn).map { Store(path, $0) }
    }

    /// How many exchanges, or bodies of exchanges, could not be read so far.
    package var problems: Int {
        switch content {
        case .database(let store): store.problems
        case .recording(let store): store.problems
        }
    }

    // MARK: Questions

    /// Returns one page of the exchanges that match a filter.
    ///
    /// - Parameters:
    ///   - filter: The condition; `nil` for all exchanges.
    ///   - order: The order of the results.
    ///   - sort: Sorts the results by a field instead.
    ///   - key: The key of the last exchange of the page before; `nil` for the first page.
    ///   - limit: The maximum number of exchanges.
    ///   - parts: The parts that results need to have.
    /// - Returns: The page, with the key for the next one.
    /// - Throws: `StoreError` if the store cannot be read.
    package func exchanges(
        matching filter: Filter? = nil,
        order: StoreOrder = .newestFirst,
        sort: StoreSort? = nil,
        after key: StoreKey? = nil,
        limit: Int,
        parts: StoreParts = .all
    ) throws -> StorePage {
        // One more than is wanted, to find out whether there is a next page.
        let (wanted, overflow) = limit.addingReportingOverflow(1)
        let query = StoreQuery(
            filter,
            order: order,
            sort: sort,
            after: key,
            limit: overflow ? limit : wanted,
            parts: parts
        )
        var found: [StoredExchange] = []
        try forEach(query) { found.append($0) }
        let hasMore = found.count > limit
        if hasMore { found.removeLast() }
        return StorePage(exchanges: found, next: hasMore ? found.last?.key : nil)
    }

    /// Calls a closure with each exchange that a query selects, in the order of the query.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - body: Receives the exchanges; if it throws, the query ends with its error.
    /// - Throws: `StoreError` if the store cannot be read, or the error of the closure;
    ///   `QueryCancelled` after what was found so far.
    package func forEach(
        _ query: StoreQuery,
        _ body: (StoredExchange) throws -> Void
    ) throws {
        query.progress?.begin(0, of: 1)
        var query = query
        if let after = query.after { query.after = try complete(after, for: query) }
        try scan(query) { try body(StoredExchange(key: $0, exchange: $1)) }
    }

    /// Returns how many exchanges match a filter.
    ///
    /// - Parameters:
    ///   - filter: The condition; `nil` for all exchanges.
    ///   - progress: Observes the query, and may cancel it.
    /// - Returns: The number.
    /// - Throws: `StoreError` if the store cannot be read; `QueryCancelled`.
    package func count(
        _ filter: Filter? = nil,
        progress: QueryProgress? = nil
    ) throws -> Int {
        switch content {
        case .database(let store): try store.count(filter, progress)
        case .recording(let store): try store.count(filter, progress)
        }
    }

    /// Counts and measures exchanges in groups.
    ///
    /// - Parameters:
    ///   - query: The filter and the groups.
    ///   - progress: Observes the query; if it is cancelled, the result has what was read so far.
    /// - Returns: The rows and the total.
    /// - Throws: `StoreError` if the store cannot be read.
    package func stats(
        _ query: StatsQuery,
        progress: QueryProgress? = nil
    ) throws -> StatsResult {
        try statsTable(query, progress).result
    }

    /// Returns the key of an exchange.
    ///
    /// - Parameter id: The id of the exchange.
    /// - Returns: The key; `nil` if no exchange has the id.
    /// - Throws: `StoreError` if the store cannot be read.
    package func key(of id: ExchangeID) throws -> StoreKey? {
        switch content {
        case .database(let store): try store.key(of: id)
        case .recording(let store): try store.key(of: id)
        }
    }

    /// Returns exchanges whose ids begin with a prefix.
    ///
    /// - Parameters:
    ///   - prefix: The prefix.
    ///   - limit: The maximum number of exchanges.
    /// - Returns: The whole exchanges, each id once.
    /// - Throws: `StoreError` if the store cannot be read.
    package func exchanges(with prefix: IDPrefix, limit: Int) throws -> [StoredExchange] {
        switch content {
        case .database(let store): try store.exchanges(with: prefix, limit: limit)
        case .recording(let store): try store.exchanges(with: prefix, limit: limit)
        }
    }

    /// Returns the saved filters of a database, by name; those of a recording are none.
    ///
    /// - Returns: The filters.
    /// - Throws: `StoreError` if the store cannot be read.
    package func savedFilters() throws -> [SavedFilter] {
        switch content {
        case .database(let store): try store.savedFilters()
        case .recording: []
        }
    }

    // MARK: For sets of stores

    func statsTable(_ query: StatsQuery, _ progress: QueryProgress?) throws -> StatsTable {
        switch content {
        case .database(let store):
            return try store.stats(query, progress)
        case .recording(let store):
            var table = StatsTable(query)
            var all = StoreQuery(query.filter, order: .oldestFirst, parts: [])
            all.progress = progress
            do {
                try store.scan(all) { _, exchange in table.add(exchange) }
            } catch is QueryCancelled {}
            return table
        }
    }

    func scan(_ query: StoreQuery, _ body: (StoreKey, Exchange) throws -> Void) throws {
        switch content {
        case .database(let store): try store.scan(query, body)
        case .recording(let store): try store.scan(query, body)
        }
    }

    /// Whether `exchange(at:_:)` can read an exchange again.
    var hasRows: Bool {
        if case .database = content { true } else { false }
    }

    /// Reads one exchange of a database again; `nil` if it was removed in the meantime.
    package func exchange(at key: StoreKey, _ parts: StoreParts) throws -> Exchange? {
        guard case .database(let store) = content else { return nil }
        return try store.exchange(at: key, RowColumns(parts))
    }

    /// The status of a file; `nil` for standard input.
    private static func status(of path: String) throws(StoreError) -> FileStatus? {
        guard path != "-" else { return nil }
        let status: FileStatus?
        do throws(FileError) {
            status = try FileSystem.status(of: path)
        } catch {
            throw StoreError(.system, error.description)
        }
        guard let status else { throw StoreError(.missing, "there is no file '\(path)'") }
        return status
    }
}
