// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineQuery
internal import TaplineSQL

/// One or more stores that are queried as one.
///
/// The order of a single store is that of writing. Exchanges of several stores are ordered by start
/// time, then by id; for that, each store is read completely.
///
/// With `ExchangeCopies`, an exchange that several databases have counts once, as the first of them
/// has it; so do the records of recordings if that is asked for, too. Otherwise there is one result
/// for each copy.
/// Copies have one place in the order, next to each other, unless they differ in what is sorted by.
/// An id as a key stands for the last of its places, so that a query continues after all copies; see
/// `StoreQuery.endsBetweenIDs`.
///
/// **Limits**: 64 MiB for the results that wait to be put in order; if more match, the stores are
/// read again.
/// **Isolation**: one thread at a time.
package final class StoreSet {
    let stores: [Store]
    let databases: [DatabaseStore]
    /// Finds the rows that do not count; `nil` if each copy counts.
    let copies: ExchangeCopies?
    /// Finds the records that do not count; `nil` if each one counts.
    let recordedIDs: RecordedIDs?
    /// The rows of each database that count, and what `PRAGMA data_version` was before that.
    var compared: (versions: [Int64], rows: [CountedRows]) = ([], [])

    /// Prepares a program, not an app, to read databases on several threads; called first.
    package static func prepareProgram() { SQLiteLibrary.disableMemoryStatistics() }

    /// Opens the stores that names of the command line stand for.
    ///
    /// - Parameters:
    ///   - names: Files, folders, patterns, and `-` for standard input.
    ///   - copies: Makes an exchange that several databases have count once; `nil` for each copy.
    ///   - comparesRecordings: Whether that includes records of recordings.
    ///   - warn: Receives a message for each part of a store that cannot be read.
    /// - Throws: `StoreError` if a name stands for no file, or a file cannot be a store.
    package init(
        _ names: [String],
        countingOnce copies: ExchangeCopies? = nil,
        comparesRecordings: Bool = false,
        warn: @escaping (String) -> Void = { _ in }
    ) throws(StoreError) {
        var paths: [String] = []
        for name in names {
            let found = try StoreFiles.resolve(name)
            if found.isEmpty, !StoreFiles.isEmptyQueue(name) { throw Self.missing(name) }
            paths += found
        }
        guard paths.filter({ $0 == "-" }).count < 2 else {
            throw StoreError(
                .notRepeatable,
                "'-' is given twice; standard input can be read only once"
            )
        }
        var stores: [Store] = []
        for path in paths { stores.append(try Store(path, warn: warn)) }
        self.stores = stores
        databases = Self.databases(of: stores)
        self.copies = copies
        let isCompared = copies != nil && comparesRecordings
        recordedIDs = isCompared ? RecordedIDs(databases, Self.recordings(of: stores)) : nil
    }

    /// Makes a set of one store.
    package init(_ store: Store) {
        stores = [store]
        databases = Self.databases(of: [store])
        copies = nil
        recordedIDs = nil
    }

    private static func recordings(of stores: [Store]) -> [RecordingStore] {
        stores.compactMap { store in
            if case .recording(let recording) = store.content { recording } else { nil }
        }
    }

    private static func databases(of stores: [Store]) -> [DatabaseStore] {
        stores.compactMap { store in
            if case .database(let database) = store.content { database } else { nil }
        }
    }

    private static func missing(_ name: String) -> StoreError {
        if StoreFiles.isPattern(name) { return StoreError(.missing, "no file matches '\(name)'") }
        return StoreError(.missing, "there is no store '\(name)'")
    }

    /// How many exchanges, or bodies of exchanges, could not be read so far.
    package var problems: Int { stores.reduce(0) { $0 + $1.problems } }

    /// Returns how many exchanges match a filter.
    ///
    /// - Parameters:
    ///   - filter: The condition; `nil` for all exchanges.
    ///   - progress: Observes the query, and may cancel it.
    /// - Returns: The number in all stores.
    /// - Throws: `StoreError` if a store cannot be read; `QueryCancelled`.
    package func count(
        _ filter: Filter? = nil,
        progress: QueryProgress? = nil
    ) throws -> Int {
        try findCopies(progress)
        try recordedIDs?.beginQuestion()
        var sum = 0
        for (number, store) in stores.enumerated() {
            progress?.begin(number, of: stores.count)
            sum += try store.count(filter, progress: progress)
        }
        return sum
    }

    /// Counts and measures the exchanges of all stores in groups.
    ///
    /// - Parameters:
    ///   - query: The filter and the groups.
    ///   - progress: Observes the query; if it is cancelled, the result has what was read so far.
    /// - Returns: The rows and the total.
    /// - Throws: `StoreError` if a store cannot be read.
    package func stats(
        _ query: StatsQuery,
        progress: QueryProgress? = nil
    ) throws -> StatsResult {
        var query = query
        // Their numbers are those of one database.
        if stores.count > 1 { query.candidates = nil }
        var table = StatsTable(query)
        do {
            try findCopies(progress)
        } catch is QueryCancelled {
            return table.result
        }
        try recordedIDs?.beginQuestion()
        for (number, store) in stores.enumerated() where progress?.isCancelled != true {
            progress?.begin(number, of: stores.count)
            table.merge(try store.statsTable(query, progress))
        }
        return table.result
    }

    /// Returns the key of an exchange, searching the stores in order.
    ///
    /// - Parameter id: The id of the exchange.
    /// - Returns: The key.
    /// - Throws: `StoreError` if no exchange has the id, or a store cannot be read.
    package func key(of id: ExchangeID) throws -> StoreKey {
        for store in stores { if let key = try store.key(of: id) { return key } }
        throw StoreError(.unknownID, "no exchange has the id \(id)")
    }

    /// Returns the saved filters of all databases, in the order of the stores.
    ///
    /// - Returns: The filters; a name may be used by several stores.
    /// - Throws: `StoreError` if a store cannot be read.
    package func savedFilters() throws -> [SavedFilter] {
        var filters: [SavedFilter] = []
        for store in stores { filters += try store.savedFilters() }
        return filters
    }

    /// Returns the only exchange whose id begins with a prefix.
    ///
    /// Exchanges with the same id in several stores count as one; the first store is used.
    ///
    /// - Parameter prefix: The prefix.
    /// - Returns: The whole exchange.
    /// - Throws: `StoreError` if no id or more than one begins with the prefix, or a store cannot be
    ///   read.
    package func exchange(with prefix: IDPrefix) throws -> StoredExchange {
        var found: [StoredExchange] = []
        for store in stores {
            for exchange in try store.exchanges(with: prefix, limit: Self.shownIDs + 1)
            where !found.contains(where: { $0.key.id == exchange.key.id }) {
                found.append(exchange)
            }
            if prefix.isWhole, !found.isEmpty { break }
        }
        guard let first = found.first else {
            throw StoreError(
                .unknownID,
                prefix.isWhole
                    ? "no exchange has the id \(prefix.first)" : "no id begins like this"
            )
        }
        guard found.count == 1 else {
            let ids = found.prefix(Self.shownIDs).map(\.key.id.description)
            let more = found.count > Self.shownIDs ? " and more" : ""
            throw StoreError(
                .ambiguousID,
                "several ids begin like this: \(ids.joined(separator: ", "))\(more)"
            )
        }
        return first
    }

    /// How many ids a message about an ambiguous prefix lists.
    private static let shownIDs = 4

    /// Calls a closure with each exchange that a query selects, in the order of the query.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - body: Receives the exchanges; if it throws, the query ends with its error.
    /// - Throws: `StoreError` if a store cannot be read, or the error of the closure.
    package func forEach(
        _ query: StoreQuery,
        _ body: (StoredExchange) throws -> Void
    ) throws {
        try forEach(query, budget: Selection.budget, body)
    }

    /// The same with another memory limit for the results that wait to be put in order.
    func forEach(
        _ query: StoreQuery,
        budget: Int,
        _ body: (StoredExchange) throws -> Void
    ) throws {
        if stores.count == 1 { return try stores[0].forEach(query, body) }
        var left = query.limit ?? .max
        guard left > 0 else { return }
        try findCopies(query.progress)
        try recordedIDs?.beginQuestion()
        let after = try query.after.map { try complete($0, for: query) }
        var past = PassedResults()
        var last: Selection.Item?
        while true {
            let (more, overflow) = left.addingReportingOverflow(
                query.endsBetweenIDs ? stores.count : 0
            )
            let wanted = overflow ? Int.max : more
            var selection = Selection(limit: wanted, budget: budget) {
                query.places($0, before: $1)
            }
            let end = try select(query, after: after, past, into: &selection)
            let items = selection.finish()
            past.add(items, of: query)
            for item in items {
                if left == 0, let last, try canEnd(query, between: last, and: item) { return }
                last = item
                let exchange =
                    try item.exchange ?? stores[item.store].exchange(at: item.key, query.parts)
                guard let exchange else { continue }
                try body(StoredExchange(key: item.key, exchange: exchange))
                if left > 0 { left -= 1 }
            }
            if let end { throw end }
            let isAll = !selection.isCut && items.count < wanted
            if isAll || left == 0 && !query.endsBetweenIDs { return }
        }
    }

    /// Returns whether a page may end between two results that follow each other: whether a page
    /// after the id of the first one begins with the second one.
    private func canEnd(
        _ query: StoreQuery,
        between item: Selection.Item,
        and next: Selection.Item
    ) throws -> Bool {
        guard query.endsBetweenIDs else { return true }
        guard query.places(item.key, before: next.key) else { return false }
        // Only by the values of a field can copies have different places.
        guard query.sort != nil else { return true }
        // A copy may have been removed in the meantime.
        guard let last = try lastKey(of: item.key.id, for: query) else { return true }
        return !query.places(item.key, before: last)
    }

    /// Adds the value that a sorted query needs to a key, which stands for all copies then.
    private func complete(_ key: StoreKey, for query: StoreQuery) throws -> StoreKey {
        guard query.sort != nil, key.value == nil else { return key }
        guard let last = try lastKey(of: key.id, for: query) else {
            throw StoreError(.unknownID, "no exchange has the id \(key.id)")
        }
        return last
    }

    /// Returns the last place that a copy of an exchange has in the order; `nil` if there is none.
    private func lastKey(of id: ExchangeID, for query: StoreQuery) throws -> StoreKey? {
        var last: StoreKey?
        for store in stores {
            guard let key = try store.key(of: id, for: query), store.counts(key) else { continue }
            if let last, !query.places(last, before: key) { continue }
            last = key
        }
        return last
    }

    /// Selects the first matches after a key, and after earlier results, from all stores.
    ///
    /// - Returns: The error if the query was cancelled; `nil` otherwise.
    private func select(
        _ query: StoreQuery,
        after: StoreKey?,
        _ past: PassedResults,
        into selection: inout Selection
    ) throws -> QueryCancelled? {
        for (number, store) in stores.enumerated() {
            query.progress?.begin(number, of: stores.count)
            let parts = store.hasRows ? query.sortedParts : query.parts
            var all = StoreQuery(query.filter, order: .oldestFirst, parts: parts)
            all.progress = query.progress
            do {
                try store.scan(all) { key, exchange in
                    var key = key
                    key.value = query.sort.map { SortValue(exchange, of: $0.field) }
                    if let after, !query.places(after, before: key) { return }
                    guard selection.accepts(key), past.isFollowed(by: key, number, of: query)
                    else { return }
                    if store.hasRows {
                        selection.add(Selection.Item(key, store: number))
                    } else {
                        var kept = exchange
                        parts.reduce(&kept)
                        selection.add(Selection.Item(key, kept, store: number))
                    }
                }
            } catch let error as QueryCancelled {
                return error
            }
        }
        return nil
    }
}
