// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL
internal import TaplineSystem

/// Removes values from all texts, blobs and bodies of a database, in one pass over each table.
///
/// Several threads search ranges of rows, each with a connection of its own, and this thread writes
/// the changes that they found.
///
/// Ids, hashes and numbers are kept: they are no text that somebody sent.
///
/// **Limits**: memory for the changes of some ranges, and for the numbers of coded bodies.
/// **Isolation**: within a transaction, or a snapshot if nothing is changed.
final class ValueErasure {
    /// Opens a connection for each thread that searches.
    struct Readers: Sendable {
        /// How many threads search; with 1, this one does, through its own connection.
        var threads = Processors.available
        /// Opens a connection to what the database was when the transaction began.
        let open: @Sendable () throws -> SQLiteConnection
    }

    private let connection: SQLiteConnection
    private let path: String
    private let makeEraser: MakeContentEraser
    private let readers: Readers
    /// Where changes of bodies go; `nil` if occurrences are only counted.
    private let bodies: BodyTable?
    private let own: RowSearch
    /// The codings of bodies, as the rows that refer to them state.
    private var declared = DeclaredCodings()
    private(set) var report = ErasureReport()

    /// Creates an erasure.
    ///
    /// - Parameters:
    ///   - connection: The connection to the database.
    ///   - path: The database.
    ///   - makeEraser: Makes what removes the values, for each thread.
    ///   - readers: Opens connections for other threads.
    ///   - bodies: Changes the bodies; `nil` to change nothing.
    /// - Throws: `SQLiteError`, or `CodingError` if memory runs out.
    init(
        _ connection: SQLiteConnection,
        _ path: String,
        _ makeEraser: @escaping MakeContentEraser,
        _ readers: Readers,
        changing bodies: BodyTable?
    ) throws {
        self.connection = connection
        self.path = path
        self.makeEraser = makeEraser
        self.readers = readers
        self.bodies = bodies
        own = try RowSearch(connection, path, try makeEraser(), keepsChanges: bodies != nil)
    }

    /// Searches all tables, and removes what is found.
    func run() throws {
        let indexes = try SearchIndexes(connection)
        let isChanging = bodies != nil
        if isChanging { try indexes.drop(&report) }
        for table in try StoredTable.all(connection, without: indexes) {
            if table.hasRowNumbers {
                let ranges = RowNumberRanges(table: table.quoted, column: table.quotedKeys)
                try search(ranges, table) { try $0.search(table, $1) }
            } else {
                try searchKeyed(table)
            }
        }
        let ranges = RowNumberRanges(table: "bodies", column: "id")
        try search(ranges, nil) { [declared] in try $0.search(bodies: $1, declared) }
        if isChanging { try indexes.restore() }
    }

    /// Searches ranges of rows on several threads, and writes the changes in their order.
    private func search(
        _ all: RowNumberRanges,
        _ table: StoredTable?,
        _ search: @escaping @Sendable (RowSearch, ClosedRange<Int64>) throws -> FoundRows
    ) throws {
        var ranges = all
        let keepsChanges = bodies != nil
        try ParallelMap.run(
            threads: readers.threads,
            next: { try ranges.next(connection) },
            transform: { try search(own, $0) },
            makeTransform: { [path, makeEraser, readers] in
                let connection = try readers.open()
                let rows = try RowSearch(
                    connection,
                    path,
                    try makeEraser(),
                    keepsChanges: keepsChanges
                )
                return { range in
                    try connection.transaction(.deferred) { try search(rows, range) }
                }
            },
            body: { found in
                ranges.noteRead(found.range, rows: found.rows, leaving: found.rest)
                report.add(found.report)
                try apply(found, to: table)
            }
        )
    }

    /// Searches a table without row numbers, such as that of exchanges that have not ended.
    ///
    /// Changes may move its rows. If there are too many to be held, it is searched again after they
    /// have been written, and no row changes twice.
    private func searchKeyed(_ table: StoredTable) throws {
        var left = try connection.integer("SELECT count(*) FROM \(table.quoted)") ?? 0
        while true {
            let found = try own.search(table, 0...1)
            try apply(found, to: table)
            left -= Int64(found.changes.count)
            guard found.rest != nil, left > 0 else { return report.add(found.report) }
            report.add(found.report.withoutProblems)
        }
    }

    /// Writes changes, and notes the codings of bodies that are searched later.
    private func apply(_ found: FoundRows, to table: StoredTable?) throws {
        for (list, body) in found.codings { declared.add(list, of: body) }
        if let table {
            for change in found.changes where try change.apply(to: table, connection) {
                report.addJoinedNames(table.name, 1)
            }
        }
        for body in found.bodies {
            try bodies?.replace(body.id, body.hash, with: body.bytes, stored: body.stored)
        }
    }
}
