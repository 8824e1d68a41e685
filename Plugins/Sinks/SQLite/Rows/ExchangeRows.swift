// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSQL

/// Writes one row per exchange, in the order of arrival.
///
/// **Isolation**: within a transaction.
final class ExchangeRows {
    private let connection: SQLiteConnection
    private let bodies: BodyStore
    private let names: Names
    private let row: SQLiteStatement
    private let notes: NoteRows
    private var encoder = RowEncoder()
    private var idBytes: [UInt8] = []
    /// The number of the next row.
    private(set) var next: Int64 = 1
    /// The greatest stored id: most exchanges arrive in order and need no search.
    private var greatest: ExchangeID?

    init(_ connection: SQLiteConnection, _ bodies: BodyStore, _ names: Names) throws {
        self.connection = connection
        self.bodies = bodies
        self.names = names
        row = try connection.cached(ExchangeRows.insertion)
        notes = try NoteRows(connection)
        try reload()
    }

    /// Reads the state that the next row depends on.
    func reload() throws {
        next = (try connection.integer("SELECT max(seq) FROM exchanges") ?? 0) + 1
        let query = try connection.prepare("SELECT id FROM exchanges ORDER BY id DESC LIMIT 1")
        greatest = try query.step() ? query.withBlob(0) { ExchangeID(bytes: $0) } : nil
        query.reset()
    }

    /// Writes a row; returns `false` if the id is already stored.
    func insert(_ record: Record) throws -> Bool {
        let id = record.exchange.id
        idBytes.removeAll(keepingCapacity: true)
        id.appendBytes(to: &idBytes)
        if let greatest, id <= greatest, try isStored() { return false }
        let requestBody = try bodies.reference(
            to: record.exchange.request.body,
            record.requestDigest
        )
        let responseBody =
            if let response = record.exchange.response {
                try bodies.reference(to: response.body, record.responseDigest)
            } else { BodyReference.none }
        defer { row.reset() }
        try bindHead(row, record.exchange)
        try bindDetails(row, record.exchange)
        try bind(row, 28, requestBody, record.exchange.request.body)
        if let response = record.exchange.response {
            try bind(row, 29, responseBody, response.body)
        }
        try bindJSON(row, record.exchange)
        _ = try row.step()
        if record.exchange.hasExtra, let extra = record.exchange.extra {
            try notes.insert(extra.notes, of: next)
        }
        next += 1
        greatest = max(greatest ?? id, id)
        return true
    }

    private func isStored() throws -> Bool {
        let query = try connection.cached("SELECT 1 FROM exchanges WHERE id = ?1")
        defer { query.reset() }
        let id = idBytes
        try query.bind(1, blob: id.span)
        return try query.step()
    }

    /// Binds the identifying parts: columns 1 to 12.
    private func bindHead(_ row: SQLiteStatement, _ exchange: borrowing Exchange) throws {
        try row.bind(1, integer: next)
        let id = idBytes
        try row.bind(2, blob: id.span)
        try row.bind(3, integer: exchange.started.microseconds)
        try row.bind(4, text: exchange.source)
        try row.bind(5, text: exchange.state.name)
        try row.bind(6, bytes: exchange.request.method.span)
        try row.bind(7, integer: names.host(of: exchange.request))
        try row.bind(8, integer: names.path(of: exchange.request))
        try row.bind(9, bytes: exchange.request.target.span)
        try row.bind(10, bytes: exchange.request.version.span)
        if let response = exchange.response {
            try row.bind(11, integer: Int64(response.status))
            try row.bind(12, bytes: response.reason.span)
        }
    }

    /// Binds times, sizes, addresses, correlation and error: columns 13 to 26.
    private func bindDetails(_ row: SQLiteStatement, _ exchange: borrowing Exchange) throws {
        let timing = exchange.timing
        try row.bind(13, optional: timing.dns)
        try row.bind(14, optional: timing.connect)
        try row.bind(15, optional: timing.tls)
        try row.bind(16, optional: timing.send)
        try row.bind(17, optional: timing.wait)
        try row.bind(18, optional: timing.receive)
        try row.bind(19, optional: timing.total)
        try row.bind(20, optional: exchange.request.body.size)
        if let response = exchange.response { try row.bind(21, optional: response.body.size) }
        try row.bind(22, nonEmpty: exchange.connection.client)
        try row.bind(23, nonEmpty: exchange.connection.server)
        if let correlation = Correlation.find(in: exchange) {
            try row.bind(24, text: correlation.span)
        }
        if let error = exchange.error {
            try row.bind(25, text: error.code)
            try row.bind(26, text: error.message)
        }
    }

    private func bind(
        _ row: SQLiteStatement,
        _ column: Int32,
        _ reference: BodyReference,
        _ body: borrowing Body
    ) throws {
        switch reference {
        case .none: break
        case .inRow: try row.bind(column, bytes: body.bytes.span)
        case .stored(let id): try row.bind(column, integer: id)
        }
    }

    /// Binds tags, fields and less common parts: columns 27, 30 and 31.
    private func bindJSON(_ row: SQLiteStatement, _ exchange: borrowing Exchange) throws {
        if !exchange.tags.isEmpty {
            encoder.tags(exchange.tags)
            try encoder.bind(to: row, 27)
        }
        encoder.fields(exchange)
        try encoder.bind(to: row, 30)
        if encoder.extra(exchange) { try encoder.bind(to: row, 31) }
    }

    private static let insertion = """
        INSERT INTO exchanges VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
            ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31)
        """
}
