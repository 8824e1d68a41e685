// SPDX-License-Identifier: MIT

internal import TaplineQuery

/// A column of `exchanges` from which a part of an exchange is decoded.
///
/// The order is that of the table, whose large columns are the last ones.
enum RowColumn: Int, CaseIterable, Sendable {
    case source, state, method, host, target, version, status, reason
    case dns, connect, tls, send, wait, receive, total
    case requestSize, responseSize, client, server, errorCode, errorMessage
    case tags, requestBody, responseBody, fields, extra

    /// The name in the database.
    var name: String {
        switch self {
        case .source: "source"
        case .state: "state"
        case .method: "method"
        case .host: "host"
        case .target: "target"
        case .version: "version"
        case .status: "status"
        case .reason: "reason"
        case .dns: "dns_us"
        case .connect: "connect_us"
        case .tls: "tls_us"
        case .send: "send_us"
        case .wait: "wait_us"
        case .receive: "receive_us"
        case .total: "total_us"
        case .requestSize: "request_size"
        case .responseSize: "response_size"
        case .client: "client"
        case .server: "server"
        case .errorCode: "error_code"
        case .errorMessage: "error_message"
        case .tags: "tags"
        case .requestBody: "request_body"
        case .responseBody: "response_body"
        case .fields: "fields"
        case .extra: "extra"
        }
    }
}

/// The columns that are read of a row; `seq`, `id` and `started` always are.
struct RowColumns: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(of columns: RowColumn...) {
        rawValue = columns.reduce(0) { $0 | 1 << UInt32($1.rawValue) }
    }

    /// Every column.
    static let all = RowColumns(rawValue: (1 << UInt32(RowColumn.allCases.count)) - 1)

    /// What the request line has.
    static let line = RowColumns(of: .method, .host, .target, .version)

    /// The columns of the parts that a result needs to have.
    init(_ parts: StoreParts) {
        self = .all
        if !parts.contains(.tags) { remove(RowColumns(of: .tags)) }
        if !parts.contains(.fields) { remove(RowColumns(of: .fields)) }
        if !parts.contains(.bodies) { remove(RowColumns(of: .requestBody, .responseBody)) }
        if !parts.contains(.extra) { remove(RowColumns(of: .extra)) }
    }

    /// The columns that the values of fields are decoded from.
    init(usedBy fields: some Sequence<Field>) {
        self = []
        for field in fields { formUnion(Self.columns(of: field)) }
    }

    func contains(_ column: RowColumn) -> Bool {
        rawValue & 1 << UInt32(column.rawValue) != 0
    }

    private static let requestContent = RowColumns(of: .requestBody, .requestSize, .extra)
    private static let responseContent = RowColumns(
        of: .status,
        .responseBody,
        .responseSize,
        .extra
    )

    /// What belongs to a response is decoded only if there is one, which its status shows.
    private static func columns(of field: Field) -> RowColumns {
        switch field {
        case .id, .started, .env: []
        case .source: RowColumns(of: .source)
        case .state: RowColumns(of: .state)
        case .method: RowColumns(of: .method)
        case .url: RowColumns(of: .method, .host, .target)
        case .scheme, .host, .port: RowColumns(of: .host)
        case .path, .route, .query: RowColumns(of: .target)
        case .status, .statusClass: RowColumns(of: .status)
        case .client: RowColumns(of: .client)
        case .server: RowColumns(of: .server)
        case .duration: RowColumns(of: .total)
        case .error: RowColumns(of: .errorCode)
        case .correlation: RowColumns(of: .tags, .status, .fields)
        case .contentType: RowColumns(of: .status, .fields, .extra)
        case .tag: RowColumns(of: .tags)
        case .requestVersion: RowColumns(of: .version)
        case .responseVersion: RowColumns(of: .version, .status, .extra)
        case .requestHeader, .requestCookie: RowColumns(of: .fields)
        case .responseHeader, .responseCookie: RowColumns(of: .status, .fields)
        case .requestBody, .requestJSON: requestContent
        case .responseBody, .responseJSON: responseContent
        case .json: requestContent.union(responseContent)
        case .requestSize: RowColumns(of: .requestSize)
        case .responseSize: RowColumns(of: .status, .responseSize)
        case .grpcService, .grpcMethod: RowColumns(of: .target, .fields, .extra)
        case .grpcStatus: RowColumns(of: .target, .tags, .status, .fields, .extra)
        case .tlsVersion, .bytesUp, .bytesDown, .messageText, .note, .mark:
            RowColumns(of: .extra)
        case .any:
            RowColumns(of: .method, .host, .target, .fields).union(requestContent)
                .union(responseContent)
        }
    }
}

/// Where the rows of a statement have the columns of an exchange.
struct RowLayout: Sendable {
    static let seq: Int32 = 0
    static let id: Int32 = 1
    static let started: Int32 = 2
    private static let first: Int32 = 3

    let columns: RowColumns
    /// For each column, its position; negative if it is not read.
    private let positions: [Int32]

    init(_ columns: RowColumns) {
        self.columns = columns
        var positions = [Int32](repeating: -1, count: RowColumn.allCases.count)
        var next = Self.first
        for column in RowColumn.allCases where columns.contains(column) {
            positions[column.rawValue] = next
            next += 1
        }
        self.positions = positions
    }

    /// The position of a column; `nil` if it is not read.
    subscript(_ column: RowColumn) -> Int32? {
        let position = positions[column.rawValue]
        return position < 0 ? nil : position
    }

    /// The columns to select from `exchanges e`.
    var selection: String {
        let names = RowColumn.allCases.filter { columns.contains($0) }.map(\.name)
        return (["seq", "id", "started"] + names).map { "e.\($0)" }.joined(separator: ", ")
    }

    /// The statement that reads one exchange by its number.
    var selectOne: String { "SELECT \(selection) FROM exchanges e WHERE e.seq = ?1" }
}
