// SPDX-License-Identifier: MIT

/// The fields of a part of a multipart body (RFC 2046 §5.1, RFC 5322 §2.2), including folded lines.
///
/// Parsers differ in what they accept. A head that two parsers may interpret differently is
/// doubtful: one with lone line ends, lines that are not fields, or duplicate fields.
///
/// **Limits**: takes linear time.
package struct MIMEHead {
    /// A field with all its lines.
    package struct Field {
        /// All lines of the field, without the last line end.
        package let lines: Range<Int>
        /// The name, without surrounding blanks.
        package let name: Range<Int>
        /// The value, including line ends of folding.
        package var value: Range<Int>
    }

    package private(set) var fields: [Field] = []
    /// The start of the content; `nil` if the head does not end.
    package private(set) var end: Int?
    /// Whether parsers may interpret the head differently.
    package private(set) var isDoubtful = false
    /// All names that parsers may find for the part; empty if it has none.
    package private(set) var names: [[UInt8]] = []

    /// Reads the rest of the delimiter's line and the lines up to an empty one.
    ///
    /// `usesReturn` states whether lines of this body end with a carriage return and a line feed.
    package init(_ bytes: Span<UInt8>, _ part: Range<Int>, usesReturn: Bool) {
        let text = bytes.extracting(0..<part.upperBound)
        var position = part.lowerBound
        var isFirst = true
        while let feed = text.firstIndex(of: 0x0A, from: position) {
            let hasReturn = feed > position && bytes[feed - 1] == 0x0D
            if hasReturn != usesReturn { isDoubtful = true }
            let line = position..<(hasReturn ? feed - 1 : feed)
            position = feed + 1
            if isFirst {
                // The rest of the delimiter's line is padding.
                if !bytes.trimmed(line).isEmpty { isDoubtful = true }
                isFirst = false
            } else if line.isEmpty {
                end = position
                break
            } else {
                read(bytes, line)
            }
        }
        guard end != nil, !isDoubtful else { return }
        check(bytes)
    }

    /// The first field with a name.
    package func value(of name: String, _ bytes: Span<UInt8>) -> Range<Int>? {
        for field in fields where bytes.extracting(field.name).equalsIgnoringCase(name) {
            return field.value
        }
        return nil
    }

    /// Reads one line: a field, or the continuation of the previous one.
    private mutating func read(_ bytes: Span<UInt8>, _ line: Range<Int>) {
        for index in line where bytes[index] < 0x20 && bytes[index] != 0x09 { isDoubtful = true }
        if bytes[line.lowerBound].isBlank {
            guard let last = fields.last, !bytes.trimmed(line).isEmpty,
                !isField(bytes, bytes.trimmed(line))
            else {
                isDoubtful = true
                return
            }
            let value = last.value.lowerBound..<bytes.trimmed(line).upperBound
            fields[fields.count - 1] = Field(
                lines: last.lines.lowerBound..<line.upperBound,
                name: last.name,
                value: value
            )
            return
        }
        guard let colon = bytes.extracting(line).firstIndex(of: .ascii(":")) else {
            isDoubtful = true
            return
        }
        let name = bytes.trimmed(line.lowerBound..<line.lowerBound + colon)
        if name.isEmpty { isDoubtful = true }
        for index in name where !bytes[index].isTokenByte { isDoubtful = true }
        let value = bytes.trimmed(line.lowerBound + colon + 1..<line.upperBound)
        fields.append(Field(lines: line, name: name, value: value))
    }

    private static let known = [
        "content-disposition", "content-type", "content-transfer-encoding",
    ]

    /// Whether a line that begins with a blank is a field for parsers without folding.
    private func isField(_ bytes: Span<UInt8>, _ line: Range<Int>) -> Bool {
        guard let colon = bytes.extracting(line).firstIndex(of: .ascii(":")) else { return false }
        let name = bytes.trimmed(line.lowerBound..<line.lowerBound + colon)
        return MIMEHead.known.contains { bytes.extracting(name).equalsIgnoringCase($0) }
    }

    /// Checks for duplicate fields with different values, and reads the names.
    private mutating func check(_ bytes: Span<UInt8>) {
        for name in MIMEHead.known {
            var first: Range<Int>?
            for field in fields where bytes.extracting(field.name).equalsIgnoringCase(name) {
                guard let value = first else {
                    first = field.value
                    continue
                }
                if !bytes.extracting(value).equals(bytes.extracting(field.value)) {
                    isDoubtful = true
                }
            }
            guard name == "content-disposition", let first else { continue }
            let value = MIMEHead.unfolded(bytes.extracting(first))
            let readings = MIMEParameters(value.span).readings(of: "name")
            if readings.isDoubtful { isDoubtful = true }
            for text in readings.texts { add(text) }
        }
    }

    /// Adds a name in all ways in which parsers may interpret it.
    private mutating func add(_ text: [UInt8]) {
        // An encoded word (RFC 2047 §2) is not allowed here, but some parsers decode it.
        var previous: UInt8 = 0
        for byte in text {
            if previous == .ascii("="), byte == .ascii("?") { isDoubtful = true }
            previous = byte
        }
        var text = text
        for _ in 0..<4 {
            names.append(text)
            let bare = text.filter { !$0.isBlank && $0 != .ascii("'") && $0 != .ascii("\"") }
            if bare.count < text.count { names.append(bare) }
            guard text.contains(.ascii("%")) || text.contains(.ascii("+")) else { return }
            text = PercentEncoding.decode(text.span, plusIsSpace: true)
        }
    }

    /// The value without the line ends of folding (RFC 5322 §2.2.3).
    package static func unfolded(_ value: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(value.count)
        for index in value.indices where value[index] != 0x0D && value[index] != 0x0A {
            text.append(value[index])
        }
        return text
    }
}
