// SPDX-License-Identifier: MIT

/// Divides the rows of a table into ranges of row numbers, which several connections can read at the
/// same time.
///
/// Numbers without rows are skipped, and ranges adapt to how many rows the previous ones had.
package struct RowNumberRanges {
    /// How many rows a range should have.
    package static let targetRows: Int64 = 4096
    /// How many numbers the first range has.
    private static let firstWidth: Int64 = 256

    private let table: String
    private let column: String
    private var rest: ClosedRange<Int64>? = .min ... .max
    /// What was not read of earlier ranges.
    private var parts: [ClosedRange<Int64>] = []
    private var width = RowNumberRanges.firstWidth

    /// Divides the rows of a table.
    ///
    /// - Parameters:
    ///   - table: The name of the table as SQL.
    ///   - column: The number of the row as SQL, such as `rowid`.
    package init(table: String, column: String) {
        self.table = table
        self.column = column
    }

    /// Returns the next range that has rows, or the rest of an earlier one; `nil` if there is none.
    package mutating func next(
        _ connection: SQLiteConnection
    ) throws(SQLiteError) -> ClosedRange<Int64>? {
        if let part = parts.popLast() { return part }
        guard let all = rest else { return nil }
        let query = try connection.cached(
            "SELECT min(\(column)) FROM \(table) WHERE \(column) >= ?1"
        )
        defer { query.reset() }
        try query.bind(1, integer: all.lowerBound)
        guard try query.step(), !query.isNull(0) else {
            rest = nil
            return nil
        }
        let first = query.integer(0)
        let (end, isOver) = first.addingReportingOverflow(width - 1)
        let last = isOver ? .max : end
        rest = last < .max ? last + 1 ... .max : nil
        return first...last
    }

    /// Notes that a range was read.
    ///
    /// - Parameters:
    ///   - range: The range.
    ///   - rows: How many rows were read.
    ///   - rest: The numbers that were not read, if there were too many rows.
    package mutating func noteRead(
        _ range: ClosedRange<Int64>,
        rows: Int,
        leaving rest: ClosedRange<Int64>? = nil
    ) {
        if let rest { parts.append(rest) }
        // Other ranges of the former width may still be read.
        let (last, _) = range.lowerBound.addingReportingOverflow(width - 1)
        guard range.upperBound == last else { return }
        if rest != nil || rows > Self.targetRows {
            width = max(Self.firstWidth, width / 2)
        } else if rows < Self.targetRows / 2 {
            width = width > .max / 4 ? .max : width * 4
        }
    }
}
