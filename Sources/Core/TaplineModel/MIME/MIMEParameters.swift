// SPDX-License-Identifier: MIT

/// The parameters of a MIME field (RFC 2045 §5.1, RFC 2231), in all interpretations.
///
/// Servers differ in what a backslash means within quotes, whether names are percent-encoded, and
/// which of two parameters applies. All interpretations are kept; if they cannot all be listed, the
/// value is doubtful.
///
/// **Shape**: the value must be unfolded.
/// **Limits**: takes linear time, except for sorting continued parameters.
package struct MIMEParameters {
    private struct Item {
        /// The name, with the asterisks of RFC 2231.
        let name: [UInt8]
        /// The value without its quotes, including backslashes.
        let value: [UInt8]
    }

    /// All values that parsers may find for a parameter.
    package struct Readings {
        /// The values, with that of the specification first; empty if the parameter is missing.
        package var texts: [[UInt8]] = []
        /// Whether there may be values that are not listed, or several that contradict each other.
        package var isDoubtful = false
    }

    private var items: [Item] = []
    /// The parameters as found by parsers that take a backslash within quotes literally.
    private var literalItems: [Item] = []
    /// Whether the field contains something that is not a parameter.
    package private(set) var isDoubtful = false

    /// Parses a field's value: a type or disposition, and parameters after semicolons.
    package init(_ value: Span<UInt8>) {
        var reader = ParameterReader(hasEscapes: true)
        reader.read(value) { items.append(Item(name: $0, value: $1)) }
        isDoubtful = reader.isDoubtful
        guard reader.hasEscapedQuote else { return }
        var literal = ParameterReader(hasEscapes: false)
        literal.read(value) { literalItems.append(Item(name: $0, value: $1)) }
    }

    /// The values of a parameter; `name` must be lower case.
    package func readings(of name: String) -> Readings {
        let name = Array(name.utf8)
        var found = Readings(isDoubtful: isDoubtful)
        var values: [[UInt8]] = []
        var segments: [Segment] = []
        for item in items where item.name.starts(with: name) {
            let suffix = item.name.dropFirst(name.count)
            if suffix.isEmpty {
                values.append(item.value)
                found.texts.append(MIMEParameters.unquoted(item.value))
            } else if suffix.elementsEqual("*".utf8) {
                let (text, isKnown) = MIMEParameters.extended(item.value)
                values.append(item.value)
                found.texts.append(text)
                if !isKnown { found.isDoubtful = true }
            } else if let segment = Segment(suffix: suffix, value: item.value) {
                segments.append(segment)
            } else if suffix.first == .ascii("*") {
                found.isDoubtful = true
            }
        }
        if !segments.isEmpty {
            let (text, isKnown) = Segment.joined(&segments)
            found.texts.append(text)
            if !isKnown { found.isDoubtful = true }
        }
        if let first = found.texts.first, found.texts.contains(where: { $0 != first }) {
            found.isDoubtful = true
        }
        found.texts += values
        for item in literalItems where item.name == name { found.texts.append(item.value) }
        return found
    }

    /// The value with the backslashes of quoted pairs removed (RFC 5322 §3.2.1).
    private static func unquoted(_ value: [UInt8]) -> [UInt8] {
        guard value.contains(.ascii("\\")) else { return value }
        var text: [UInt8] = []
        var isEscaped = false
        for byte in value {
            if byte == .ascii("\\"), !isEscaped {
                isEscaped = true
            } else {
                text.append(byte)
                isEscaped = false
            }
        }
        return text
    }

    /// Decodes a value with charset and language (RFC 8187 §3.2.1), such as `UTF-8''caf%C3%A9`.
    ///
    /// Also returns whether names in that charset are encoded as in ASCII.
    fileprivate static func extended(_ value: [UInt8]) -> (text: [UInt8], isKnown: Bool) {
        guard let first = value.firstIndex(of: .ascii("'")),
            let second = value[(first + 1)...].firstIndex(of: .ascii("'"))
        else { return (PercentEncoding.decode(value.span, plusIsSpace: false), true) }
        let charset = value.span.extracting(0..<first)
        let isKnown = ["", "utf-8", "us-ascii", "iso-8859-1", "windows-1252"]
            .contains { charset.equalsIgnoringCase($0) }
        let text = value.span.extracting(second + 1..<value.count)
        return (PercentEncoding.decode(text, plusIsSpace: false), isKnown)
    }
}

