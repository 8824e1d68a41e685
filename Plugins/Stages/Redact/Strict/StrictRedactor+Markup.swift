// SPDX-License-Identifier: MIT

internal import TaplineModel

/// HTML and XML: tags with known names are kept; text and attributes are values.
extension StrictRedactor {
    /// Writes markup.
    mutating func markup(_ bytes: Span<UInt8>, _ level: Int, into output: inout [UInt8]) {
        var position = 0
        while position < bytes.count {
            let open = bytes.firstIndex(of: .ascii("<"), from: position) ?? bytes.count
            content(bytes.extracting(position..<open), level, into: &output)
            guard open < bytes.count else { return }
            position = element(bytes, open, level, into: &output)
        }
    }

    /// Writes what begins with `<`; returns where it ends.
    private mutating func element(
        _ bytes: Span<UInt8>,
        _ open: Int,
        _ level: Int,
        into output: inout [UInt8]
    ) -> Int {
        let rest = bytes.extracting(open...)
        for (begin, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<!", ">"), ("<?", "?>")]
        where rest.starts(with: begin) {
            return enclosed(bytes, open, begin, end, level, into: &output)
        }
        guard let close = Self.endOfTag(bytes, open) else {
            output.append(.ascii("<"))
            text(bytes.extracting((open + 1)...), strict.value, level, into: &output)
            return bytes.count
        }
        var start = open + 1
        output.append(.ascii("<"))
        if bytes[start] == .ascii("/") {
            output.append(.ascii("/"))
            start += 1
        }
        var end = start
        while end < close, Self.isName(bytes[end]) { end += 1 }
        let name = bytes.extracting(start..<end)
        markupName(name, into: &output)
        attributes(bytes.extracting(end..<close), level, into: &output)
        output.append(.ascii(">"))
        guard name.equalsIgnoringCase("script") || name.equalsIgnoringCase("style"),
            bytes[open + 1] != .ascii("/")
        else { return close + 1 }
        // The content up to the end tag is not markup.
        var tail = close + 1
        while tail < bytes.count, !Self.ends(name, bytes, tail) { tail += 1 }
        let inner = bytes.extracting(close + 1..<tail)
        value(inner, strict.value, level, into: &output)
        return tail
    }

    /// Writes a comment, a section or a declaration; without an end, it extends to the end of the
    /// text.
    private mutating func enclosed(
        _ bytes: Span<UInt8>,
        _ open: Int,
        _ begin: String,
        _ end: String,
        _ level: Int,
        into output: inout [UInt8]
    ) -> Int {
        let start = open + begin.utf8.count
        var close = start
        while close < bytes.count, !bytes.extracting(close...).starts(with: end) { close += 1 }
        let inner = bytes.extracting(start..<close)
        output.append(copying: begin.utf8.span)
        switch begin {
        case "<![CDATA[": value(inner, strict.value, level, into: &output)
        case "<?", "<!": declaration(inner, level, into: &output)
        default: text(inner, strict.value, level, into: &output)
        }
        guard close < bytes.count else { return close }
        output.append(copying: end.utf8.span)
        return close + end.utf8.count
    }

    /// Writes a declaration: `DOCTYPE html`, `xml version="1.0"`.
    private mutating func declaration(
        _ text: Span<UInt8>,
        _ level: Int,
        into output: inout [UInt8]
    ) {
        var end = 0
        while end < text.count, Self.isName(text[end]) { end += 1 }
        markupName(text.extracting(0..<end), into: &output)
        attributes(text.extracting(end...), level, into: &output)
    }

    /// Returns where a tag ends; a `>` within quotes does not end it.
    private static func endOfTag(_ bytes: Span<UInt8>, _ open: Int) -> Int? {
        guard open + 1 < bytes.count, isName(bytes[open + 1]) || bytes[open + 1] == .ascii("/")
        else { return nil }
        var quote: UInt8 = 0
        var position = open + 1
        while position < bytes.count {
            let byte = bytes[position]
            if quote != 0 {
                if byte == quote { quote = 0 }
            } else if byte == .ascii(">") {
                return position
            } else if byte == .ascii("\"") || byte == .ascii("'") {
                quote = byte
            }
            position += 1
        }
        return nil
    }

    private static func ends(_ name: Span<UInt8>, _ bytes: Span<UInt8>, _ position: Int) -> Bool {
        let start = position + 2
        return bytes[position] == .ascii("<") && start + name.count <= bytes.count
            && bytes[position + 1] == .ascii("/")
            && bytes.extracting(start..<start + name.count).equalsIgnoringCase(name)
    }

    private static func isName(_ byte: UInt8) -> Bool {
        Pseudonyms.isAlphanumeric(byte) || byte == .ascii("-") || byte == .ascii("_")
            || byte == .ascii(":") || byte == .ascii(".") || byte >= 0x80
    }

    /// Writes the name of an element or an attribute, the parts around a colon separately.
    private mutating func markupName(_ name: Span<UInt8>, into output: inout [UInt8]) {
        guard !words.isMarkup(name), !name.isEmpty else {
            output.append(copying: name)
            return
        }
        var start = 0
        while start <= name.count {
            let end = name.firstIndex(of: .ascii(":"), from: start) ?? name.count
            let part = name.extracting(start..<end)
            if words.isMarkup(part) || isReplacement(part) {
                output.append(copying: part)
            } else if !part.isEmpty {
                output += self.name(part)
            }
            if end < name.count { output.append(.ascii(":")) }
            start = end + 1
        }
    }

    // MARK: Values

    private mutating func attributes(
        _ text: Span<UInt8>,
        _ level: Int,
        into output: inout [UInt8]
    ) {
        var position = 0
        while position < text.count {
            let start = position
            while position < text.count, Self.isName(text[position]) { position += 1 }
            if position > start {
                markupName(text.extracting(start..<position), into: &output)
                continue
            }
            let byte = text[position]
            position += 1
            output.append(byte)
            if byte == .ascii("\"") || byte == .ascii("'") {
                let end = text.firstIndex(of: byte, from: position) ?? text.count
                content(text.extracting(position..<end), level, into: &output)
                if end < text.count { output.append(byte) }
                position = end + 1
            } else if byte == .ascii("=") {
                while position < text.count, JSONOutline.isBlank(text[position]) {
                    output.append(text[position])
                    position += 1
                }
                let value = position
                while position < text.count, !JSONOutline.isBlank(text[position]),
                    text[position] != .ascii("\""), text[position] != .ascii("'")
                {
                    position += 1
                }
                content(text.extracting(value..<position), level, into: &output)
            }
        }
    }

    /// Writes text or the value of an attribute: as a value, with its references decoded.
    private mutating func content(
        _ text: Span<UInt8>,
        _ level: Int,
        into output: inout [UInt8]
    ) {
        guard !text.isEmpty else { return }
        let meaning = MarkupReferences.decode(text)
        var written: [UInt8] = []
        value(meaning.span, strict.value, level + 1, into: &written)
        if written == meaning {
            output.append(copying: text)
        } else {
            MarkupReferences.append(written, to: &output)
        }
    }
}

/// The references of HTML and XML that are used in values.
enum MarkupReferences {
    private static let names: [(String, UInt8)] = [
        ("&amp;", .ascii("&")), ("&lt;", .ascii("<")), ("&gt;", .ascii(">")),
        ("&quot;", .ascii("\"")), ("&apos;", .ascii("'")), ("&nbsp;", .ascii(" ")),
    ]

