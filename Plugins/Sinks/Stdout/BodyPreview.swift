// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineJSON
import TaplineModel

/// The beginning of a body as lines of text: decoded, JSON laid out, binary content named only.
struct BodyPreview: ~Copyable {
    /// The most bytes that are shown.
    let limit: Int
    private var parser = JSONParser(maxDepth: 128)

    /// What is decoded, or read as JSON, at most; beyond it a body is shown as it comes.
    private static let workLimit = 4 << 20

    init(limit: Int) { self.limit = max(limit, 0) }

    mutating func write(_ body: Body, _ fields: FieldSection, to text: inout TerminalText) {
        guard !body.bytes.isEmpty else {
            if let size = body.size, size > 0 {
                Self.note("\(Quantities.size(size)), not kept", to: &text)
            }
            return
        }
        var isWhole = !body.isTruncated
        let codings = ContentCoding.list(body.coding.span)
        guard let bytes = decoded(body.bytes, codings, &isWhole) else {
            let name = codings.map(\.name).joined(separator: ", ")
            Self.note("\(Quantities.size(body.shownSize)) in \(name), cannot be decoded", to: &text)
            return
        }
        let type = fields.mediaType
        if type.isJSONMediaType || looksLikeJSON(bytes.span), isWhole,
            bytes.count <= Self.workLimit,
            writeJSON(bytes.span, to: &text)
        {
            return
        }
        if isBinary(bytes.span, type) {
            let name = type.isEmpty ? "" : ", \(TerminalText.plain(type.span))"
            Self.note("\(Quantities.size(body.shownSize ?? bytes.count))\(name)", to: &text)
            return
        }
        let shown = min(limit, bytes.count)
        Self.lines(bytes.span.extracting(0..<shown), to: &text)
        if shown < bytes.count || !isWhole {
            Self.note("\(Quantities.size(body.shownSize)) in all", to: &text)
        }
    }

    /// The bytes without their codings; nothing where not even the beginning can be decoded.
    private func decoded(
        _ bytes: [UInt8],
        _ codings: [ContentCoding],
        _ isWhole: inout Bool
    ) -> [UInt8]? {
        var bytes = bytes
        for coding in codings.reversed() {
            var output: [UInt8] = []
            do {
                let limits = DecodingLimits(maxOutputBytes: Self.workLimit)
                try ContentDecoder(coding, limits: limits)
                    .decodeWhole(bytes.span, appendingTo: &output)
            } catch {
                if output.isEmpty { return nil }
                isWhole = false
            }
            bytes = output
        }
        return bytes
    }

    private func looksLikeJSON(_ bytes: Span<UInt8>) -> Bool {
        bytes[0] == .ascii("{") || bytes[0] == .ascii("[")
    }

    /// Lays JSON out; false where it is none.
    private mutating func writeJSON(_ bytes: Span<UInt8>, to text: inout TerminalText) -> Bool {
        let limit = self.limit
        guard let document = try? parser.parse(bytes) else { return false }
        var writer = JSONWriter()
        // One byte more than is shown, so that it is known whether that was all.
        let isWhole = writer.pretty(document.root, limit: limit + 1) && writer.count <= limit
        let shown = min(limit, writer.count)
        Self.lines(writer.bytes.extracting(0..<shown), to: &text)
        if !isWhole { Self.note("\(Quantities.size(bytes.count)) in all", to: &text) }
        return true
    }

    /// Whether the content is of no use on a terminal.
    private func isBinary(_ bytes: Span<UInt8>, _ type: ByteString) -> Bool {
        for kind in ["image/", "audio/", "video/", "font/"] where type.span.starts(with: kind) {
            return !type.span.equals("image/svg+xml")
        }
        let sample = bytes.extracting(0..<min(bytes.count, 1024))
        var odd = 0
        var index = 0
        while index < sample.count {
            let scalar = UTF8Scalar(sample, at: index)
            let isCutOff = scalar.value == nil && sample.count - index < 4
            let code = scalar.value?.value ?? 0
            if code == 0, !isCutOff { odd += 1 }
            if code < 0x20, code != 0, code != 0x09, code != 0x0A, code != 0x0D { odd += 1 }
            index += scalar.length
        }
        return odd * 10 > sample.count
    }

    /// Shows text line by line; the last one may be cut within a character.
    private static func lines(_ bytes: Span<UInt8>, to text: inout TerminalText) {
        var start = 0
        while start < bytes.count {
            let end = bytes.firstIndex(of: .ascii("\n"), from: start) ?? bytes.count
            var stop = end
            if stop > start, bytes[stop - 1] == .ascii("\r") { stop -= 1 }
            text.spaces(VerboseBlock.indent)
            showTabbed(bytes.extracting(start..<stop), to: &text)
            text.newLine()
            start = end + 1
        }
    }

    /// Shows a line with its tabs as spaces.
    private static func showTabbed(_ line: Span<UInt8>, to text: inout TerminalText) {
        var start = 0
        while let tab = line.firstIndex(of: .ascii("\t"), from: start) {
            text.show(line.extracting(start..<tab))
            text.spaces(4)
            start = tab + 1
        }
        text.show(line.extracting(start..<line.count))
    }

    private static func note(_ words: String, to text: inout TerminalText) {
        text.spaces(VerboseBlock.indent)
        text.put("(\(words))", .dim)
        text.newLine()
    }
}