/// A piece of a value split over parameters: `name*0="pass"; name*1*=%77ord` (RFC 2231 §3).
private struct Segment {
    let number: Int
    let isEncoded: Bool
    let value: [UInt8]

    /// Parses `*0` or `*0*` after the name.
    init?(suffix: ArraySlice<UInt8>, value: [UInt8]) {
        guard suffix.first == .ascii("*") else { return nil }
        var digits = suffix.dropFirst()
        isEncoded = digits.last == .ascii("*")
        if isEncoded { digits = digits.dropLast() }
        guard 1...4 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        self.value = value
    }

    /// The joined value, and whether each piece occurs exactly once.
    static func joined(_ segments: inout [Segment]) -> (text: [UInt8], isKnown: Bool) {
        segments.sort { $0.number < $1.number }
        var text: [UInt8] = []
        var isKnown = true
        for (position, segment) in segments.enumerated() {
            if segment.number != position { isKnown = false }
            if segment.isEncoded {
                let (part, hasKnownCharset) = MIMEParameters.extended(segment.value)
                text += part
                if !hasKnownCharset { isKnown = false }
            } else {
                text += segment.value
            }
        }
        return (text, isKnown)
    }
}

/// Reads parameters one by one.
private struct ParameterReader {
    /// Whether a backslash within quotes quotes the next character.
    let hasEscapes: Bool
    var isDoubtful = false
    var hasEscapedQuote = false

    init(hasEscapes: Bool) { self.hasEscapes = hasEscapes }

    mutating func read(_ bytes: Span<UInt8>, _ found: (_ name: [UInt8], _ value: [UInt8]) -> Void) {
        var position = 0
        while position < bytes.count {
            let start = position
            while position < bytes.count, bytes[position] != .ascii(";"),
                bytes[position] != .ascii("=")
            {
                position += 1
            }
            let name = bytes.trimmed(start..<position)
            checkName(bytes.extracting(name))
            if position < bytes.count, bytes[position] == .ascii("=") {
                let value = readValue(bytes, &position)
                var lower: [UInt8] = []
                for index in name { lower.append(bytes[index].asciiLowercased) }
                found(lower, value)
            }
            position += 1
        }
    }

    /// The type or disposition comes first; parameters must have tokens as names.
    private mutating func checkName(_ name: Span<UInt8>) {
        for index in name.indices
        where !(name[index].isTokenByte || name[index] == .ascii("/")) {
            isDoubtful = true
        }
    }

    /// Reads a token or a quoted string, up to the next semicolon.
    private mutating func readValue(_ bytes: Span<UInt8>, _ position: inout Int) -> [UInt8] {
        position += 1
        while position < bytes.count, bytes[position].isBlank { position += 1 }
        guard position < bytes.count, bytes[position] == .ascii("\"") else {
            let start = position
            position = bytes.firstIndex(of: .ascii(";"), from: position) ?? bytes.count
            let value = bytes.trimmed(start..<position)
            for index in value where bytes[index] == .ascii("\"") { isDoubtful = true }
            return Array(copying: bytes.extracting(value))
        }
        position += 1
        let start = position
        while position < bytes.count, bytes[position] != .ascii("\"") {
            if hasEscapes, bytes[position] == .ascii("\\"), position + 1 < bytes.count {
                position += 1
                if bytes[position] == .ascii("\"") { hasEscapedQuote = true }
            }
            position += 1
        }
        let end = min(position, bytes.count)
        let next = bytes.firstIndex(of: .ascii(";"), from: end) ?? bytes.count
        // Only blanks may follow the closing quote; without one, the value has no end.
        if end == bytes.count || !bytes.trimmed(end + 1..<next).isEmpty { isDoubtful = true }
        position = next
        return Array(copying: bytes.extracting(start..<end))
    }
}
