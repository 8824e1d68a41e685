// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL

/// How a database finds the results of a sorted query.
///
/// A version is what `PRAGMA data_version` was before anything was read: keys are kept for the next
/// pages only as long as the database is as it was then.
enum SortStrategy {
    /// An index finds the few rows of the filter, which are sorted in memory.
    case filterIndex([IndexScan.Row], version: Int64)
    /// An index has the rows in the order of the values.
    case sortedIndex(SortedIndex)
    /// Every row is read, or those that the full-text index finds, and the first ones in order are
    /// kept.
    case pass([RowRange], version: Int64)
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
        let rows = try compiled(query, wanted: RowColumns(usedBy: [sort.field.field]))
        guard !rows.condition.isNever else { return }
        var state = SortedQuery(query, sort, rows)
        if try !passKept(&state, body) { return }
        switch try strategy(of: state) {
        case .filterIndex(let found, let version): try sortFew(found, version, &state, body)
        case .sortedIndex(let index):
            if try follow(index, &state, body) {
                try pass([.all], try reader.currentDataVersion(), &state, body)
            }
        case .pass(let ranges, let version): try pass(ranges, version, &state, body)
        }
    }

    /// Chooses how the results are found.
    func strategy(of query: SortedQuery) throws -> SortStrategy {
        let version = try reader.currentDataVersion()
        if let ranges = try textRanges(query.rows, progress: query.progress) {
            return .pass(ranges, version: version)
        }
        if query.filter != nil, try IndexScan.isUseful(reader, for: query.rows) {
            let found = try IndexScan(reader, query.rows, in: .all).rows()
            if found.count <= Self.fewRows { return .filterIndex(found, version: version) }
        }
        // Exchanges without a value are in no index.
        if query.after == nil || query.after?.value?.value != nil,
            let index = try reader.naming({ try SortedIndex(query.sort, reader) })
        {
            return .sortedIndex(index)
        }
        return .pass([.all], version: version)
    }

    // MARK: Strategies

    /// Sorts the few rows that an index of the filter has found.
    func sortFew(
        _ found: [IndexScan.Row],
        _ version: Int64,
        _ query: inout SortedQuery,
        _ body: (StoreKey, Exchange) throws -> Void
    ) throws {
        var selection = query.selection(limit: max(query.left, SortedKeys.limit))
        let rows = RowReader(reader, query.rows)
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
        try pass(on: &selection, version, &query, body)
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
        let rows = RowReader(reader, query.rows)
        var followed = 0
        while query.left > 0, query.filter == nil || followed < Self.indexRows {
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

    /// Reads the rows of ranges, on several threads, and keeps the first matches in order.
    private func pass(
        _ ranges: [RowRange],
        _ version: Int64,
        _ query: inout SortedQuery,
        _ body: (StoreKey, Exchange) throws -> Void
    ) throws {
        while query.left > 0 {
            var selection = query.selection(limit: max(query.left, SortedKeys.limit))
            let end = try select(ranges, query, into: &selection)
            try pass(on: &selection, end == nil ? version : nil, &query, body)
            if let end { throw end }
            if !selection.isCut { return }
        }
    }

    /// Selects the matches of ranges.
    ///
    /// - Returns: The error if the query was cancelled; `nil` otherwise.
    private func select(
        _ ranges: [RowRange],
        _ query: SortedQuery,
        into selection: inout Selection
    ) throws -> QueryCancelled? {
        let limit = selection.limit
        // Ranges that are read later leave out what cannot be selected any more.
        let bound = SharedBound()
        do {
            try scan(ranges, query.rows, progress: query.progress) { reader in
                let rows = RowReader(reader, query.rows)
                return RangeScan.Work { range in
                    var part = query.selection(limit: limit, bound: bound.key)
                    try rows.read(range) { key, exchange in
                        query.add((key, exchange), to: &part)
                        return true
                    }
                    return part
                }
            } _: { (part: Selection) in
                selection.add(part)
                bound.key = selection.bound
                return true
            }
        } catch let error as QueryCancelled {
            return error
        }
        return nil
    }

    // MARK: Results

    /// Passes on the results whose keys an earlier page has left.
    ///
    /// - Returns: Whether results are missing.
    private func passKept(
        _ query: inout SortedQuery,
        _ body: (StoreKey, Exchange) throws -> Void
    ) throws -> Bool {
        guard let kept = sortedKeys,
            let keys = kept.keys(for: query, version: try reader.currentDataVersion())
        else { return true }
        try pass(on: keys, &query, body)
        return query.left > 0 && !kept.isWhole
    }

    /// Passes on the selected rows that are wanted, and keeps the keys of the others for the next
    /// pages.
    ///
    /// - Parameters:
    ///   - selection: The rows.
    ///   - version: What `PRAGMA data_version` was before; `nil` if not every row was read.
    ///   - query: The query.
    ///   - body: Receives the results.
    /// - Throws: `StoreError` if the database cannot be read, or the error of the closure.
    private func pass(
        on selection: inout Selection,
        _ version: Int64?,
        _ query: inout SortedQuery,
        _ body: (StoreKey, Exchange) throws -> Void
    ) throws {
        let keys = selection.finish().map(\.key)
        if let version, query.left < SortedKeys.limit {
            let isWhole = !selection.isCut && keys.count < selection.limit
            sortedKeys = SortedKeys(keys, after: query, version: version, isWhole: isWhole)
        }
        try pass(on: keys[...], &query, body)
    }

    /// Reads rows by their keys, and passes them on.
    private func pass(
        on keys: ArraySlice<StoreKey>,
        _ query: inout SortedQuery,
        _ body: (StoreKey, Exchange) throws -> Void
    ) throws {
        for start in stride(from: keys.startIndex, to: keys.endIndex, by: SortedIndex.pageRows) {
            try reader.snapshot {
                for key in keys[start..<min(start + SortedIndex.pageRows, keys.endIndex)] {
                    guard query.left > 0 else { return }
                    query.after = key
                    guard let value = key.value else { continue }
                    try pass(on: key.number, value, &query, body)
                }
            }
            if query.left == 0 { return }
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
