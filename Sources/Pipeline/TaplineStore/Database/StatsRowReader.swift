// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL

/// Adds rows to a table of statistics without decoding exchanges.
///
/// **Isolation**: the thread of its connection; within a transaction.
struct StatsRowReader {
    /// The columns before those of the fields.
    private enum Column {
        static let seq: Int32 = 0
        static let certainty: Int32 = 1
        static let isError: Int32 = 2
        static let started: Int32 = 3
        static let status: Int32 = 4
        static let total: Int32 = 5
        static let requestSize: Int32 = 6
        static let responseSize: Int32 = 7
        static let first: Int32 = 8
    }

    /// How many codes of hosts and templates are kept for a field; a full cache is emptied.
    private static let cached = 16_384

    private let columns: [(column: StatsColumn, index: Int32)]
    /// What is selected from `exchanges e`, except for the certainty.
    private let fields: [String]
    private let hosts: HostNames
    private let templates: SQLiteStatement
    /// For each field, the codes of the rows of `hosts` or `paths`.
    private var codes: [[Int64: Int64]]
    private var buffer: [UInt8] = []

    private(set) var table: StatsTable

    /// Creates a reader; `nil` if a field needs whole exchanges.
    init?(_ query: StatsQuery, _ connection: SQLiteConnection, schema: Int) throws {
        table = StatsTable(query)
        var columns: [(column: StatsColumn, index: Int32)] = []
        var fields: [String] = []
        for field in table.fields {
            guard let column = StatsColumn(field) else { return nil }
            columns.append((column, Column.first + Int32(fields.count)))
            fields += column.expressions(schema: schema)
        }
        self.columns = columns
        self.fields = fields
        hosts = try HostNames(connection)
        templates = try connection.prepare("SELECT template FROM paths WHERE id = ?1")
        codes = columns.map { _ in [:] }
    }

    /// The columns to select.
    func selection(certainty: String) -> String {
        ([
            "e.seq", certainty, "e.state = 'failed' OR ifnull(e.status >= 500, 0)", "e.started",
            "e.status", "e.total_us", "e.request_size", "e.response_size",
        ] + fields).joined(separator: ", ")
    }

    /// The position of the current row in writing order.
    func number(_ row: SQLiteStatement) -> Int64 { row.integer(Column.seq) }

    /// Whether SQL has decided that the current row matches the filter.
    func isCertain(_ row: SQLiteStatement) -> Bool { row.integer(Column.certainty) == 1 }

    /// Discards what was read from other tables: a writer may have changed them.
    mutating func refresh() {
        hosts.removeAll()
        for index in codes.indices { codes[index].removeAll(keepingCapacity: true) }
    }

    /// Adds the current row.
    mutating func add(_ row: SQLiteStatement) throws {
        for (field, column) in columns.enumerated() {
            table.set(field, try code(column.column, row, column.index, field))
        }
        let hasResponse = !row.isNull(Column.status)
        table.add(
            StatsSample(
                started: row.integer(Column.started),
                isError: row.integer(Column.isError) != 0,
                duration: hasResponse ? number(row, Column.total) : nil,
                requestSize: number(row, Column.requestSize),
                responseSize: number(row, Column.responseSize)
            )
        )
    }

    private func number(_ row: SQLiteStatement, _ index: Int32) -> Int64? {
        row.isNull(index) ? nil : row.integer(index)
    }

    // MARK: Codes

    private mutating func code(
        _ column: StatsColumn,
        _ row: SQLiteStatement,
        _ index: Int32,
        _ field: Int
    ) throws -> Int64 {
        switch column {
        case .text: return text(row, index, field)
        case .optionalText:
            return row.isNull(index)
                ? StatsTable.absent : row.withBlob(index) { table.code(of: $0, in: field) }
        case .number:
            return number(row, index).map { table.code(of: $0) } ?? StatsTable.absent
        case .status:
            let status = row.integer(index)
            return status == 0 ? StatsTable.absent : table.code(of: status)
        case .statusClass:
            let status = row.integer(index)
            guard 100...599 ~= status else { return StatsTable.absent }
            return table.code(of: "\(status / 100)xx".utf8.span, in: field)
        case .scheme, .host, .port, .authority:
            let id = row.integer(index)
            if let code = codes[field][id] { return code }
            let value = try hosts.name(id).flatMap { Self.part(column, of: $0) }
            return keep(table.code(of: value, in: field), of: id, in: field)
        case .path:
            return row.withBlob(index) { target in
                let path = target.extracting(TargetParts(target).path)
                return path.isEmpty ? StatsTable.absent : table.code(of: path, in: field)
            }
        case .route: return try route(row, index, field)
        case .caller:
            return row.isNull(index)
                ? text(row, index + 1, field)
                : row.withBlob(index) {
                    table.code(of: StatsField.address($0).span, in: field)
                }
        }
    }

    private mutating func text(_ row: SQLiteStatement, _ index: Int32, _ field: Int) -> Int64 {
        row.withBlob(index) { $0.isEmpty ? StatsTable.absent : table.code(of: $0, in: field) }
    }

    private mutating func keep(_ code: Int64, of id: Int64, in field: Int) -> Int64 {
        if codes[field].count >= Self.cached { codes[field].removeAll(keepingCapacity: true) }
        codes[field][id] = code
        return code
    }

    /// The part of a scheme and authority that a field shows.
    private static func part(_ column: StatsColumn, of name: HostNames.Name) -> FilterValue? {
        let request = Request(scheme: name.scheme, authority: name.authority)
        func text(_ bytes: [UInt8]) -> FilterValue? { bytes.isEmpty ? nil : .text(bytes) }
        return switch column {
        case .scheme: text(Array(copying: name.scheme.span).map(\.asciiLowercased))
        case .host: text(Array(copying: request.host.span).map(\.asciiLowercased))
        case .port: request.port.map { .whole(Int64($0)) }
        default: text(StatsField.authority(name.authority.span))
        }
    }

    private mutating func route(
        _ row: SQLiteStatement,
        _ index: Int32,
        _ field: Int
    ) throws -> Int64 {
        if !row.isNull(index + 1) {
            row.withBlob(index + 1) { target in
                PathTemplate.make(target.extracting(TargetParts(target).path), into: &buffer)
            }
            let template = buffer
            return template.isEmpty
                ? StatsTable.absent : table.code(of: template.span, in: field)
        }
        let id = row.integer(index)
        if let code = codes[field][id] { return code }
        defer { templates.reset() }
        try templates.bind(1, integer: id)
        guard try templates.step() else { return StatsTable.absent }
        return keep(text(templates, 0, field), of: id, in: field)
    }
}
