// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Edits the parts of `multipart/form-data` (RFC 7578) by their names, and of other multipart bodies
/// by their types.
struct MultipartEditor {
    /// `--` and the boundary.
    private let delimiter: [UInt8]

    /// Reads the boundary from a Content-Type value; `nil` if it names none, or more than one.
    init?(contentType: Span<UInt8>) {
        let value = MIMEHead.unfolded(contentType)
        let readings = MIMEParameters(value.span).readings(of: "boundary")
        guard let boundary = readings.texts.first, !boundary.isEmpty, !readings.isDoubtful else {
            return nil
        }
        delimiter = [.ascii("-"), .ascii("-")] + boundary
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
        let preamble = MultipartEditor.lineEnds(bytes, range.lowerBound..<start)
        if preamble < start {
            rules.maskRest(bytes, range.lowerBound..<start, &redactor.edits)
        }
        let usesReturn = usesReturn(bytes, start + delimiter.count..<range.upperBound)
        while true {
            let head = start + delimiter.count
            if head + 1 < range.upperBound, bytes[head] == .ascii("-"),
                bytes[head + 1] == .ascii("-")
            {
                // What follows the last delimiter has no meaning (RFC 2046 §5.1.1).
                let end = MultipartEditor.lineEnds(bytes, head + 2..<range.upperBound)
                if end < range.upperBound {
                    rules.maskRest(bytes, end..<range.upperBound, &redactor.edits)
                }
                return
            }
            let next = find(bytes, min(head, range.upperBound)..<range.upperBound)
            let end = next ?? range.upperBound
            let part = PartPlace(range: min(head, end)..<end, depth: depth, usesReturn: usesReturn)
            editPart(bytes, part, &redactor)
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
            // Some readers take a lone carriage return for a line end.
            let isLineStart =
                dash == range.lowerBound || bytes[dash - 1] == 0x0A || bytes[dash - 1] == 0x0D
            if isLineStart,
                bytes.extracting(dash..<dash + delimiter.count).equals(delimiter.span)
            {
                return dash
            }
            position = dash + 1
        }
        return nil
    }

    /// Where the line ends and blanks at the beginning of a range end.
    private static func lineEnds(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var position = range.lowerBound
        while position < range.upperBound,
            bytes[position] == 0x0D || bytes[position] == 0x0A || bytes[position].isBlank
        {
            position += 1
        }
        return position
    }

    /// Whether the first line ends with a carriage return and a line feed.
    private func usesReturn(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let text = bytes.extracting(0..<range.upperBound)
        guard let feed = text.firstIndex(of: 0x0A, from: range.lowerBound) else { return true }
        return feed > range.lowerBound && bytes[feed - 1] == 0x0D
    }

    /// Where a part lies, from the end of its delimiter to the next one.
    private struct PartPlace {
        let range: Range<Int>
        let depth: Int
        let usesReturn: Bool
    }

    /// Edits a part: its head up to an empty line, then its content up to the line end that belongs
    /// to the next delimiter.
    private func editPart(
        _ bytes: Span<UInt8>,
        _ place: PartPlace,
        _ redactor: inout Redactor
    ) {
        let rules = redactor.rules
        let part = place.range
        let head = MIMEHead(bytes, part, usesReturn: place.usesReturn)
        guard let start = head.end else {
            rules.maskRest(bytes, part, &redactor.edits)
            return
        }
        let end = contentEnd(bytes, start..<part.upperBound)
        guard !head.isDoubtful, beginsLine(bytes, place) else {
            let first = bytes.extracting(0..<end).firstIndex(of: 0x0A, from: part.lowerBound)
            rules.maskRest(bytes, (first.map { $0 + 1 } ?? part.lowerBound)..<end, &redactor.edits)
            return
        }
        let content = start..<end
        redactor.edit(head, bytes)
        if let rule = rule(of: head, rules) {
            if rule.action == .remove {
                redactor.edits.remove(part.lowerBound - delimiter.count..<part.upperBound, rule)
            } else {
                rules.replace(bytes, content, rule, .plain, &redactor.edits)
            }
        } else {
            let written = head.value(of: "content-type", bytes) ?? start..<start
            let type = MIMEHead.unfolded(bytes.extracting(written))
            var label = ContentLabel(type: type.span, depth: place.depth + 1)
            if let coding = head.value(of: "content-transfer-encoding", bytes) {
                label.setTransferCoding(bytes.extracting(coding))
            }
            redactor.edit(bytes, content, label)
        }
    }

    /// Where the content ends: before the line end that belongs to the next delimiter.
    private func contentEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var end = range.upperBound
        if end > range.lowerBound, bytes[end - 1] == 0x0A { end -= 1 }
        if end > range.lowerBound, bytes[end - 1] == 0x0D { end -= 1 }
        return end
    }

    /// Whether the delimiter of a part begins a line for all readers.
    private func beginsLine(_ bytes: Span<UInt8>, _ place: PartPlace) -> Bool {
        let start = place.range.lowerBound - delimiter.count
        guard start > 1, bytes[start - 1] == 0x0A || bytes[start - 1] == 0x0D else { return true }
        guard bytes[start - 1] == 0x0A else { return false }
        return !place.usesReturn || bytes[start - 2] == 0x0D
    }

    /// The rule for a part, by any name that readers may take for its.
    private func rule(of head: MIMEHead, _ rules: RuleSet) -> Rule? {
        for name in head.names {
            if let rule = rules.form.rule(forNested: name.span) { return rule }
        }
        return nil
    }
}
