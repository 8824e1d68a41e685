// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL

/// A column whose order is that of a field's values, so that an index on it can sort.
///
/// The sink `sqlite` creates indexes on most of these columns if its option `indexes` names them.
enum IndexedColumn: Sendable {
    case id
    /// A column of integers; absent if NULL.
    case number(String)
    /// The status; absent if it is 0 or NULL.
    case status
    /// A column of text, which SQLite compares by its bytes; absent if empty or NULL.
    case text(String)
    /// A column of text that is absent if NULL; empty text is a value.
    case optionalText(String)

    /// The column of a field; `nil` if it has none in the order of its values.
    init?(_ field: Field) {
        switch field {
        case .id: self = .id
        case .started: self = .number("e.started")
        case .duration: self = .number("e.total_us")
        case .requestSize: self = .number("e.request_size")
        case .responseSize: self = .number("e.response_size")
        case .status: self = .status
        case .source: self = .text("e.source")
        case .client: self = .text("e.client")
        case .server: self = .text("e.server")
        case .error: self = .optionalText("e.error_code")
        default: return nil
        }
    }

    /// The column, with the alias `e` for `exchanges`.
    var name: String {
        switch self {
        case .id: "e.id"
        case .status: "e.status"
        case .number(let name), .text(let name), .optionalText(let name): name
        }
    }

    /// The condition of a row with a value, from which SQLite sees that a partial index is enough.
    var presence: String {
        switch self {
        case .id: "1"
        case .status: "e.status IS NOT NULL AND e.status <> 0"
        case .text(let name): "\(name) IS NOT NULL AND \(name) <> ''"
        case .number(let name), .optionalText(let name): "\(name) IS NOT NULL"
        }
    }

    /// The value in a column of the current row.
    func value(_ row: SQLiteStatement, _ column: Int32) -> FilterValue? {
        switch self {
        case .id:
            row.withBlob(column) { ExchangeID(bytes: $0) }.map { .text(Array($0.description.utf8)) }
        case .number, .status: .whole(row.integer(column))
        case .text, .optionalText: .text(row.withText(column) { Array(copying: $0) })
        }
    }

    /// Binds a value; `false` if the column cannot have it.
    func bind(
        _ value: FilterValue,
        to statement: SQLiteStatement,
        _ index: Int32
    ) throws(SQLiteError) -> Bool {
        switch (self, value) {
        case (.id, .text(let text)):
            guard let id = ExchangeID(text.span) else { return false }
            let bytes = id.bytes
            try statement.bind(index, blob: bytes.span)
        case (.number, .whole(let number)), (.status, .whole(let number)):
            try statement.bind(index, integer: number)
        case (.text, .text(let text)), (.optionalText, .text(let text)):
            try statement.bind(index, text: text.span)
        default: return false
        }
        return true
    }
}
