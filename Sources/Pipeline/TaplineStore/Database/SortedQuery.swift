// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplineQuery

/// A sorted query of a database, and its progress.
struct SortedQuery: Sendable {
    let sort: StoreSort
    /// Reads what the value needs of each match.
    let rows: RowQuery
    /// The columns of results.
    let columns: RowColumns
    let filter: Filter?
    let progress: QueryProgress?
    /// How many results are still wanted.
    var left: Int
    /// The key of the last row that was passed on or examined.
    var after: StoreKey?

    init(_ query: StoreQuery, _ sort: StoreSort, _ rows: RowQuery) {
        self.sort = sort
        self.rows = rows
        columns = RowColumns(query.parts)
        filter = query.filter
        progress = query.progress
        left = query.limit ?? .max
        after = query.after
    }

    /// An empty selection of rows in the order of the query.
    func selection(limit: Int, bound: StoreKey? = nil) -> Selection {
        Selection(limit: limit, bound: bound) { [sort] in sort.places($0, before: $1) }
    }

    /// Adds a match, unless it comes before the rows that are still wanted.
    func add(_ match: (key: StoreKey, exchange: Exchange), to selection: inout Selection) {
        var key = match.key
        key.value = SortValue(match.exchange, of: sort.field)
        if let after, !sort.places(after, before: key) { return }
        if selection.accepts(key) { selection.add(Selection.Item(key, store: 0)) }
    }
}

/// The first keys of a sorted query of a database, from which its next pages are read.
struct SortedKeys {
    /// How many keys are kept.
    static let limit = 20_000

    private let sort: StoreSort
    private let filter: Filter?
    /// The key after which they begin; `nil` for the first ones.
    private let start: StoreKey?
    private let keys: [StoreKey]
    /// What `PRAGMA data_version` was when they were read.
    private let version: Int64
    /// Whether there are no other matches after them.
    let isWhole: Bool

    /// Keeps keys that come after the last row of a query.
    init(_ keys: [StoreKey], after query: SortedQuery, version: Int64, isWhole: Bool) {
        sort = query.sort
        filter = query.filter
        start = query.after
        self.keys = keys
        self.version = version
        self.isWhole = isWhole
    }

    /// Returns the keys of the next results of a query; `nil` if it is another query, if it begins
    /// before them, or if the database has changed.
    func keys(for query: SortedQuery, version: Int64) -> ArraySlice<StoreKey>? {
        guard self.version == version, sort == query.sort, isSameFilter(query.filter) else {
            return nil
        }
        guard let after = query.after else { return start == nil ? keys[...] : nil }
        if let start, sort.places(after, before: start) { return nil }
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if sort.places(after, before: keys[middle]) { high = middle } else { low = middle + 1 }
        }
        return keys[low...]
    }

    private func isSameFilter(_ other: Filter?) -> Bool {
        guard let filter, let other else { return filter == nil && other == nil }
        return filter.isSame(as: other)
    }
}

/// The last key that a selection of several threads may still have.
final class SharedBound: Sendable {
    private let state = Mutex<StoreKey?>(nil)

    var key: StoreKey? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
