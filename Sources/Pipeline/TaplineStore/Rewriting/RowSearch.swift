// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineCrypto
internal import TaplineSQL

/// What was found in some rows, and how it changes.
struct FoundRows: Sendable {
    let range: ClosedRange<Int64>
    /// How many rows were read.
    var rows = 0
    /// The numbers that were not read, since the changes take enough memory already.
    var rest: ClosedRange<Int64>?
    /// The changes; none if they are only counted.
    var changes: [RowChange] = []
    var bodies: [BodyChange] = []
    /// The size of the changes.
    var byteCount = 0
    /// The codings that rows declare for stored bodies.
    var codings: [(list: [ContentCoding], body: Int64)] = []
    var report = ErasureReport()
}

/// The new content of a body.
struct BodyChange: Sendable {
    let id: Int64
    /// The former hash.
    let hash: Digest
    let bytes: [UInt8]
    /// What the row stores; `nil` for a file.
    let stored: [UInt8]?
}

/// Searches rows and bodies for values through one connection, and changes nothing.
///
/// **Isolation**: one thread at a time, within a transaction.
final class RowSearch {
    /// How large the changes of a range may be before the rest of it is left to a later search.
    private static let maxChangedBytes = 1 << 20
    private static let compressMin = 128

    let connection: SQLiteConnection
    private let eraser: any ContentEraser
    /// Whether changes are wanted, or only counted.
    private let keepsChanges: Bool
    private let stored: StoredBodies
    private var codings = BodyCodings()
    /// Whether texts have the bytes that are searched, and need not be converted.
    private let isUTF8: Bool
    /// The texts of a row, if they are not too large.
    private var texts: [UInt8] = []
    private static let maxTexts = 1 << 16

    init(
        _ connection: SQLiteConnection,
        _ path: String,
        _ eraser: any ContentEraser,
        keepsChanges: Bool
    ) throws {
        self.connection = connection
        self.eraser = eraser
        self.keepsChanges = keepsChanges
        stored = try StoredBodies(connection, path)
        isUTF8 = try connection.pragma("encoding") == "UTF-8"
    }

    // MARK: Rows

    /// Searches the rows of a range; all rows of a table without row numbers.
    func search(_ table: StoredTable, _ range: ClosedRange<Int64>) throws -> FoundRows {
        var found = FoundRows(range: range)
        let keys = table.quotedKeys
        let condition = table.hasRowNumbers ? " WHERE \(keys) BETWEEN ?1 AND ?2" : ""
        let order = table.hasRowNumbers ? " ORDER BY \(keys)" : ""
        let rows = try connection.cached(
            "SELECT \(keys), * FROM \(table.quoted)" + condition + order
        )
        defer { rows.reset() }
        if table.hasRowNumbers {
            try rows.bind(1, integer: range.lowerBound)
            try rows.bind(2, integer: range.upperBound)
        }
        let layout = TableLayout(rows, table)
        while try rows.step() {
            found.rows += 1
            search(rows, layout, &found)
            guard found.byteCount >= Self.maxChangedBytes else { continue }
            let last = table.hasRowNumbers ? rows.integer(0) : range.lowerBound
            if last < range.upperBound { found.rest = last + 1...range.upperBound }
            break
        }
        return found
    }

    /// Searches the columns of a row.
    private func search(
        _ row: SQLiteStatement,
        _ layout: TableLayout,
        _ found: inout FoundRows
    ) {
        let lists = noteCodings(row, layout, &found)
        if lists.request.isEmpty, lists.response.isEmpty, isClean(row, layout) { return }
        var change: RowChange?
        for column in layout.searched {
            let list: [ContentCoding]? =
                column == layout.requestBody
                ? lists.request : column == layout.responseBody ? lists.response : nil
            guard let erased = search(row, column, list, &found.report) else { continue }
            let name = layout.names[Int(column)]
            found.report.add("\(layout.table).\(name)", erased.count)
            found.report.addJoinedNames("\(layout.table).\(name)", eraser.takeJoinedNames())
            guard keepsChanges else { continue }
            if change == nil {
                change = RowChange(key: (0..<layout.keyCount).map { StoredValue(row, $0) })
            }
            change?.set(name, erased.value)
        }
        if eraser.takeMetLimit() { found.report.addProblems(1) }
        guard let change else { return }
        found.changes.append(change)
        found.byteCount += change.byteCount
    }

