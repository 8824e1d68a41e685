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

    /// Finds the index; `nil` if SQLite would sort by itself.
    init?(_ sort: StoreSort, _ reader: DatabaseReader) throws {
        guard let column = IndexedColumn(sort.field.field) else { return nil }
        self.column = column
        self.reader = reader
        isDescending = sort.isDescending
        let sql = Self.select(column, isDescending: sort.isDescending, isContinued: true)
        let steps = try reader.plan(of: sql)
        guard steps.count == 1, let step = steps.first,
            let name = step.split(separator: "INDEX ").last?.prefix(while: { $0 != " " }),
            step.contains(" INDEX ")
        else { return nil }
        self.name = String(name)
    }

    /// The statement that reads the rows after a value and a number.
    var select: String { Self.select(column, isDescending: isDescending, isContinued: true) }

    private static func select(
        _ column: IndexedColumn,
        isDescending: Bool,
        isContinued: Bool
    ) -> String {
        let (order, sign) = isDescending ? ("DESC", "<") : ("ASC", ">")
        // A comparison of both columns at once is a search of the index.
        let start = isContinued ? " AND (\(column.name), e.seq) \(sign) (?2, ?3)" : ""
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
        let sql = Self.select(column, isDescending: isDescending, isContinued: key != nil)
        let query = try reader.connection.cached(sql)
        defer { query.reset() }
        try query.bind(1, integer: Int64(Self.pageRows))
        if let key {
            guard let value = key.value?.value, try column.bind(value, to: query, 2) else {
                return nil
            }
            try query.bind(3, integer: key.number)
        }
        var rows: [(number: Int64, value: SortValue)] = []
        while try query.step() {
            let value = SortValue(indexed: column.value(query, 1))
            rows.append((number: query.integer(0), value: value))
        }
        return rows
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
