// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore

/// Writes the values of fields as comma-separated values, after a line of names.
struct ColumnCSV: QueryWriter {
    /// The fields that are shown unless others are chosen.
    static let usual =
        (try? FieldReference.list(
            "id, started, duration, state, method, url, status, content_type, request.size, "
                + "response.size, client, server, error"
        )) ?? []

    private let fields: [FieldReference]
    private let isOnTerminal: Bool
    private var csv = CSVText()

    /// Creates a writer; on a terminal, control characters are visible.
    init(_ fields: [FieldReference], onTerminal isOnTerminal: Bool) {
        self.fields = fields
        self.isOnTerminal = isOnTerminal
    }

    var parts: StoreParts { StoreParts(usedBy: fields) }
    var isDocument: Bool { true }

    mutating func begin(to text: inout TerminalText) {
        for field in fields { csv.text(StatsJSON.key(of: .field(field))) }
        endLine(&text)
    }

    mutating func write(_ exchange: Exchange, to text: inout TerminalText) {
        for field in fields { StatsCSV.write(field.value(in: exchange), .field(field), &csv) }
        endLine(&text)
    }

    private mutating func endLine(_ text: inout TerminalText) {
        csv.endLine()
        if isOnTerminal {
            text.showLines(csv.bytes.span)
        } else {
            text.bytes += csv.bytes
        }
        csv.removeAll()
    }
}

/// Writes the values of fields as JSON objects, one a line.
final class ColumnJSON: QueryWriter {
    private let fields: [FieldReference]
    private let isArray: Bool
    private var isFirst = true
    private var json = JSONWriter()

    init(_ fields: [FieldReference], isArray: Bool) {
        self.fields = fields
        self.isArray = isArray
    }

    var parts: StoreParts { StoreParts(usedBy: fields) }
    var isDocument: Bool { isArray }

    func begin(to text: inout TerminalText) { if isArray { text.put("[") } }

    func write(_ exchange: Exchange, to text: inout TerminalText) {
        if isArray {
            if !isFirst { text.put(",") }
            text.newLine()
        }
        isFirst = false
        json.removeAll()
        json.beginObject()
        for field in fields {
            json.key(StatsJSON.key(of: .field(field)).utf8.span)
            StatsJSON.write(field.value(in: exchange), of: .field(field), to: &json)
        }
        json.endObject()
        text.bytes += Array(copying: json.bytes)
        if !isArray { text.newLine() }
    }

    func end(to text: inout TerminalText) {
        guard isArray else { return }
        if !isFirst { text.newLine() }
        text.put("]")
        text.newLine()
    }
}
