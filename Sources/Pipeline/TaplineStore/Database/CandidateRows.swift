// SPDX-License-Identifier: MIT

/// The rows of a database among which all matches of a filter are.
package struct CandidateRows: Sendable {
    /// Rows this close to each other are read together: a row takes less time than a transaction.
    private static let gap: Int64 = 8

    /// The numbers of the rows that can match, up to `covered`, ascending.
    let numbers: [Int64]
    /// Any row with a higher number can match.
    let covered: Int64

    /// Creates candidates.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the rows that can match, ascending.
    ///   - covered: The last number that was considered.
    package init(numbers: [Int64], covered: Int64) {
        self.numbers = numbers
        self.covered = covered
    }

    /// The largest number of candidates among some rows that are read faster than all rows.
    package static func limit(of rows: Int) -> Int { max(1024, rows / 64) }

    /// The ranges in which they are, ascending.
    func ranges(in range: RowRange) -> [RowRange] {
        var ranges: [RowRange] = []
        for number in numbers {
            guard let row = RowRange(number), number > range.lower, number < range.upper else {
                continue
            }
            if let last = ranges.last {
                let (distance, isFar) = row.lower.subtractingReportingOverflow(last.upper)
                if !isFar, distance < Self.gap {
                    ranges[ranges.count - 1].upper = row.upper
                    continue
                }
            }
            ranges.append(row)
        }
        let rest = RowRange(lower: max(range.lower, covered), upper: range.upper)
        if rest.lower < rest.upper { ranges.append(rest) }
        return ranges
    }
}
