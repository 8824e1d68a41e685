// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL

/// How a database finds the results of a sorted query.
enum SortStrategy {
    /// An index finds the few rows of the filter, which are sorted in memory.
    case filterIndex([IndexScan.Row])
    /// An index has the rows in the order of the values.
    case sortedIndex(SortedIndex)
    /// Every row is read, and the first ones in order are kept.
    case pass
}

extension DatabaseStore {
    /// How many rows of a filter are sorted in memory without reading the others.
    private static let fewRows = 20_000
    /// How many rows an index that sorts is followed without finding enough matches.
    private static let indexRows = 50_000

    /// Calls a closure with each exchange that a sorted query selects.
    func scan(
        _ query: StoreQuery,
        by sort: StoreSort,
        _ body: (StoreKey, Exchange) throws -> Void
    ) throws {
        defer { report(reader.problems.take()) }
        let rows = RowQuery(
            query,
            schema: reader.schema,
            wanted: RowColumns(usedBy: [sort.field.field])
        )
        guard !rows.condition.isNever else { return }
        var state = SortedQuery(query, sort, rows)
        switch try strategy(of: state) {
        case .filterIndex(let found): try sortFew(found, &state, body)
        case .sortedIndex(let index):
            if try follow(index, &state, body) { try pass(&state, body) }
        case .pass: try pass(&state, body)
        }
    }

    /// Chooses how the results are found.
    func strategy(of query: SortedQuery) throws -> SortStrategy {
        if query.hasFilter, try IndexScan.isUseful(reader, for: query.rows) {
            let found = try IndexScan(reader, query.rows, in: .all).rows()
            if found.count <= Self.fewRows { return .filterIndex(found) }
        }
        // Exchanges without a value are in no index.
        if query.after == nil || query.after?.value?.value != nil,
            let index = try reader.naming({ try SortedIndex(query.sort, reader) })
        {
            return .sortedIndex(index)
        }
        return .pass
    }

    // MARK: Strategies

    /// Sorts the few rows that an index of the filter has found.
    private func sortFew(
        _ found: [IndexScan.Row],
        _ query: inout SortedQuery,
        _ body: (StoreKey, Exchange) throws -> Void
    ) throws {
        var selection = query.selection
        let rows = try reader.naming { try RowReader(reader, query.rows) }
        for start in stride(from: 0, to: found.count, by: SortedIndex.pageRows) {
            try query.progress?.check()
            try reader.snapshot {
                for row in found[start..<min(start + SortedIndex.pageRows, found.count)] {
                    guard let match = try rows.match(row.number, isCertain: row.isCertain) else {
                        continue
                    }
                    query.add(match, to: &selection)
                }
            }
        }
        try pass(on: &selection, &query, body)
    }

    /// Reads rows in the order of an index.
    ///
    /// - Returns: Whether results are missing: those without a value, or, if few rows match, those
    ///   that a pass over all rows finds sooner.
    private func follow(
        _ index: SortedIndex,
        _ query: inout SortedQuery,
        _ body: (StoreKey, Exchange) throws -> Void
    ) throws -> Bool {
        let rows = try reader.naming { try RowReader(reader, query.rows) }
        var followed = 0
        while query.left > 0, !query.hasFilter || followed < Self.indexRows {
            try query.progress?.check()
            let count = try reader.snapshot { () throws -> Int in
                guard let page = try index.rows(after: query.after) else { return 0 }
                for row in page where query.left > 0 {
                    query.after = StoreKey(number: row.number, value: row.value)
                    guard let range = RowRange(row.number) else { continue }
                    var isMatch = false
                    try rows.read(range) { _, _ in
                        isMatch = true
                        return false
                    }
                    if isMatch { try pass(on: row.number, row.value, &query, body) }
                }
                return page.count
            }
            if count == 0 { break }
            followed += count
        }
        return query.left > 0
    }

    /// Reads every row, on several threads, and keeps the first matches in order.
    private func pass(
        _ query: inout SortedQuery,
        _ body: (StoreKey, Exchange) throws -> Void
    ) throws {
        while query.left > 0 {
            var selection = query.selection
            var end: QueryCancelled?
            do {
                try scan(.all, query.rows, progress: query.progress) { [query] reader in
                    let rows = try RowReader(reader, query.rows)
                    return RangeScan.Work { range in
                        var selection = query.selection
                        try rows.read(range) { key, exchange in
                            query.add((key, exchange), to: &selection)
                            return true
                        }
                        return selection.finish()
                    }
                } _: { (items: [Selection.Item]) in
                    for item in items { selection.add(item) }
                    return true
                }
            } catch let error as QueryCancelled {
                end = error
            }
            try pass(on: &selection, &query, body)
            if let end { throw end }
            if !selection.isCut { return }
        }
    }

    // MARK: Results

    /// Reads the selected rows, and passes them on.
    private func pass(
        on selection: inout Selection,
        _ query: inout SortedQuery,
        _ body: (StoreKey, Exchange) throws -> Void
    ) throws {
        let items = selection.finish()
        for start in stride(from: 0, to: items.count, by: SortedIndex.pageRows) {
            try reader.snapshot {
                for item in items[start..<min(start + SortedIndex.pageRows, items.count)] {
                    query.after = item.key
                    guard let value = item.key.value else { continue }
                    try pass(on: item.key.number, value, &query, body)
                }
            }
        }
    }

    /// Reads one row, and passes it on unless it was removed.
    private func pass(
        on number: Int64,
        _ value: SortValue,
        _ query: inout SortedQuery,
        _ body: (StoreKey, Exchange) throws -> Void
    ) throws {
        let row = try reader.rowStatement(query.columns)
        guard var found = try reader.exchange(number, row) else { return }
        found.key.value = value
        try body(found.key, found.exchange)
        query.left -= 1
    }
}

/// A sorted query of a database, and how far it has got.
struct SortedQuery: Sendable {
    let sort: StoreSort
    /// Reads what the value needs of each match.
    let rows: RowQuery
    /// The columns of results.
    let columns: RowColumns
    let hasFilter: Bool
    let progress: QueryProgress?
    /// How many results are still wanted.
    var left: Int
    /// The key of the last row that was passed on or examined.
    var after: StoreKey?

    init(_ query: StoreQuery, _ sort: StoreSort, _ rows: RowQuery) {
        self.sort = sort
        self.rows = rows
        columns = RowColumns(query.parts)
        hasFilter = query.filter != nil
        progress = query.progress
        left = query.limit ?? .max
        after = query.after
    }

    /// An empty selection of the rows that are still wanted.
    var selection: Selection {
        Selection(limit: left) { [sort] in sort.places($0, before: $1) }
    }

    /// Adds a match, unless it comes before the rows that are still wanted.
    func add(_ match: (key: StoreKey, exchange: Exchange), to selection: inout Selection) {
        var key = match.key
        key.value = SortValue(match.exchange, of: sort.field)
        if let after, !sort.places(after, before: key) { return }
        if selection.accepts(key) { selection.add(Selection.Item(key, store: 0)) }
    }
}
