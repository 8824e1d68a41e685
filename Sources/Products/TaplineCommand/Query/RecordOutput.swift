// SPDX-License-Identifier: MIT

internal import TaplineExport
internal import TaplineFormats
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStore

/// Writes whole records with a writer of exports.
struct RecordOutput: QueryWriter {
    private var writer: any ExportWriter
    private var chain = RecordChain()
    let isDocument: Bool

    init(_ format: ExportFormat) {
        writer = format.makeWriter()
        isDocument = format == .har
    }

    var parts: StoreParts { .all }

    mutating func begin(to text: inout TerminalText) { _ = writer.start(to: &text.bytes) }

    mutating func write(_ exchange: Exchange, to text: inout TerminalText) {
        guard case .sealed(let record) = chain.seal(exchange) else { return }
        _ = writer.write(record, to: &text.bytes)
    }

    mutating func end(to text: inout TerminalText) { _ = writer.finish(to: &text.bytes) }
}

/// Writes whole records as one JSON array, one record a line.
struct RecordArray: QueryWriter {
    private var lines = RecordOutput(.ndjson)
    private var isFirst = true

    var parts: StoreParts { .all }
    var isDocument: Bool { true }

    mutating func begin(to text: inout TerminalText) { text.put("[") }

    mutating func write(_ exchange: Exchange, to text: inout TerminalText) {
        var line = TerminalText(isColoured: false)
        lines.write(exchange, to: &line)
        guard line.bytes.last == UInt8(ascii: "\n") else { return }
        if !isFirst { text.put(",") }
        isFirst = false
        text.newLine()
        text.bytes += line.bytes.dropLast()
    }

    mutating func end(to text: inout TerminalText) {
        if !isFirst { text.newLine() }
        text.put("]")
        text.newLine()
    }
}

/// Writes the ids, one a line.
struct IDLines: QueryWriter {
    var parts: StoreParts { [] }

    mutating func write(_ exchange: Exchange, to text: inout TerminalText) {
        exchange.id.append(to: &text.bytes)
        text.newLine()
    }
}

/// Writes the URLs, one a line; control characters and spaces are percent-encoded.
struct URLLines: QueryWriter {
    var parts: StoreParts { [] }

    mutating func write(_ exchange: Exchange, to text: inout TerminalText) {
        var url: [UInt8] = []
        for byte in Array(copying: exchange.request.url.span) {
            if byte > 0x20, byte != 0x7F {
                url.append(byte)
            } else {
                PercentEncoding.escape(byte, into: &url)
            }
        }
        // What a terminal might interpret becomes visible.
        text.show(url.span)
        text.newLine()
    }
}

extension QueryTable: QueryWriter {
    /// The size of a body may be in the byte counts.
    var parts: StoreParts { .extra }

    mutating func begin(to text: inout TerminalText) { writeTitles(to: &text) }
}
