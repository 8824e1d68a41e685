// SPDX-License-Identifier: MIT

/// The rows of a database that count where stores are asked together: those whose exchanges no
/// earlier database has.
struct CountedRows: Sendable {
    /// The number of the last row that was compared with other databases.
    ///
    /// Rows that were added meanwhile do not count yet: each of them may be a copy.
    let last: Int64
    /// The rows that are copies.
    let copies: RowNumbers

    /// Returns whether a row counts.
    func contains(_ number: Int64) -> Bool { number <= last && !copies.contains(number) }

    /// Returns the part of a range in which rows can count.
    func limited(_ range: RowRange) -> RowRange {
        var range = range
        if last < .max { range.upper = min(range.upper, last + 1) }
        return range
    }
}

extension RowQuery {
    /// Returns whether a row that matches is a result.
    func counts(_ number: Int64) -> Bool { counted?.contains(number) ?? true }

    /// Returns the part of a range whose rows all count, so that SQLite can count the matches;
    /// `nil` if it has copies.
    func countable(_ range: RowRange) -> RowRange? {
        guard let counted else { return range }
        return counted.copies.isEmpty(in: range) ? counted.limited(range) : nil
    }
}
