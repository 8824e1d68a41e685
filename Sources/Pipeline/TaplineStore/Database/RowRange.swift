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

extension RowRange {
    /// The range of one row; `nil` for the numbers that no range has.
    init?(_ number: Int64) {
        guard number > .min, number < .max else { return nil }
        self.init(lower: number - 1, upper: number + 1)
    }
}

/// The first and the last number of the rows of a range.
struct RowExtent: Sendable {
    let first: Int64
    let last: Int64

    /// Finds them; `nil` if there are no rows.
    init?(of range: RowRange, _ connection: SQLiteConnection) throws(SQLiteError) {
        // Two aggregates of one SELECT would read every row.
        let condition = RowRange.condition(after: 0)
        let query = try connection.cached(
            """
            SELECT (SELECT min(e.seq) FROM exchanges e WHERE \(condition)),
              (SELECT max(e.seq) FROM exchanges e WHERE \(condition))
            """
        )
        defer { query.reset() }
        try range.bind(to: query, after: 0)
        guard try query.step(), !query.isNull(0), !query.isNull(1) else { return nil }
        first = query.integer(0)
        last = query.integer(1)
    }

    /// The part, from 0 to 1, that is read when a range has been.
    func part(after range: RowRange, isForward: Bool) -> Double {
        let whole = Double(last) - Double(first) + 1
        let read =
            isForward ? Double(range.upper) - Double(first) : Double(last) - Double(range.lower)
        return min(max(read / whole, 0), 1)
    }
}

/// Divides rows of a database into ranges, in the order of a query.
///
/// The first ranges are small, so that the first results come early.
struct RowRanges: Sendable {
    /// How many row numbers the first range has.
    static let firstSize: Int64 = 512

    let isForward: Bool
    /// What is left, in reverse order of reading.
    private var parts: [RowRange]
    private var size: Int64
    private let maxSize: Int64

    /// Divides rows.
    ///
    /// - Parameters:
    ///   - parts: The rows, as ranges that ascend and do not overlap.
    ///   - isForward: Whether the first rows come first.
    ///   - firstSize: How many row numbers the first range has.
    ///   - maxSize: How many row numbers the largest range has.
    init(
        _ parts: [RowRange],
        isForward: Bool,
        firstSize: Int64 = RowRanges.firstSize,
        maxSize: Int64
    ) {
        self.parts = isForward ? parts.reversed() : parts
        self.isForward = isForward
        size = firstSize
        self.maxSize = maxSize
    }

    /// A range that has all rows that are left.
    var rest: RowRange {
        guard let next = parts.last, let last = parts.first else {
            return RowRange(lower: 0, upper: 0)
        }
        return isForward
            ? RowRange(lower: next.lower, upper: last.upper)
            : RowRange(lower: last.lower, upper: next.upper)
    }

    /// Returns the next range that has rows; `nil` at the end.
    ///
    /// Numbers without rows are skipped, so that gaps cost nothing however wide they are.
    mutating func next(_ connection: SQLiteConnection) throws(SQLiteError) -> RowRange? {
        while let part = parts.popLast() {
            let query = try connection.cached(
                isForward
                    ? "SELECT min(seq) FROM exchanges WHERE seq > ?1 AND seq < ?2"
                    : "SELECT max(seq) FROM exchanges WHERE seq > ?1 AND seq < ?2"
            )
            defer { query.reset() }
            try part.bind(to: query, after: 0)
            guard try query.step(), !query.isNull(0) else { continue }
            return take(from: query.integer(0), of: part)
        }
        return nil
    }

    /// Takes a range that begins with a row, and keeps what it leaves of a part.
    private mutating func take(from number: Int64, of part: RowRange) -> RowRange {
        var range = part
        var rest = part
        if isForward {
            let (end, isOver) = number.addingReportingOverflow(size)
            range = RowRange(lower: number - 1, upper: isOver ? part.upper : min(end, part.upper))
            rest.lower = range.upper - 1
        } else {
            let (end, isOver) = number.subtractingReportingOverflow(size)
            range = RowRange(lower: isOver ? part.lower : max(end, part.lower), upper: number + 1)
            rest.upper = range.lower + 1
        }
        // Two bounds without a number between them.
        if rest.lower < rest.upper - 1 { parts.append(rest) }
        size = min(size * 2, maxSize)
        return range
    }
}
