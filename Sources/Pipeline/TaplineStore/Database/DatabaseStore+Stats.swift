// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL

extension DatabaseStore {
    /// Counts and measures rows in groups; if it is cancelled, those that it has read.
    func stats(_ query: StatsQuery, _ progress: QueryProgress?) throws -> StatsTable {
        var table = StatsTable(query)
        let rows = try compiled(
            StoreQuery(query.filter, order: .oldestFirst, parts: StoreParts(usedBy: table.fields))
        )
        if rows.condition.isNever { return table }
        let work: @Sendable (DatabaseReader) throws -> RangeScan<[StatsTable]>.Work = { reader in
            if rows.reading != .residue,
                let stats = try StatsReader(query, rows, reader, progress)
            {
                return RangeScan.Work(read: stats.read, finish: { [stats.table] })
            }
            return DatabaseStore.decodedStats(query, rows, reader, progress)
        }
        do {
            let ranges =
                try query.candidates?.ranges(in: .all) ?? textRanges(rows, progress: progress)
            try scan(ranges ?? [.all], rows, progress: progress, work) { tables in
                for other in tables { table.merge(other) }
                return true
            }
        } catch is QueryCancelled {}
        return table
    }

    /// Reads whole exchanges, for fields without a column and for filters that SQL cannot decide.
    static func decodedStats(
        _ query: StatsQuery,
        _ rows: RowQuery,
        _ reader: DatabaseReader,
        _ progress: QueryProgress?
    ) -> RangeScan<[StatsTable]>.Work {
        let rows = RowReader(reader, rows)
        var table = StatsTable(query)
        return RangeScan.Work(
            read: { range in
                try rows.read(range) { _, exchange in
                    table.add(exchange)
                    return progress?.isCancelled != true
                }
                return []
            },
            finish: { [table] }
        )
    }
}

/// Reads the columns that groups need, and decodes only rows that SQL cannot decide.
///
/// **Isolation**: the thread of its reader.
final class StatsReader {
    private let reader: DatabaseReader
    private let query: RowQuery
    private let progress: QueryProgress?
    private let rows: SQLiteStatement
    /// Reads one row for the residue.
    private let neededRow: RowStatement
    private var columns: StatsRowReader
    private var version: Int64?

    /// Creates a reader; `nil` if a field has no column.
    init?(
        _ stats: StatsQuery,
        _ query: RowQuery,
        _ reader: DatabaseReader,
        _ progress: QueryProgress? = nil
    ) throws {
        let connection = reader.connection
        guard let columns = try StatsRowReader(stats, connection, schema: reader.schema) else {
            return nil
        }
        self.reader = reader
        self.query = query
        self.progress = progress
        self.columns = columns
        let condition = query.condition
        rows = try connection.prepare(
            """
            SELECT \(columns.selection(certainty: condition.certainty)) FROM exchanges e
              WHERE (\(condition.sql)) AND \(RowRange.condition(after: condition.values.count))
            """
        )
        neededRow = try reader.rowStatement(query.needed.columns)
    }

    var table: StatsTable { columns.table }

    /// Adds the rows of a range, until the query is cancelled: a range takes long to count.
    func read(_ range: RowRange) throws -> [StatsTable] {
        if version != reader.dataVersion { columns.refresh() }
        version = reader.dataVersion
        defer { rows.reset() }
        try query.condition.bind(to: rows)
        try range.bind(to: rows, after: query.condition.values.count)
        while progress?.isCancelled != true, try rows.step() {
            guard query.counts(columns.number(rows)) else { continue }
            if let residue = query.condition.residue, !columns.isCertain(rows) {
                guard
                    let row = try reader.exchange(columns.number(rows), neededRow),
                    residue.matches(row.exchange)
                else { continue }
            }
            try columns.add(rows)
        }
        return []
    }
}