    /// Returns whether a row certainly has no values; most rows are searched only as a whole.
    private func isClean(_ row: SQLiteStatement, _ layout: TableLayout) -> Bool {
        guard isUTF8 else { return false }
        texts.removeAll(keepingCapacity: true)
        let quote = UInt8(ascii: "\"")
        let columns = layout.searched
        let isWhole = row.appendTexts(
            of: columns,
            separatedBy: quote,
            limit: Self.maxTexts,
            to: &texts
        )
        guard isWhole else { return false }
        let whole = texts
        return eraser.areClean(whole.span)
    }

    /// Searches a column; `codings` are those of a body, and `nil` for other content.
    private func search(
        _ row: SQLiteStatement,
        _ column: Int32,
        _ codings: [ContentCoding]?,
        _ report: inout ErasureReport
    ) -> (count: Int, value: StoredValue)? {
        let lists: [[ContentCoding]]? = codings.map { $0.isEmpty ? [] : [$0] }
        switch row.type(column) {
        case .text:
            var isObject = false
            func erase(_ bytes: Span<UInt8>) -> ErasedContent? {
                if let lists { return eraser.erase(body: bytes, codings: lists) }
                isObject = bytes.count > 1 && bytes[0] == UInt8(ascii: "{")
                return isObject ? eraser.erase(json: bytes) : eraser.erase(text: bytes)
            }
            let erased = isUTF8 ? row.withBlob(column, erase) : row.withText(column, erase)
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
        _ layout: TableLayout,
        _ found: inout FoundRows
    ) -> (request: [ContentCoding], response: [ContentCoding]) {
        guard let extra = layout.extra, !row.isNull(extra) else { return ([], []) }
        var lists: (request: [ContentCoding], response: [ContentCoding]) = ([], [])
        row.withText(extra) { lists = codings.read($0) }
        for (list, column) in [
            (lists.request, layout.requestBody), (lists.response, layout.responseBody),
        ] {
            guard let column, !list.isEmpty, row.type(column) == .integer else { continue }
            found.codings.append((list, row.integer(column)))
        }
        return lists
    }

    // MARK: Bodies

    /// Searches the bodies of a range of ids.
    func search(
        bodies range: ClosedRange<Int64>,
        _ declared: DeclaredCodings
    ) throws -> FoundRows {
        var found = FoundRows(range: range)
        let rows = try StoredBodies.rows(range, connection)
        defer { rows.reset() }
        while try rows.step() {
            found.rows += 1
            let id = rows.integer(3)
            try search(body: id, rows, declared, &found)
            guard found.byteCount >= Self.maxChangedBytes else { continue }
            if id < range.upperBound { found.rest = id + 1...range.upperBound }
            break
        }
        return found
    }

    private func search(
        body id: Int64,
        _ row: SQLiteStatement,
        _ declared: DeclaredCodings,
        _ found: inout FoundRows
    ) throws {
        guard let source = try stored.source(of: row), let hash = row.withBlob(2, { Digest($0) })
        else { return found.report.addProblems(1) }
        let lists = declared.lists(of: id)
        let erased =
            switch source {
            case .row: row.withBlob(0) { eraser.erase(body: $0, codings: lists) }
            case .compressed(let bytes), .file(let bytes):
                eraser.erase(body: bytes.span, codings: lists)
            }
        if eraser.takeMetLimit() { found.report.addProblems(1) }
        guard let erased else { return }
        var content: [UInt8]? = erased.bytes
        var place = "bodies.content"
        switch source {
        case .row: break
        case .compressed: content = try compressed(erased.bytes) ?? erased.bytes
        case .file: (content, place) = (nil, "body files")
        }
        found.report.add(place, erased.count)
        found.report.addJoinedNames(place, eraser.takeJoinedNames())
        guard keepsChanges else { return }
        found.bodies.append(BodyChange(id: id, hash: hash, bytes: erased.bytes, stored: content))
        found.byteCount += erased.bytes.count + (content?.count ?? 0)
    }

    /// The zlib stream of a body; `nil` if it is not shorter.
    private func compressed(_ bytes: [UInt8]) throws -> [UInt8]? {
        guard bytes.count >= Self.compressMin else { return nil }
        let packed = try ContentCoding.deflate.encode(bytes.span, level: 1)
        return packed.count < bytes.count ? packed : nil
    }
}
