// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Edits the parts of `multipart/form-data` (RFC 7578) by name, and those of other multipart bodies
/// by type.
struct MultipartEditor {
    private let reader: MultipartReader

    /// Reads the boundary from a Content-Type value; returns `nil` if there is none, or more than
    /// one.
    init?(contentType: Span<UInt8>) {
        guard let reader = MultipartReader(contentType: contentType) else { return nil }
        self.reader = reader
    }

    /// Reads the boundary from the first line of a body whose second line is a part header; returns
    /// `nil` for other bodies.
    init?(beginningOf body: Span<UInt8>) {
        guard let reader = MultipartReader(beginningOf: body) else { return nil }
        self.reader = reader
    }

    /// Edits the parts within a range; masks what is not understood.
    func edit(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        depth: Int,
        _ redactor: inout Redactor
    ) {
        reader.read(bytes, range) { piece in
            switch piece {
            case .preamble(let place):
                // If it is the whole body, there is no delimiter.
                if place == range || !isEmpty(bytes, place) {
                    redactor.rules.maskRest(bytes, place, &redactor.edits)
                }
            case .part(let part): edit(part, bytes, depth: depth, &redactor)
            case .epilogue(let place):
                let start = endOfBlanks(bytes, place)
                if start < place.upperBound {
                    redactor.rules.maskRest(bytes, start..<place.upperBound, &redactor.edits)
                }
            }
        }
    }

    private func isEmpty(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        endOfBlanks(bytes, range) == range.upperBound
    }

    /// Returns the end of the line breaks and blanks at the beginning of a range.
    private func endOfBlanks(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var position = range.lowerBound
        while position < range.upperBound,
            bytes[position] == 0x0D || bytes[position] == 0x0A || bytes[position].isBlank
        {
            position += 1
        }
        return position
    }

    /// Edits the head of a part and its content.
    private func edit(
        _ part: MultipartReader.Part,
        _ bytes: Span<UInt8>,
        depth: Int,
        _ redactor: inout Redactor
    ) {
        let rules = redactor.rules
        guard let content = part.content else {
            rules.maskRest(bytes, part.range, &redactor.edits)
            return
        }
        guard !part.isDoubtful else {
            let start = part.range.lowerBound
            let first = bytes.extracting(0..<content.upperBound).firstIndex(of: 0x0A, from: start)
            let rest = (first.map { $0 + 1 } ?? start)..<content.upperBound
            rules.maskRest(bytes, rest, &redactor.edits)
            return
        }
        let head = part.head
        redactor.edit(head, bytes)
        if let rule = rule(of: head, rules) {
            if rule.action == .remove {
                let start = part.range.lowerBound - reader.delimiter.count
                redactor.edits.remove(start..<part.range.upperBound, rule)
            } else {
                rules.replace(bytes, content, rule, .plain, &redactor.edits)
            }
        } else {
            let empty = content.lowerBound..<content.lowerBound
            let written = head.value(of: "content-type", bytes) ?? empty
            let type = MIMEHead.unfolded(bytes.extracting(written))
            var label = ContentLabel(type: type.span, depth: depth + 1)
            if let coding = head.value(of: "content-transfer-encoding", bytes) {
                label.setTransferCoding(bytes.extracting(coding))
            }
            redactor.edit(bytes, content, label)
        }
    }

    /// Returns the rule for a part, by any name that a reader may assume for it.
    private func rule(of head: MIMEHead, _ rules: RuleSet) -> Rule? {
        for name in head.names {
            if let rule = rules.form.rule(forNested: name.span) { return rule }
        }
        return nil
    }
}
