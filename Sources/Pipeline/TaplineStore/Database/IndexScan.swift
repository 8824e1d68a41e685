// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL

/// The rows that an index finds, in the order of a query.
///
/// **Limits**: 16 bytes of memory for each row.
struct IndexScan {
    /// A row for which the SQL of a condition holds.
    struct Row {
        let number: Int64
        /// Whether it surely matches.
        let isCertain: Bool
    }

    /// How many rows one transaction reads.
    private static let pageRows = 1024

    private let reader: DatabaseReader
    private let query: RowQuery
    private let range: RowRange
    private let progress: QueryProgress?

    init(
        _ reader: DatabaseReader,
        _ query: RowQuery,
        in range: RowRange,
        _ progress: QueryProgress? = nil
    ) {
        self.reader = reader
        self.query = query
        self.range = range
        self.progress = progress
    }

    /// Returns whether SQLite uses an index to find the rows of a query.
    static func isUseful(_ reader: DatabaseReader, for query: RowQuery) throws -> Bool {
        try reader.naming {
            var usesIndex = false
            for step in try plan(reader, query) {
                if step.hasPrefix("SCAN e") { return false }
                // The numbers of rows come from another table, such as that of notes.
                if step.hasPrefix("SEARCH e USING"),
                    !step.contains("INTEGER PRIMARY KEY") || step.contains("(rowid=?)")
                {
                    usesIndex = true
                }
            }
            return usesIndex
        }
    }

    /// The steps by which SQLite finds the rows of a query.
    static func plan(_ reader: DatabaseReader, _ query: RowQuery) throws -> [String] {
        try reader.plan(
            of: "SELECT e.seq FROM exchanges e WHERE \(query.condition.sql)",
            for: query.condition
        )
    }

    /// Calls a closure with each exchange that matches, until it returns `false`.
    func read(_ body: (StoreKey, Exchange) throws -> Bool) throws {
        let rows = try rows()
        let rowReader = RowReader(reader, query)
        for start in stride(from: 0, to: rows.count, by: Self.pageRows) {
            try progress?.check()
            progress?.reach(Double(start) / Double(rows.count))
            let isOver = try reader.snapshot {
                for row in rows[start..<min(start + Self.pageRows, rows.count)] {
                    guard
                        let match = try rowReader.match(row.number, isCertain: row.isCertain)
                    else { continue }
                    if try !body(match.key, match.exchange) { return true }
                }
                return false
            }
            if isOver { return }
        }
    }

    /// Calls a closure with the numbers of matches, in batches.
    func forEachNumber(_ body: ([Int64]) throws -> Void) throws {
        guard query.reading != .wanted else { return try body(try rows().map(\.number)) }
        let rows = try rows()
        let rowReader = RowReader(reader, query)
        for start in stride(from: 0, to: rows.count, by: Self.pageRows) {
            try progress?.check()
            progress?.reach(Double(start) / Double(rows.count))
            let numbers = try reader.snapshot {
                try rows[start..<min(start + Self.pageRows, rows.count)].compactMap { row in
                    let isMatch =
                        try row.isCertain || rowReader.match(row.number, isCertain: false) != nil
                    return isMatch ? row.number : nil
                }
            }
            try body(numbers)
        }
    }

    /// Returns how many exchanges match.
    func count() throws -> Int {
        if query.reading == .wanted {
            guard let range = query.countable(range) else { return try countEach() }
            return try reader.snapshot {
                let condition = query.condition
                let statement = try reader.connection.prepare(
                    """
                    SELECT count(*) FROM exchanges e
                      WHERE (\(condition.sql)) AND \(RowRange.filter(after: condition.values.count))
                    """
                )
                try condition.bind(to: statement)
                try range.bind(to: statement, after: condition.values.count)
                return try statement.step() ? Int(clamping: statement.integer(0)) : 0
            }
        }
        var count = 0
        try read { _, _ in
            count += 1
            return true
        }
        return count
    }

    /// Counts the rows of which some are copies.
    private func countEach() throws -> Int {
        var count = 0
        try forEachRow { _ in count += 1 }
        return count
    }

    /// Calls a closure with each row for which the SQL of the condition holds, in any order.
    private func forEachRow(_ body: (Row) -> Void) throws {
        let condition = query.condition
        try reader.snapshot {
            let statement = try reader.connection.prepare(
                """
                SELECT e.seq, \(condition.certainty) FROM exchanges e
                  WHERE (\(condition.sql)) AND \(RowRange.filter(after: condition.values.count))
                """
            )
            try condition.bind(to: statement)
            try range.bind(to: statement, after: condition.values.count)
            while try statement.step() {
                let number = statement.integer(0)
                guard query.counts(number) else { continue }
                body(Row(number: number, isCertain: statement.integer(1) == 1))
            }
        }
    }

    /// Returns the rows for which the SQL of the condition holds.
    func rows() throws -> [Row] {
        var rows: [Row] = []
        try forEachRow { rows.append($0) }
        if query.isForward {
            rows.sort { $0.number < $1.number }
        } else {
            rows.sort { $0.number > $1.number }
        }
        return rows
    }
}
