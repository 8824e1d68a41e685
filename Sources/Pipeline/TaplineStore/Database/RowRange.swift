// SPDX-License-Identifier: MIT

internal import TaplineSQL

/// Rows of `exchanges`, by their numbers: those above `lower` and below `upper`.
struct RowRange: Sendable {
    /// The number before the first row, exclusive.
    var lower: Int64
    /// The number after the last row, exclusive.
    var upper: Int64

    static let all = RowRange(lower: .min, upper: .max)

    /// Binds both bounds.
    func bind(to query: SQLiteStatement, after count: Int) throws(SQLiteError) {
        try query.bind(Int32(count + 1), integer: lower)
        try query.bind(Int32(count + 2), integer: upper)
    }

    /// As `condition`, but SQLite does not search by it (https://sqlite.org/optoverview.html
    /// section 4).
    static func filter(after count: Int) -> String {
        "+e.seq > ?\(count + 1) AND +e.seq < ?\(count + 2)"
    }

    /// The condition of a row, with two parameters after those of the filter.
    static func condition(after count: Int) -> String {
        "e.seq > ?\(count + 1) AND e.seq < ?\(count + 2)"
    }
}

/// Divides the rows of a database into ranges, in the order of a query.
///
/// The first ranges are small, so that the first results come early.
struct RowRanges: Sendable {
    /// How many row numbers the first range has.
    static let firstSize: Int64 = 512

    private let isForward: Bool
    private(set) var rest: RowRange
    private var size = RowRanges.firstSize
    private let maxSize: Int64

    /// Divides rows.
    ///
    /// - Parameters:
    ///   - rest: The rows.
    ///   - isForward: Whether the first rows come first.
    ///   - maxSize: How many row numbers the largest range has.
    init(_ rest: RowRange, isForward: Bool, maxSize: Int64) {
        self.rest = rest
        self.maxSize = maxSize
        self.isForward = isForward
    }

    /// Returns the next range that has rows; `nil` at the end.
    ///
    /// Numbers without rows are skipped, so that gaps cost nothing however wide they are.
    mutating func next(_ connection: SQLiteConnection) throws(SQLiteError) -> RowRange? {
        let query = try connection.cached(
            isForward
                ? "SELECT min(seq) FROM exchanges WHERE seq > ?1 AND seq < ?2"
                : "SELECT max(seq) FROM exchanges WHERE seq > ?1 AND seq < ?2"
        )
        defer { query.reset() }
        try rest.bind(to: query, after: 0)
        guard try query.step(), !query.isNull(0) else { return nil }
        let number = query.integer(0)
        var range = rest
        if isForward {
            let (end, isOver) = number.addingReportingOverflow(size)
            range = RowRange(lower: number - 1, upper: isOver ? rest.upper : min(end, rest.upper))
            rest.lower = range.upper - 1
        } else {
            let (end, isOver) = number.subtractingReportingOverflow(size)
            range = RowRange(lower: isOver ? rest.lower : max(end, rest.lower), upper: number + 1)
            rest.upper = range.lower + 1
        }
        size = min(size * 2, maxSize)
        return range
    }
}
