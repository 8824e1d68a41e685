// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineQuery
package import TaplineStatistics

/// The answer to a `StatsQuery`.
package struct StatsResult: Sendable {
    /// The rows in the order of the query: time buckets first, the earliest one first.
    package let rows: [StatsRow]
    /// All matching exchanges, also those without a row.
    package let total: StatsRow
    /// How many rows were left out because only the first ones were wanted.
    package let hidden: Int
    /// The start of the first and of the last exchange; `nil` if there are none.
    package let times: ClosedRange<Timestamp>?
    /// Whether there were more groups than `StatsQuery.maxGroups`, so that exchanges of further
    /// ones are in one row.
    package let isLimited: Bool
}

/// How often a value appears in a group.
package struct StatsCount: Sendable, Hashable {
    /// The value; `nil` if it is absent, or these are others.
    package let value: FilterValue?
    /// Whether these are all values beyond the limit.
    package let isOthers: Bool
    /// The number of exchanges.
    package let count: Int
}

/// The counts and measures of one group.
package struct StatsRow: Sendable {
    /// The start of the time bucket; `nil` if there is only one.
    package let time: Timestamp?
    /// The value of each field of the query; `nil` if exchanges have none.
    package let values: [FilterValue?]
    /// Whether these are the exchanges of all groups beyond the limit.
    package let isOthers: Bool
    /// The number of exchanges.
    package let count: Int
    /// The part of all matching exchanges, from 0 to 1.
    package let share: Double
    /// When the exchange that began last did so; `nil` if there are none.
    package let last: Timestamp?
    /// The number of exchanges that failed or have a status of at least 500.
    package let errors: Int
    /// Exchanges per second of the time bucket or, without buckets, from the start of the first to
    /// the start of the last exchange of all rows; `nil` if all began at the same time.
    package let rate: Double?
    /// The sizes of request bodies on the wire, in sum.
    package let bytesUp: Int
    /// The sizes of response bodies on the wire, in sum.
    package let bytesDown: Int
    /// The durations of exchanges with a response, in nanoseconds.
    package let times: Distribution
    /// The sizes of request bodies; empty for a query without breakdowns.
    package let requestSizes: Distribution
    /// The sizes of response bodies; empty for a query without breakdowns.
    package let responseSizes: Distribution
    /// For each breakdown of the query, how often each value appears, the most frequent first.
    package let breakdowns: [[StatsCount]]

    /// Returns the time that a part of the exchanges with a response did not exceed, accurate to
    /// 1 %; `nil` if there are none.
    ///
    /// - Parameter part: From 0 to 1; 0.5 is the median, 1 the maximum.
    /// - Returns: The time.
    package func latency(_ part: Double) -> Microseconds? {
        times.count > 0 ? Microseconds(Int64(times.quantile(part) / 1000)) : nil
    }
}

extension StatsTable {
    /// The rows that the query asks for, and the total.
    var result: StatsResult {
        var sum = StatsGroup(breakdowns: query.breakdowns.count)
        for (_, group) in groups {
            sum.merge(group)
            for (index, counts) in group.breakdowns.enumerated() {
                for (code, number) in counts.sorted(by: { $0.key < $1.key }) {
                    sum.count(code, number, in: index)
                }
            }
        }
        let all = groups.map { row($0.key, $0.group, of: sum.count) }
        let rows = first(sorted(all))
        return StatsResult(
            rows: rows,
            total: row(nil, sum, of: sum.count),
            hidden: all.count - rows.count,
            times: times.map {
                Timestamp(microseconds: $0.lowerBound)...Timestamp(microseconds: $0.upperBound)
            },
            isLimited: all.contains(where: \.isOthers)
        )
    }

