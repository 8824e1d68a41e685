// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL

/// The rows that have a value in a column, in its order, as an index has them.
///
/// **Isolation**: the thread of its reader.
struct SortedIndex {
    /// How many rows one transaction reads.
    static let pageRows = 1024

    private let column: IndexedColumn
    private let isDescending: Bool
    private let reader: DatabaseReader
    /// The name of the index, as EXPLAIN QUERY PLAN shows it.
    let name: String

    /// Which rows a statement reads.
    private enum Part: CaseIterable {
        case all
        /// Those with the value ?2, after the number ?3.
        case sameValue
        /// Those after the value ?2.
        case otherValues
    }

    /// Finds the index; `nil` if SQLite would sort by itself.
    init?(_ sort: StoreSort, _ reader: DatabaseReader) throws {
        guard let column = IndexedColumn(sort.field.field) else { return nil }
        self.column = column
        self.reader = reader
        isDescending = sort.isDescending
        var names: Set<Substring> = []
        for part in Part.allCases {
            let sql = Self.select(column, isDescending: sort.isDescending, part)
            let steps = try reader.plan(of: sql)
            guard steps.count == 1, let step = steps.first,
                let name = step.split(separator: "INDEX ").last?.prefix(while: { $0 != " " }),
                step.contains(" INDEX ")
            else { return nil }
            names.insert(name)
        }
        guard names.count == 1, let name = names.first else { return nil }
        self.name = String(name)
    }

    /// The statement that reads the rows after a value.
    var select: String { Self.select(column, isDescending: isDescending, .otherValues) }

    private static func select(
        _ column: IndexedColumn,
        isDescending: Bool,
        _ part: Part
    ) -> String {
        let (order, sign) = isDescending ? ("DESC", "<") : ("ASC", ">")
        // SQLite searches an index with one of these conditions, but with only the value of
        // `(value, seq) < (?, ?)`: it would read all rows with the value first.
        let start =
            switch part {
            case .all: ""
            case .sameValue: " AND \(column.name) = ?2 AND e.seq \(sign) ?3"
            case .otherValues: " AND \(column.name) \(sign) ?2"
            }
        return """
            SELECT e.seq, \(column.name) FROM exchanges e WHERE \(column.presence)\(start)
              ORDER BY \(column.name) \(order), e.seq \(order) LIMIT ?1
            """
    }

    /// Reads the next rows after a key with a value; in a transaction.
    ///
    /// - Returns: The numbers and values, at most `pageRows`; `nil` if the column cannot have the
    ///   value of the key.
    func rows(after key: StoreKey?) throws -> [(number: Int64, value: SortValue)]? {
        var rows: [(number: Int64, value: SortValue)] = []
        for part: Part in key == nil ? [.all] : [.sameValue, .otherValues] {
            guard try read(part, after: key, into: &rows) else { return nil }
        }
        return rows
    }

    /// Appends the rows of a part up to `pageRows` in all; `false` if the column cannot have the
    /// value of the key.
    private func read(
        _ part: Part,
        after key: StoreKey?,
        into rows: inout [(number: Int64, value: SortValue)]
    ) throws -> Bool {
        let sql = Self.select(column, isDescending: isDescending, part)
        let query = try reader.connection.cached(sql)
        defer { query.reset() }
        try query.bind(1, integer: Int64(Self.pageRows - rows.count))
        if let key {
            guard let value = key.value?.value, try column.bind(value, to: query, 2) else {
                return false
            }
            if part == .sameValue { try query.bind(3, integer: key.number) }
        }
        while try query.step() {
            let value = SortValue(indexed: column.value(query, 1))
            rows.append((number: query.integer(0), value: value))
        }
        return true
    }
}

extension StoreKey {
    /// The place of a row whose id and start are not needed.
    init(number: Int64, value: SortValue) {
        self.init(
            number: number,
            started: Timestamp(microseconds: 0),
            id: ExchangeID(high: 0, low: 0),
            value: value
        )
    }
}
