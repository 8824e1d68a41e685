// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Edits the parts of `multipart/form-data` (RFC 7578) by their names, and of other multipart bodies
/// by their types.
struct MultipartEditor {
    /// `--` and the boundary.
    private let delimiter: [UInt8]

    /// Reads the boundary from a Content-Type value; nothing where it names none.
    init?(contentType: Span<UInt8>) {
        guard let range = Parameter.find("boundary", in: contentType), !range.isEmpty else {
            return nil
        }
        delimiter = [.ascii("-"), .ascii("-")] + Array(copying: contentType.extracting(range))
    }

    /// Takes the boundary from the first line of a body whose second one is a field of a part;
    /// nothing where it does not begin so.
    init?(beginningOf body: Span<UInt8>) {
        guard body.count > 16, body[0] == .ascii("-"), body[1] == .ascii("-") else { return nil }
        let head = body.extracting(0..<min(body.count, 256))
        guard let end = head.firstIndex(of: 0x0A) else { return nil }
        let line = head.extracting(0..<(head[end - 1] == 0x0D ? end - 1 : end))
        let next = head.extracting(end + 1..<min(head.count, end + 9))
        guard line.count > 2, next.equalsIgnoringCase("content-") else { return nil }
        delimiter = Array(copying: line)
    }

    /// Edits the parts within a range; what is not understood is masked.
    func edit(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        depth: Int,
        _ redactor: inout Redactor
    ) {
        let rules = redactor.rules
        guard var start = find(bytes, range) else {
            rules.maskRest(bytes, range, &redactor.edits)
            return
        }
        if start > range.lowerBound {
            rules.maskRest(bytes, range.lowerBound..<start, &redactor.edits)
        }
        while true {
            let head = start + delimiter.count
            if head + 1 < range.upperBound, bytes[head] == .ascii("-"),
                bytes[head + 1] == .ascii("-")
            {
                // What follows the last delimiter has no meaning (RFC 2046 §5.1.1).
                let end = lineEnd(bytes, head + 2..<range.upperBound)
                if end < range.upperBound {
                    rules.maskRest(bytes, end..<range.upperBound, &redactor.edits)
                }
                return
            }
            let next = find(bytes, min(head, range.upperBound)..<range.upperBound)
            let end = next ?? range.upperBound
            editPart(bytes, min(head, end)..<end, depth, &redactor)
            guard let next else { return }
            start = next
        }
    }

    /// The next delimiter: at the beginning of a line.
    private func find(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var position = range.lowerBound
        while position + delimiter.count <= range.upperBound {
            guard
                let dash = bytes.extracting(0..<range.upperBound)
                    .firstIndex(of: .ascii("-"), from: position),
                dash + delimiter.count <= range.upperBound
            else { return nil }
            let isLineStart = dash == 0 || dash == range.lowerBound || bytes[dash - 1] == 0x0A
            if isLineStart,
                bytes.extracting(dash..<dash + delimiter.count).equals(delimiter.span)
            {
                return dash
            }
            position = dash + 1
        }
        return nil
    }

    private func lineEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var position = range.lowerBound
        while position < range.upperBound, bytes[position] == 0x0D || bytes[position] == 0x0A {
            position += 1
        }
        return position
    }

    /// A part: its head up to an empty line, then its content up to the line end that belongs to
    /// the next delimiter.
    private func editPart(
        _ bytes: Span<UInt8>,
        _ part: Range<Int>,
        _ depth: Int,
        _ redactor: inout Redactor
    ) {
        let rules = redactor.rules
        var head = PartHead()
        guard let start = head.read(bytes, part) else {
            rules.maskRest(bytes, part, &redactor.edits)
            return
        }
        var end = part.upperBound
        if end > start, bytes[end - 1] == 0x0A { end -= 1 }
        if end > start, bytes[end - 1] == 0x0D { end -= 1 }
        let content = start..<max(start, end)
        redactor.editHead(bytes, part.lowerBound..<start)
        if let name = head.name, let rule = rules.form.rule(forNested: name.span) {
            if rule.action == .remove {
                redactor.edits.remove(part.lowerBound - delimiter.count..<part.upperBound, rule)
            } else {
                rules.replace(bytes, content, rule, .plain, &redactor.edits)
            }
        } else {
            let type = bytes.extracting(head.type ?? start..<start)
            var label = ContentLabel(type: type, depth: depth + 1)
            if let coding = head.coding { label.setTransferCoding(bytes.extracting(coding)) }
            redactor.edit(bytes, content, label)
        }
    }
}

