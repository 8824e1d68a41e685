// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineCrypto
internal import TaplineModel
internal import TaplineSQL

/// Removes values from all texts, blobs and bodies of a database, in one pass over each table.
///
/// Ids, hashes and numbers are kept: they are no text that somebody sent.
///
/// **Isolation**: within a transaction, or a snapshot if nothing is changed.
final class ValueErasure {
    /// How many rows are read before their changes are written.
    private static let batch: Int64 = 256
    private static let compressMin = 128

    private let connection: SQLiteConnection
    private let eraser: any ContentEraser
    /// Where changes of bodies go; `nil` if occurrences are only counted.
    private let bodies: BodyTable?
    private let stored: StoredBodies
    private var codings = BodyCodings()
    /// The codings of bodies, as the rows that refer to them state.
    private var declared = DeclaredCodings()
    private(set) var report = ErasureReport()

    /// Creates an erasure.
    ///
    /// - Parameters:
    ///   - connection: The connection to the database.
    ///   - path: The database.
    ///   - eraser: Removes the values.
    ///   - bodies: Changes the bodies; `nil` to change nothing.
    /// - Throws: `SQLiteError`, or `CodingError` if memory runs out.
    init(
        _ connection: SQLiteConnection,
        _ path: String,
        _ eraser: any ContentEraser,
        changing bodies: BodyTable?
    ) throws {
        self.connection = connection
        self.eraser = eraser
        self.bodies = bodies
        stored = try StoredBodies(connection, path)
    }

    /// Searches all tables, and removes what is found.
    func run() throws {
        let indexes = try SearchIndexes(connection)
        let isChanging = bodies != nil
        if isChanging { try indexes.drop(&report) }
        for table in try StoredTable.all(connection, without: indexes) { try erase(in: table) }
        try eraseBodies()
        if isChanging { try indexes.restore() }
    }

    // MARK: Tables

    private func erase(in table: StoredTable) throws {
        guard table.hasRowNumbers else { return try eraseKeyed(table) }
        let number = table.quotedKeys
        let rows = try connection.prepare(
            "SELECT \(number), * FROM \(table.quoted) WHERE \(number) > ?1 "
                + "ORDER BY \(number) LIMIT ?2"
        )
        let layout = TableLayout(rows, table)
        var last = Int64.min
        while true {
            try rows.bind(1, integer: last)
            try rows.bind(2, integer: Self.batch)
            var changes: [RowChange] = []
            var count: Int64 = 0
            while try rows.step() {
                last = rows.integer(0)
                count += 1
                search(rows, layout, &changes)
            }
            rows.reset()
            try apply(changes, to: table)
            if count < Self.batch { return }
        }
    }

    /// Searches a table without row numbers, such as that of exchanges that have not ended.
    private func eraseKeyed(_ table: StoredTable) throws {
        let rows = try connection.prepare("SELECT \(table.quotedKeys), * FROM \(table.quoted)")
        let layout = TableLayout(rows, table)
        var changes: [RowChange] = []
        while try rows.step() { search(rows, layout, &changes) }
        rows.reset()
        try apply(changes, to: table)
    }

    private func apply(_ changes: [RowChange], to table: StoredTable) throws {
        guard bodies != nil else { return }
        for change in changes where try change.apply(to: table, connection) {
            report.addJoinedNames(table.name, 1)
        }
    }

    /// Searches the columns of a row.
    private func search(
        _ row: SQLiteStatement,
        _ layout: TableLayout,
        _ changes: inout [RowChange]
    ) {
        let lists = noteCodings(row, layout)
        var change: RowChange?
        for column in layout.searched {
            let list: [ContentCoding]? =
                column == layout.requestBody
                ? lists.request : column == layout.responseBody ? lists.response : nil
            guard let found = search(row, column, list) else { continue }
            let name = layout.names[Int(column)]
            report.add("\(layout.table).\(name)", found.count)
            report.addJoinedNames("\(layout.table).\(name)", eraser.takeJoinedNames())
            if change == nil {
                change = RowChange(key: (0..<layout.keyCount).map { StoredValue(row, $0) })
            }
            change?.set(name, found.value)
        }
        if eraser.takeMetLimit() { report.addProblems(1) }
        if let change { changes.append(change) }
    }

