// SPDX-License-Identifier: MIT

/// The fields of a part of a multipart body (RFC 2046 §5.1, RFC 5322 §2.2), folded lines included.
///
/// Readers differ in what they accept. A head that two readers may understand differently is in
/// doubt: one with lone line ends, lines that are no fields, or a field twice.
///
/// **Limits**: time is linear.
package struct MIMEHead {
    /// One field, with all its lines.
    package struct Field {
        /// All of its lines, without the last line end.
        package let lines: Range<Int>
        /// The name, without the blanks around it.
        package let name: Range<Int>
        /// The value, with the line ends that fold it.
        package var value: Range<Int>
    }

    package private(set) var fields: [Field] = []
    /// Where the content begins; `nil` if the head does not end.
    package private(set) var end: Int?
    /// Whether readers may understand the head differently.
    package private(set) var isDoubtful = false
    /// All names that readers may take for the part's; empty if it has none.
    package private(set) var names: [[UInt8]] = []

    /// Reads the rest of the delimiter's line and the lines up to an empty one.
    ///
    /// `usesReturn` is whether lines of this body end with a carriage return and a line feed.
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
                // What follows the delimiter in its own line is padding.
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

    /// The first field of a name.
    package func value(of name: String, _ bytes: Span<UInt8>) -> Range<Int>? {
        for field in fields where bytes.extracting(field.name).equalsIgnoringCase(name) {
            return field.value
        }
        return nil
    }

    /// Reads one line: a field, or more of the one before.
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

    /// Whether a line that begins with a blank is a field for readers who know no folding.
    private func isField(_ bytes: Span<UInt8>, _ line: Range<Int>) -> Bool {
        guard let colon = bytes.extracting(line).firstIndex(of: .ascii(":")) else { return false }
        let name = bytes.trimmed(line.lowerBound..<line.lowerBound + colon)
        return MIMEHead.known.contains { bytes.extracting(name).equalsIgnoringCase($0) }
    }

    /// Looks for fields that are there twice and say different things, and reads the names.
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

    /// Adds a name in all ways in which readers may take it.
    private mutating func add(_ text: [UInt8]) {
        // An encoded word (RFC 2047 §2) does not belong here, but some readers undo it.
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

    /// A value without the line ends that fold it (RFC 5322 §2.2.3).
    package static func unfolded(_ value: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(value.count)
        for index in value.indices where value[index] != 0x0D && value[index] != 0x0A {
            text.append(value[index])
        }
        return text
    }
}
