// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// The declared charset of a body: from its media type, an XML declaration or a `<meta>` of HTML.
enum DeclaredCharset {
    /// The size of the beginning of a body that may name its charset.
    private static let reach = 1024

    /// Returns the name of the declared charset, or `nil` if there is none or the media type
    /// declares UTF-8.
    ///
    /// A byte order mark is not a declaration: it is found in the bytes.
    static func label(of body: Span<UInt8>, _ label: ContentLabel) -> [UInt8]? {
        if !label.type.isEmpty, let value = Parameter.find("charset", in: label.type.span) {
            let name = label.type.span.extracting(value)
            // Most bodies with a charset declare this one.
            return name.equalsIgnoringCase("utf-8") ? nil : Array(copying: name)
        }
        switch label.kind {
        case .markup, .text, .untyped, .data: return inside(body)
        default: return nil
        }
    }

    /// Returns the charset that a page or an XML document declares itself.
    private static func inside(_ body: Span<UInt8>) -> [UInt8]? {
        var start = 0
        while start < min(body.count, 64), body[start] <= 0x20 { start += 1 }
        guard start < body.count, body[start] == .ascii("<") else { return nil }
        let head = body.extracting(start..<min(body.count, start + reach))
        return inDeclaration(head) ?? inMeta(head)
    }

    /// Whether a body begins like markup or a JSON object in single-byte ASCII; then its charset is
    /// a superset of ASCII.
    static func isPlainMarkup(_ body: Span<UInt8>) -> Bool {
        var start = 0
        while start < min(body.count, 64), body[start] <= 0x20 { start += 1 }
        guard start + 1 < body.count else { return false }
        switch (body[start], body[start + 1]) {
        case (.ascii("<"), 0x41...0x5A), (.ascii("<"), 0x61...0x7A), (.ascii("<"), .ascii("!")),
            (.ascii("<"), .ascii("?")), (.ascii("{"), .ascii("\"")):
            return true
        default: return false
        }
    }

    /// Returns the `encoding` of `<?xml version="1.0" encoding="…"?>` (XML 1.0, 4.3.3).
    static func inDeclaration(_ head: Span<UInt8>) -> [UInt8]? {
        guard head.starts(with: "<?xml") else { return nil }
        let end = head.firstIndex(of: .ascii(">")) ?? head.count
        return value(of: "encoding", in: head.extracting(0..<end))
    }

    /// Returns the charset of `<meta charset=…>` or `<meta http-equiv=… content="…; charset=…">`.
    private static func inMeta(_ head: Span<UInt8>) -> [UInt8]? {
        var start = 0
        while let open = head.firstIndex(of: .ascii("<"), from: start) {
            let end = head.firstIndex(of: .ascii(">"), from: open) ?? head.count
            let tag = head.extracting(open..<end)
            if tag.count > 5, tag.extracting(0..<5).equalsIgnoringCase("<meta"),
                let found = value(of: "charset", in: tag)
            {
                return found
            }
            start = open + 1
        }
        return nil
    }

    /// Returns the value after a name and `=` in a tag, up to a quote, a blank or a semicolon.
    private static func value(of name: String, in tag: Span<UInt8>) -> [UInt8]? {
        let count = name.utf8.count
        var start = 0
        while start + count < tag.count {
            defer { start += 1 }
            guard tag.extracting(start..<start + count).equalsIgnoringCase(name) else { continue }
            var position = start + count
            while position < tag.count, tag[position] <= 0x20 { position += 1 }
            guard position < tag.count, tag[position] == .ascii("=") else { continue }
            position += 1
            while position < tag.count, tag[position] <= 0x20 || isQuote(tag[position]) {
                position += 1
            }
            let first = position
            while position < tag.count, tag[position] > 0x20, !isQuote(tag[position]),
                tag[position] != .ascii(";"), tag[position] != .ascii("/")
            {
                position += 1
            }
            return Array(copying: tag.extracting(first..<position))
        }
        return nil
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        byte == .ascii("\"") || byte == .ascii("'")
    }
}