    /// Makes the row of a group, or of all exchanges if the key is `nil`.
    private func row(_ key: [Int64]?, _ group: StatsGroup, of total: Int) -> StatsRow {
        let isOthers = key?[0] == StatsTable.others
        let hasBucket = key != nil && query.every != nil && !isOthers
        return StatsRow(
            time: hasBucket ? key.map { start(of: $0[0]) } : nil,
            values: query.fields.indices.map { index in
                key.flatMap { value(of: $0[index + 1], in: index) }
            },
            isOthers: isOthers,
            count: group.count,
            share: total > 0 ? Double(group.count) / Double(total) : 0,
            last: group.count > 0 ? Timestamp(microseconds: group.last) : nil,
            errors: group.errors,
            rate: rate(of: group.count, in: hasBucket ? query.every : nil),
            bytesUp: group.bytesUp,
            bytesDown: group.bytesDown,
            times: group.times,
            requestSizes: group.requestSizes,
            responseSizes: group.responseSizes,
            breakdowns: group.breakdowns.enumerated().map { sorted($1, of: $0) }
        )
    }

    /// The start of a time bucket, limited to the range of times.
    private func start(of bucket: Int64) -> Timestamp {
        let (start, overflow) = bucket.multipliedReportingOverflow(by: query.every?.count ?? 1)
        return Timestamp(microseconds: overflow ? .min : start)
    }

    private func rate(of count: Int, in bucket: Microseconds?) -> Double? {
        if let bucket { return Double(count) * 1_000_000 / Double(bucket.count) }
        guard let times, times.lowerBound < times.upperBound else { return nil }
        return Double(count) * 1_000_000 / (Double(times.upperBound) - Double(times.lowerBound))
    }

    private func sorted(_ counts: [Int64: Int], of breakdown: Int) -> [StatsCount] {
        counts.map { code, count in
            StatsCount(
                value: value(of: code, in: query.fields.count + breakdown),
                isOthers: code == StatsTable.others,
                count: count
            )
        }
        .sorted { left, right in
            if left.isOthers != right.isOthers { return right.isOthers }
            if left.count != right.count { return left.count > right.count }
            return FilterValue.order(left.value, right.value) < 0
        }
    }

    private func sorted(_ rows: [StatsRow]) -> [StatsRow] {
        let measured = rows.map { (row: $0, measure: query.order.measure(of: $0)) }
        return measured.sorted { left, right in
            // The rest comes last.
            if left.row.isOthers != right.row.isOthers { return right.row.isOthers }
            let times = (left.row.time?.microseconds ?? 0, right.row.time?.microseconds ?? 0)
            if times.0 != times.1 { return times.0 < times.1 }
            if left.measure != right.measure { return left.measure > right.measure }
            return FilterValue.order(left.row.values, right.row.values) < 0
        }
        .map(\.row)
    }

    /// The first rows of each time bucket, as many as are wanted.
    private func first(_ rows: [StatsRow]) -> [StatsRow] {
        guard let top = query.top else { return rows }
        var time: Timestamp?
        var number = 0
        return rows.filter { row in
            number = row.time == time ? number + 1 : 1
            time = row.time
            return number <= top
        }
    }
}

extension StatsOrder {
    fileprivate func measure(of row: StatsRow) -> Int {
        switch self {
        case .count: row.count
        case .errors: row.errors
        case .up: row.bytesUp
        case .down: row.bytesDown
        case .p50: row.times.quantile(0.5)
        case .p90: row.times.quantile(0.9)
        case .p99: row.times.quantile(0.99)
        case .max: row.times.maximum
        case .key: 0
        }
    }
}

extension FilterValue {
    /// Compares lists of values: -1 if the left one comes first, 0 if they are equal, otherwise 1.
    fileprivate static func order(_ left: [FilterValue?], _ right: [FilterValue?]) -> Int {
        for (left, right) in zip(left, right) {
            let order = order(left, right)
            if order != 0 { return order }
        }
        return 0
    }

    /// Compares values: numbers by size, texts by bytes, absent values last.
    fileprivate static func order(_ left: FilterValue?, _ right: FilterValue?) -> Int {
        switch (left, right) {
        case (nil, nil): 0
        case (nil, _): 1
        case (_, nil): -1
        case (.whole(let left), .whole(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.text(let left), .text(let right)):
            left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
        default: 0
        }
    }
}