    /// Decodes references.
    static func decode(_ text: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        var position = 0
        while position < text.count {
            guard text[position] == .ascii("&"),
                let (bytes, end) = reference(text, position)
            else {
                output.append(text[position])
                position += 1
                continue
            }
            output += bytes
            position = end
        }
        return output
    }

    private static func reference(_ text: Span<UInt8>, _ start: Int) -> (bytes: [UInt8], end: Int)?
    {
        let rest = text.extracting(start..<min(text.count, start + 12))
        for (name, byte) in names where rest.starts(with: name) {
            return ([byte], start + name.utf8.count)
        }
        guard rest.count > 3, rest[1] == .ascii("#") else { return nil }
        let isHex = rest[2] | 0x20 == .ascii("x")
        var value: UInt32 = 0
        var position = isHex ? 3 : 2
        let first = position
        while position < rest.count, let digit = rest[position].hexDigit, isHex || digit < 10 {
            value = value &* (isHex ? 16 : 10) &+ UInt32(digit)
            position += 1
        }
        guard position > first, let scalar = Unicode.Scalar(value) else { return nil }
        if position < rest.count, rest[position] == .ascii(";") { position += 1 }
        return (Array(String(Character(scalar)).utf8), start + position)
    }

    /// Appends a text, escaped for markup text and quoted attributes.
    static func append(_ text: [UInt8], to output: inout [UInt8]) {
        for byte in text {
            switch byte {
            case .ascii("&"): output += "&amp;".utf8
            case .ascii("<"): output += "&lt;".utf8
            case .ascii(">"): output += "&gt;".utf8
            case .ascii("\""): output += "&quot;".utf8
            case .ascii("'"): output += "&#39;".utf8
            default: output.append(byte)
            }
        }
    }
}
