// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel
internal import TaplineSQL

/// Reads exchanges from rows: the inverse of what the sink `sqlite` writes.
///
/// **Isolation**: the thread of its connection; within a transaction.
final class RowDecoder {
    /// What is wrong with a row.
    struct Problem: Error {
        let message: String
    }

    /// The memory of columns up to this size is kept for the next ones.
    private static let keptBytes = 1 << 20

    private let bodies: StoredBodies
    private let hosts: HostNames
    /// What people wrote; `nil` if the schema has no tables for it.
    private let annotations: Annotations?
    private var reader = RecordPartReader()
    /// How many bodies were missing or damaged.
    private(set) var missingBodies = 0

    init(
        _ connection: SQLiteConnection,
        _ path: String,
        schema: Int,
        maxBodyBytes: Int? = nil
    ) throws {
        bodies = try StoredBodies(connection, path, maxBytes: maxBodyBytes)
        hosts = try HostNames(connection)
        annotations = schema >= Annotations.schema ? try Annotations(connection) : nil
    }

    /// Discards cached rows of other tables: a writer may have changed them.
    func refresh() {
        hosts.removeAll()
        annotations?.refresh()
    }

    /// The key of the current row.
    func key(_ row: SQLiteStatement) throws(Problem) -> StoreKey {
        guard let id = row.withBlob(RowLayout.id, { ExchangeID(bytes: $0) }) else {
            throw Problem(message: "malformed id")
        }
        return StoreKey(
            number: row.integer(RowLayout.seq),
            started: Timestamp(microseconds: row.integer(RowLayout.started)),
            id: id
        )
    }

    /// Reads the exchange of the current row, for the columns that the statement has.
    ///
    /// **Throws**: `Problem` if the row cannot be understood; `SQLiteError` or `FileError` if the
    /// database cannot be read.
    func exchange(
        _ row: SQLiteStatement,
        _ key: StoreKey,
        _ layout: RowLayout
    ) throws -> Exchange {
        var exchange = Exchange(
            id: key.id,
            source: text(row, layout[.source]),
            state: try state(row, layout[.state]),
            started: key.started
        )
        try readRequest(row, layout, &exchange.request)
        if let status = layout[.status], !row.isNull(status) {
            exchange.response = try response(row, layout, status, exchange.request)
        }
        readDetails(row, layout, &exchange)
        try readJSON(row, layout, &exchange)
        try annotations?.add(to: &exchange, key.number, layout.columns)
        return exchange
    }

    private func state(_ row: SQLiteStatement, _ column: Int32?) throws(Problem) -> ExchangeState {
        guard let column else { return .completed }
        let state = row.withText(column) { name in
            ExchangeState.allCases.first { name.equals($0.name) }
        }
        guard let state else { throw Problem(message: "unknown state") }
        return state
    }

    /// Reads the request line of the current row, for the columns that the statement has.
    ///
    /// **Throws**: as `exchange`.
    func readLine(
        _ row: SQLiteStatement,
        _ layout: RowLayout,
        _ request: inout Request
    ) throws {
        if let column = layout[.host] {
            guard let host = try hosts.name(row.integer(column)) else {
                throw Problem(message: "unknown host")
            }
            request.scheme = host.scheme
            request.authority = host.authority
        }
        if let column = layout[.method] { request.method = bytes(row, column) }
        if let column = layout[.target] { request.target = bytes(row, column) }
        if let column = layout[.version] { request.version = bytes(row, column) }
    }

    private func readRequest(
        _ row: SQLiteStatement,
        _ layout: RowLayout,
        _ request: inout Request
    ) throws {
        try readLine(row, layout, &request)
        request.body = try body(row, layout[.requestBody], size: layout[.requestSize])
    }

    private func response(
        _ row: SQLiteStatement,
        _ layout: RowLayout,
        _ status: Int32,
        _ request: borrowing Request
    ) throws -> Response {
        // If the version differs from that of the request, it is in `extra`.
        Response(
            status: Int(clamping: row.integer(status)),
            reason: layout[.reason].map { bytes(row, $0) } ?? ByteString(),
            version: request.version,
            body: try body(row, layout[.responseBody], size: layout[.responseSize])
        )
    }

    private func readDetails(
        _ row: SQLiteStatement,
        _ layout: RowLayout,
        _ exchange: inout Exchange
    ) {
        exchange.timing.total = microseconds(row, layout[.total])
        // The other times are read together or not at all.
        if layout[.dns] != nil {
            exchange.timing.dns = microseconds(row, layout[.dns])
            exchange.timing.connect = microseconds(row, layout[.connect])
            exchange.timing.tls = microseconds(row, layout[.tls])
            exchange.timing.send = microseconds(row, layout[.send])
            exchange.timing.wait = microseconds(row, layout[.wait])
            exchange.timing.receive = microseconds(row, layout[.receive])
        }
        if layout[.client] != nil { exchange.connection.client = text(row, layout[.client]) }
        if layout[.server] != nil { exchange.connection.server = text(row, layout[.server]) }
        if let column = layout[.errorCode], let code = row.text(column) {
            exchange.error = ExchangeError(code: code, message: text(row, layout[.errorMessage]))
        }
    }

    private func readJSON(
        _ row: SQLiteStatement,
        _ layout: RowLayout,
        _ exchange: inout Exchange
    ) throws {
        var largest = 0
        do throws(RecordError) {
            if let column = layout[.tags], !row.isNull(column) {
                try row.withText(column) { json throws(RecordError) in
                    largest = max(largest, json.count)
                    try reader.tags(json, into: &exchange.tags)
                }
            }
            if let column = layout[.fields], !row.isNull(column) {
                try row.withText(column) { json throws(RecordError) in
                    largest = max(largest, json.count)
                    try reader.fields(json, into: &exchange)
                }
            }
            if let column = layout[.extra], !row.isNull(column) {
                try row.withText(column) { json throws(RecordError) in
                    largest = max(largest, json.count)
                    try reader.extra(json, into: &exchange)
                }
            }
        } catch {
            throw Problem(message: error.message)
        }
        if largest > Self.keptBytes { reader.shrink(toPartsOf: Self.keptBytes) }
    }

    /// Reads a body; one that is missing is marked as truncated.
    private func body(_ row: SQLiteStatement, _ column: Int32?, size: Int32?) throws -> Body {
        let wireSize = size.flatMap { row.isNull($0) ? nil : Int(clamping: row.integer($0)) }
        guard let column else { return Body(bytes: [], size: wireSize) }
        guard row.type(column) == .integer else {
            return Body(bytes: row.blob(column), size: wireSize)
        }
        if let bytes = try bodies.read(row.integer(column)) {
            return Body(bytes: bytes, size: wireSize)
        }
        missingBodies += 1
        return Body(bytes: [], size: wireSize, isTruncated: true)
    }

    private func bytes(_ row: SQLiteStatement, _ column: Int32) -> ByteString {
        row.withBlob(column) { ByteString($0) }
    }

    private func text(_ row: SQLiteStatement, _ column: Int32?) -> String {
        column.flatMap { row.text($0) } ?? ""
    }

    private func microseconds(_ row: SQLiteStatement, _ column: Int32?) -> Microseconds? {
        column.flatMap { row.isNull($0) ? nil : Microseconds(row.integer($0)) }
    }
}
