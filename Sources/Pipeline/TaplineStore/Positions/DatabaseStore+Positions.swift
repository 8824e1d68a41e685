// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL

extension DatabaseStore {
    /// Calls a closure with the numbers of the rows of a range that match, in batches, the last one
    /// first.
    func numbers(
        matching filter: Filter?,
        in range: RowRange,
        _ progress: QueryProgress?,
        _ body: ([Int64]) throws -> Void
    ) throws {
        guard let filter else { return try body(try numbers(in: range)) }
        let query = try compiled(StoreQuery(filter, parts: []), wanted: RowColumns())
        if query.condition.isNever { return }
        defer { report(reader.problems.take()) }
        let ranges = try textRanges(query, in: range, progress: progress)
        if try ranges == nil && IndexScan.isUseful(reader, for: query) {
            return try IndexScan(reader, query, in: range, progress).forEachNumber(body)
        }
        try scan(ranges ?? [range], query, progress: progress) { reader in
            RangeScan.Work(read: RowReader(reader, query).numbers)
        } _: { (numbers: [Int64]) in
            if !numbers.isEmpty { try body(numbers) }
            return true
        }
    }

    /// All numbers of a range, the last one first.
    private func numbers(in range: RowRange) throws -> [Int64] {
        var numbers = try reader.snapshot {
            // Without an order, SQLite reads the smallest index instead of the rows.
            let query = try reader.connection.prepare(
                "SELECT e.seq FROM exchanges e WHERE \(RowRange.filter(after: 0))"
            )
            try range.bind(to: query, after: 0)
            var numbers: [Int64] = []
            while try query.step() {
                let number = query.integer(0)
                if counted?.contains(number) ?? true { numbers.append(number) }
            }
            return numbers
        }
        numbers.sort(by: >)
        return numbers
    }

    /// Reads rows by their numbers; `nil` for those that do not exist any more.
    func exchanges(
        numbered numbers: [Int64],
        _ parts: StoreParts
    ) throws -> [StoredExchange?] {
        defer { report(reader.problems.take()) }
        return try reader.snapshot {
            let row = try reader.rowStatement(RowColumns(parts))
            return try numbers.map { number in
                try reader.exchange(number, row).map {
                    StoredExchange(key: $0.key, exchange: $0.exchange)
                }
            }
        }
    }
}