/// What the head of a part says.
private struct PartHead {
    /// The name of the field, decoded.
    var name: [UInt8]?
    /// Where the value of Content-Type stands.
    var type: Range<Int>?
    /// Where the value of Content-Transfer-Encoding stands.
    var coding: Range<Int>?

    /// Reads the lines up to an empty one; returns where the content begins, nothing where there
    /// is no end.
    mutating func read(_ bytes: Span<UInt8>, _ part: Range<Int>) -> Int? {
        var position = part.lowerBound
        var isFirst = true
        while position < part.upperBound {
            var end = position
            while end < part.upperBound, bytes[end] != 0x0A { end += 1 }
            guard end < part.upperBound else { return nil }
            let line = bytes.trimmed(
                position..<(end > position && bytes[end - 1] == 0x0D ? end - 1 : end)
            )
            if line.isEmpty, !isFirst { return end + 1 }
            // What follows the delimiter in its own line is padding.
            if !isFirst { field(bytes, line) }
            isFirst = false
            position = end + 1
        }
        return nil
    }

    private mutating func field(_ bytes: Span<UInt8>, _ line: Range<Int>) {
        let text = bytes.extracting(line)
        guard let colon = text.firstIndex(of: .ascii(":")) else { return }
        let field = text.extracting(0..<colon)
        if field.equalsIgnoringCase("content-disposition") {
            if let extended = Parameter.find("name*", in: text) {
                name = PartHead.decoded(text.extracting(extended))
            } else if let plain = Parameter.find("name", in: text) {
                name = Array(copying: text.extracting(plain))
            }
        } else if field.equalsIgnoringCase("content-type") {
            type = line.lowerBound + colon + 1..<line.upperBound
        } else if field.equalsIgnoringCase("content-transfer-encoding") {
            coding = line.lowerBound + colon + 1..<line.upperBound
        }
    }

    /// A name with its charset and language before it (RFC 8187 §3.2.1): `UTF-8''caf%C3%A9`.
    private static func decoded(_ value: Span<UInt8>) -> [UInt8] {
        let quote = value.lastIndex(of: .ascii("'")).map { $0 + 1 } ?? 0
        return PercentEncoding.decode(value.extracting(quote..<value.count), plusIsSpace: false)
    }
}

/// Parameters behind semicolons (RFC 9110 §5.6.6).
enum Parameter {
    /// Where the value of a parameter lies, without its quotes.
    static func find(_ name: String, in bytes: Span<UInt8>) -> Range<Int>? {
        var position = bytes.firstIndex(of: .ascii(";")) ?? bytes.count
        while position < bytes.count {
            position += 1
            let start = position
            while position < bytes.count, bytes[position] != .ascii(";"),
                bytes[position] != .ascii("=")
            {
                position += 1
            }
            let isWanted =
                bytes.extracting(bytes.trimmed(start..<position)).equalsIgnoringCase(name)
            guard position < bytes.count, bytes[position] == .ascii("=") else { continue }
            let value = value(bytes, from: position + 1)
            if isWanted { return value.range }
            position = value.end
        }
        return nil
    }

    /// A token or a quoted string, and the semicolon behind it.
    private static func value(
        _ bytes: Span<UInt8>,
        from start: Int
    ) -> (range: Range<Int>, end: Int) {
        var position = start
        while position < bytes.count, bytes[position].isBlank { position += 1 }
        guard position < bytes.count, bytes[position] == .ascii("\"") else {
            let end = bytes.firstIndex(of: .ascii(";"), from: position) ?? bytes.count
            return (bytes.trimmed(position..<end), end)
        }
        let first = position + 1
        position = first
        while position < bytes.count, bytes[position] != .ascii("\"") {
            position += bytes[position] == .ascii("\\") ? 2 : 1
        }
        let last = min(position, bytes.count)
        return (first..<last, bytes.firstIndex(of: .ascii(";"), from: last) ?? bytes.count)
    }
}
