// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplineSQL

/// A table of a database that is scanned.
struct ScannedTable: Sendable {
    let name: String
    /// The number of the row as SQL; `nil` if the table has none, or columns hide its names.
    let rowNumber: String?
    /// The columns after the number of the row, which is NULL if there is none.
    let columns: [String]

    /// The name as SQL.
    var quoted: String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    init(_ name: String, _ database: SQLiteConnection) throws(SQLiteError) {
        self.name = name
        let quoted = "\"" + name.replacing("\"", with: "\"\"") + "\""
        let rows = try database.prepare("SELECT * FROM \(quoted)")
        let columns = (0..<Int32(clamping: rows.columnCount)).map { rows.columnName($0) ?? "" }
        let taken = Set(columns.map { $0.lowercased() })
        self.columns = columns
        rowNumber = ["rowid", "_rowid_", "oid"].first { alias in
            !taken.contains(alias)
                && (try? database.prepare("SELECT \(alias) FROM \(quoted)")) != nil
        }
    }
}

/// What a range of rows contains.
struct ScannedRows: Sendable {
    let range: ClosedRange<Int64>
    var rows = 0
    var hits: [StreamHit] = []
    /// Whether a limit prevented a part from being scanned.
    var metLimit = false
}

/// Scans the rows of tables through one connection.
///
/// **Isolation.** Used by one thread at a time.
final class TableScan {
    private let database: SQLiteConnection
    private let scanner: UnitScanner
    private var records: RecordScan
    /// Whether texts have the bytes that are scanned, and need not be converted.
    private let isUTF8: Bool
    /// The texts of a row, if they are not too large.
    private var texts: [UInt8] = []
    private static let maxTexts = 1 << 16
    /// The length of the longest blobs that are ids and hashes, of which there are many.
    private static let maxKeyBytes = 32

    init(_ database: SQLiteConnection, _ scanner: UnitScanner) throws(SQLiteError) {
        self.database = database
        self.scanner = scanner
        records = RecordScan(scanner)
        isUTF8 = try database.pragma("encoding") == "UTF-8"
    }

    /// Scans the rows of a range; all rows of a table without row numbers.
    func scan(_ table: ScannedTable, _ range: ClosedRange<Int64>) throws -> ScannedRows {
        var found = ScannedRows(range: range)
        let rows: SQLiteStatement
        if let number = table.rowNumber {
            rows = try database.cached(
                "SELECT \(number), * FROM \(table.quoted) WHERE \(number) BETWEEN ?1 AND ?2"
            )
            try rows.bind(1, integer: range.lowerBound)
            try rows.bind(2, integer: range.upperBound)
        } else {
            rows = try database.cached("SELECT NULL, * FROM \(table.quoted)")
        }
        defer { rows.reset() }
        let columns = table.columns.indices.map { Int32(clamping: $0 + 1) }
        while try rows.step() {
            found.rows += 1
            if !isClean(rows, columns) { scan(rows, of: table, &found) }
        }
        found.metLimit = scanner.takeMetLimit()
        return found
    }

    /// Returns whether there is certainly nothing in a row; most rows are scanned only as a whole.
    private func isClean(_ row: SQLiteStatement, _ columns: [Int32]) -> Bool {
        guard isUTF8, !scanner.mayFindNumbers else { return false }
        for column in columns where row.type(column) == .blob {
            if row.withBlob(column, { brotli($0) != nil }) { return false }
        }
        texts.removeAll(keepingCapacity: true)
        let quote = UInt8(ascii: "\"")
        let isWhole = row.appendTexts(
            of: columns,
            separatedBy: quote,
            limit: Self.maxTexts,
            to: &texts
        )
        guard isWhole else { return false }
        let whole = texts
        return scanner.areClean(whole.span)
    }

    private func scan(_ rows: SQLiteStatement, of table: ScannedTable, _ found: inout ScannedRows) {
        for (index, column) in table.columns.enumerated() {
            let hits = scan(rows, Int32(clamping: index + 1))
            guard !hits.isEmpty else { continue }
            let row = rows.isNull(0) ? found.rows : Int(clamping: rows.integer(0))
            let id = table.columns.firstIndex(of: "id").flatMap { self.id(rows, $0 + 1) }
            for (hit, inner) in hits {
                var place = inner
                place.offset = nil
                place.row = row
                place.record = id
                let path = inner.path.map { $0.hasPrefix("[") ? $0 : ".\($0)" } ?? ""
                place.path = "\(table.name).\(column)\(path)"
                found.hits.append((hit, place))
            }
        }
    }

    /// Scans one value of a row.
    private func scan(_ rows: SQLiteStatement, _ column: Int32) -> [StreamHit] {
        switch rows.type(column) {
        case .blob: rows.withBlob(column, scan(blob:))
        case .text:
            isUTF8 ? rows.withBlob(column, scan(text:)) : rows.withText(column, scan(text:))
        case .integer, .real:
            // Most values are no numbers, and conversion takes longer than scanning.
            scanner.mayFindNumbers ? rows.withText(column) { plain(scanner.scanPlain($0)) } : []
        case .null: []
        }
    }

    private func scan(text: Span<UInt8>) -> [StreamHit] {
        if text.count >= 2, text[0] == UInt8(ascii: "{") {
            if scanner.isClean(text) { return [] }
            if let hits = records.scan(text) { return hits }
        }
        return plain(scanner.scan(text))
    }

    private func scan(blob: Span<UInt8>) -> [StreamHit] {
        var hits = scanner.scan(blob)
        if let body = brotli(blob) {
            if body.end == .limit { scanner.noteLimit() }
            let inner = scanner.scan(body.bytes.span)
            hits.add(decoded: inner, of: 0..<blob.count, ContentCoding.brotli.name)
        }
        return plain(hits)
    }

    /// Decodes a body in brotli, which is recognised only if all of it can be decoded.
    private func brotli(_ blob: Span<UInt8>) -> DecodedBody? {
        guard blob.count > Self.maxKeyBytes, !RecordScan.guesses(blob).isEmpty else { return nil }
        let head = blob.extracting(0..<min(blob.count, 16))
        if let start = StreamStart.next(in: head, from: 0), start.position == 0 {
            // brotli may begin like zlib with a small window.
            if start.coding != .deflate || head[0] == 0x78 { return nil }
        }
        let limit = scanner.limits.maxDecodedBytes
        let body = DecodedBody(blob, [.brotli], limit: limit)
        return body?.end == .damaged ? nil : body
    }

    private func plain(_ hits: [Hit]) -> [StreamHit] {
        hits.isEmpty ? [] : hits.inOrder.map { ($0, LeakPlace()) }
    }

    /// Returns the id of the row's record if it is in Tapline's format; otherwise `nil`.
    private func id(_ rows: SQLiteStatement, _ column: Int) -> String? {
        let column = Int32(clamping: column)
        guard rows.type(column) == .blob else { return nil }
        return rows.withBlob(column) { bytes in
            guard bytes.count == 16 else { return nil }
            var high: UInt64 = 0
            var low: UInt64 = 0
            for index in 0..<8 {
                high = high << 8 | UInt64(bytes[index])
                low = low << 8 | UInt64(bytes[index + 8])
            }
            return ExchangeID(high: high, low: low).description
        }
    }
}