    /// Searches a column; `codings` are those of a body, and `nil` for other content.
    private func search(
        _ row: SQLiteStatement,
        _ column: Int32,
        _ codings: [ContentCoding]?
    ) -> (count: Int, value: StoredValue)? {
        let lists: [[ContentCoding]]? = codings.map { $0.isEmpty ? [] : [$0] }
        switch row.type(column) {
        case .text:
            var isObject = false
            let erased = row.withText(column) { bytes -> ErasedContent? in
                if let lists { return eraser.erase(body: bytes, codings: lists) }
                isObject = bytes.count > 1 && bytes[0] == UInt8(ascii: "{")
                return isObject ? eraser.erase(json: bytes) : eraser.erase(text: bytes)
            }
            guard let erased else { return nil }
            guard isObject, erased.bytes.isEmpty else { return (erased.count, .text(erased.bytes)) }
            report.addRemovedPart()
            return (erased.count, .text(Array("{}".utf8)))
        case .blob:
            let erased = row.withBlob(column) { bytes -> ErasedContent? in
                if let lists { return eraser.erase(body: bytes, codings: lists) }
                return eraser.erase(text: bytes)
            }
            guard let erased else { return nil }
            return (erased.count, .blob(erased.bytes))
        case .integer, .real, .null: return nil
        }
    }

    /// Notes the codings of a row's bodies in `bodies`, and returns those of bodies in the row.
    private func noteCodings(
        _ row: SQLiteStatement,
        _ layout: TableLayout
    ) -> (request: [ContentCoding], response: [ContentCoding]) {
        guard let extra = layout.extra, !row.isNull(extra) else { return ([], []) }
        var lists: (request: [ContentCoding], response: [ContentCoding]) = ([], [])
        row.withText(extra) { lists = codings.read($0) }
        note(lists.request, row, layout.requestBody)
        note(lists.response, row, layout.responseBody)
        return lists
    }

    private func note(_ list: [ContentCoding], _ row: SQLiteStatement, _ column: Int32?) {
        guard let column, !list.isEmpty, row.type(column) == .integer else { return }
        declared.add(list, of: row.integer(column))
    }

    // MARK: Bodies

    private func eraseBodies() throws {
        let rows = try connection.prepare(
            "SELECT id FROM bodies WHERE id > ?1 ORDER BY id LIMIT ?2"
        )
        var last = Int64.min
        while true {
            try rows.bind(1, integer: last)
            try rows.bind(2, integer: Self.batch)
            var batch: [Int64] = []
            while try rows.step() { batch.append(rows.integer(0)) }
            rows.reset()
            for body in batch { try erase(body: body) }
            guard batch.count == Int(Self.batch), let end = batch.last else { return }
            last = end
        }
    }

    private func erase(body id: Int64) throws {
        guard let body = try stored.stored(id), let hash = body.hash else {
            return report.addProblems(1)
        }
        let lists = declared.lists(of: id)
        let bytes = body.bytes
        defer { if eraser.takeMetLimit() { report.addProblems(1) } }
        guard let erased = eraser.erase(body: bytes.span, codings: lists) else { return }
        let place = body.form == .file ? "body files" : "bodies.content"
        report.add(place, erased.count)
        report.addJoinedNames(place, eraser.takeJoinedNames())
        guard let bodies else { return }
        let content: [UInt8]? =
            switch body.form {
            case .file: nil
            case .plain: erased.bytes
            case .compressed: try compressed(erased.bytes) ?? erased.bytes
            }
        try bodies.replace(id, hash, with: erased.bytes, stored: content)
    }

    /// The zlib stream of a body; `nil` if it is not shorter.
    private func compressed(_ bytes: [UInt8]) throws -> [UInt8]? {
        guard bytes.count >= Self.compressMin else { return nil }
        let packed = try ContentCoding.deflate.encode(bytes.span, level: 1)
        return packed.count < bytes.count ? packed : nil
    }
}
