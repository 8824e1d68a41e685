// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel
internal import TaplineSQL

/// Reads exchanges from rows: the inverse of what the sink `sqlite` writes.
///
/// **Isolation**: the thread of its connection; within a transaction.
final class RowDecoder {
    /// The columns of `DatabaseSchema.columns`.
    private enum Column {
        static let seq: Int32 = 0
        static let id: Int32 = 1
        static let started: Int32 = 2
        static let source: Int32 = 3
        static let state: Int32 = 4
        static let method: Int32 = 5
        static let host: Int32 = 6
        static let target: Int32 = 7
        static let version: Int32 = 8
        static let status: Int32 = 9
        static let reason: Int32 = 10
        static let dns: Int32 = 11
        static let connect: Int32 = 12
        static let tls: Int32 = 13
        static let send: Int32 = 14
        static let wait: Int32 = 15
        static let receive: Int32 = 16
        static let total: Int32 = 17
        static let requestSize: Int32 = 18
        static let responseSize: Int32 = 19
        static let client: Int32 = 20
        static let server: Int32 = 21
        static let errorCode: Int32 = 22
        static let errorMessage: Int32 = 23
        static let tags: Int32 = 24
        static let requestBody: Int32 = 25
        static let responseBody: Int32 = 26
        static let fields: Int32 = 27
        static let extra: Int32 = 28
    }

    /// What is wrong with a row.
    struct Problem: Error {
        let message: String
    }

    /// The memory of columns up to this size is kept for the next ones.
    private static let keptBytes = 1 << 20

    private let bodies: StoredBodies
    private let hosts: HostNames
    private var reader = RecordPartReader()
    /// How many bodies were missing or damaged.
    private(set) var missingBodies = 0

    init(_ connection: SQLiteConnection, _ path: String) throws {
        bodies = try StoredBodies(connection, path)
        hosts = try HostNames(connection)
    }

    /// Discards cached rows of other tables: a writer may have changed them.
    func refresh() { hosts.removeAll() }

    /// The key of the current row.
    func key(_ row: SQLiteStatement) throws(Problem) -> StoreKey {
        guard let id = row.withBlob(Column.id, { ExchangeID(bytes: $0) }) else {
            throw Problem(message: "malformed id")
        }
        return StoreKey(
            number: row.integer(Column.seq),
            started: Timestamp(microseconds: row.integer(Column.started)),
            id: id
        )
    }

    /// Reads the exchange of the current row.
    ///
    /// **Throws**: `Problem` if the row cannot be understood; `SQLiteError` or `FileError` if the
    /// database cannot be read.
    func exchange(_ row: SQLiteStatement, _ key: StoreKey) throws -> Exchange {
        let state = row.withText(Column.state) { name in
            ExchangeState.allCases.first { name.equals($0.name) }
        }
        guard let state else { throw Problem(message: "unknown state") }
        var exchange = Exchange(
            id: key.id,
            source: row.text(Column.source) ?? "",
            state: state,
            started: key.started
        )
        try readRequest(row, &exchange.request)
        if !row.isNull(Column.status) { exchange.response = try response(row, exchange.request) }
        readDetails(row, &exchange)
        try readJSON(row, &exchange)
        return exchange
    }

    private func readRequest(_ row: SQLiteStatement, _ request: inout Request) throws {
        guard let host = try hosts.name(row.integer(Column.host)) else {
            throw Problem(message: "unknown host")
        }
        request.method = bytes(row, Column.method)
        request.target = bytes(row, Column.target)
        request.scheme = host.scheme
        request.authority = host.authority
        request.version = bytes(row, Column.version)
        request.body = try body(row, Column.requestBody, size: Column.requestSize)
    }

    private func response(
        _ row: SQLiteStatement,
        _ request: borrowing Request
    ) throws -> Response {
        // If the version differs from that of the request, it is in `extra`.
        Response(
            status: Int(clamping: row.integer(Column.status)),
            reason: bytes(row, Column.reason),
            version: request.version,
            body: try body(row, Column.responseBody, size: Column.responseSize)
        )
    }

    private func readDetails(_ row: SQLiteStatement, _ exchange: inout Exchange) {
        exchange.timing.dns = microseconds(row, Column.dns)
        exchange.timing.connect = microseconds(row, Column.connect)
        exchange.timing.tls = microseconds(row, Column.tls)
        exchange.timing.send = microseconds(row, Column.send)
        exchange.timing.wait = microseconds(row, Column.wait)
        exchange.timing.receive = microseconds(row, Column.receive)
        exchange.timing.total = microseconds(row, Column.total)
        exchange.connection.client = row.text(Column.client) ?? ""
        exchange.connection.server = row.text(Column.server) ?? ""
        if let code = row.text(Column.errorCode) {
            exchange.error = ExchangeError(code: code, message: row.text(Column.errorMessage) ?? "")
        }
    }

    private func readJSON(_ row: SQLiteStatement, _ exchange: inout Exchange) throws {
        var largest = 0
        do throws(RecordError) {
            if !row.isNull(Column.tags) {
                try row.withText(Column.tags) { json throws(RecordError) in
                    largest = max(largest, json.count)
                    try reader.tags(json, into: &exchange.tags)
                }
            }
            if !row.isNull(Column.fields) {
                try row.withText(Column.fields) { json throws(RecordError) in
                    largest = max(largest, json.count)
                    try reader.fields(json, into: &exchange)
                }
            }
            if !row.isNull(Column.extra) {
                try row.withText(Column.extra) { json throws(RecordError) in
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
    private func body(_ row: SQLiteStatement, _ column: Int32, size: Int32) throws -> Body {
        let wireSize = row.isNull(size) ? nil : Int(clamping: row.integer(size))
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

    private func microseconds(_ row: SQLiteStatement, _ column: Int32) -> Microseconds? {
        row.isNull(column) ? nil : Microseconds(row.integer(column))
    }
}
