// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineFormats
import TaplineJSON
import TaplineModel

/// The start of a body as lines of text: decoded, with JSON indented; binary content is only named.
struct BodyPreview: ~Copyable {
    /// The maximum number of bytes shown.
    let limit: Int
    private var parser = JSONParser(maxDepth: 128)

    /// The maximum size that is decoded or parsed as JSON; larger bodies are shown as received.
    private static let workLimit = 4 << 20

    init(limit: Int) { self.limit = max(limit, 0) }

    mutating func write(_ body: Body, _ fields: FieldSection, to text: inout TerminalText) {
        guard !body.bytes.isEmpty else {
            if let size = body.size, size > 0 {
                Self.note("\(Quantities.size(size)), not kept", to: &text)
            }
            return
        }
        guard let content = ReadableContent(body, fields, limit: Self.workLimit) else {
            let codings = ContentCoding.list(body.coding.span)
            let name = codings.map(\.name).joined(separator: ", ")
            Self.note("\(Quantities.size(body.shownSize)) in \(name), cannot be decoded", to: &text)
            return
        }
        let bytes = content.bytes
        if content.mayBeJSON, content.isWhole, bytes.count <= Self.workLimit,
            writeJSON(bytes.span, to: &text)
        {
            return
        }
        if content.isBinary {
            let type = body.mediaType(fields)
            let name = type.isEmpty ? "" : ", \(TerminalText.plain(type.span))"
            Self.note("\(Quantities.size(body.shownSize ?? bytes.count))\(name)", to: &text)
            return
        }
        let shown = min(limit, bytes.count)
        Self.lines(bytes.span.extracting(0..<shown), to: &text)
        if shown < bytes.count || !content.isWhole {
            Self.note("\(Quantities.size(body.shownSize)) in all", to: &text)
        }
    }

    /// Writes indented JSON; returns `false` if the bytes are not JSON.
    private mutating func writeJSON(_ bytes: Span<UInt8>, to text: inout TerminalText) -> Bool {
        let limit = self.limit
        guard let document = try? parser.parse(bytes) else { return false }
        var writer = JSONWriter()
        // The limit is one byte more than is shown, to detect whether the output was cut.
        let isWhole = writer.pretty(document.root, limit: limit + 1) && writer.count <= limit
        let shown = min(limit, writer.count)
        Self.lines(writer.bytes.extracting(0..<shown), to: &text)
        if !isWhole { Self.note("\(Quantities.size(bytes.count)) in all", to: &text) }
        return true
    }

    /// Shows text line by line; the last line may be cut within a character.
    private static func lines(_ bytes: Span<UInt8>, to text: inout TerminalText) {
        var start = 0
        while start < bytes.count {
            let end = bytes.firstIndex(of: .ascii("\n"), from: start) ?? bytes.count
            var stop = end
            if stop > start, bytes[stop - 1] == .ascii("\r") { stop -= 1 }
            text.spaces(VerboseBlock.indent)
            text.showTabbed(bytes.extracting(start..<stop))
            text.newLine()
            start = end + 1
        }
    }

    private static func note(_ words: String, to text: inout TerminalText) {
        text.spaces(VerboseBlock.indent)
        text.put("(\(words))", .dim)
        text.newLine()
    }
}
