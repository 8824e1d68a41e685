// SPDX-License-Identifier: MIT

/// Splits a multipart body into parts (RFC 2046 §5.1).
///
/// Accepts any bytes: what parsers may split in two ways is doubtful, and a part without a closing
/// delimiter extends to the end.
///
/// **Shape**: one reader per body; it copies only the names of parts.
/// **Limits**: takes linear time.
package struct MultipartReader {
    /// `--` and the boundary.
    package let delimiter: [UInt8]
    /// Whether a delimiter must be a whole line (RFC 2046 §5.1.1).
    ///
    /// If so, a line that continues after the boundary, other than with padding or the closing
    /// dashes, is text of a part. Readers that redact treat every line that begins with the
    /// boundary as a delimiter.
    private var needsWholeLines = false

    /// A part of a body, as ranges.
    package struct Part {
        /// From the end of the part's delimiter to the next one.
        package let range: Range<Int>
        /// The fields.
        package let head: MIMEHead
        /// From the empty line to the line end before the next delimiter; `nil` if the head does
        /// not end.
        package let content: Range<Int>?
        /// Whether a delimiter ends the part.
        package let isEnded: Bool
        /// Whether parsers may disagree about its start or its head.
        package let isDoubtful: Bool
    }

    /// A piece of a body.
    package enum Piece {
        /// The text before the first delimiter, which has no meaning; the whole body if there is
        /// none.
        case preamble(Range<Int>)
        case part(Part)
        /// The text after the last delimiter, which has no meaning.
        case epilogue(Range<Int>)
    }

    /// Reads the boundary from a Content-Type value; `nil` if it has none, or more than one.
    package init?(contentType: Span<UInt8>) {
        let readings = MultipartReader.boundaries(of: contentType)
        guard let boundary = readings.texts.first, !boundary.isEmpty, !readings.isDoubtful else {
            return nil
        }
        delimiter = [.ascii("-"), .ascii("-")] + boundary
    }

    /// Takes the boundary from the first line of a body whose second line is a field of a part.
    ///
    /// `nil` if the body does not begin like this.
    package init?(beginningOf body: Span<UInt8>) {
        guard body.count > 16, body[0] == .ascii("-"), body[1] == .ascii("-") else { return nil }
        let head = body.extracting(0..<min(body.count, 256))
        guard let end = head.firstIndex(of: 0x0A) else { return nil }
        let line = head.extracting(0..<(head[end - 1] == 0x0D ? end - 1 : end))
        let next = head.extracting(end + 1..<min(head.count, end + 9))
        guard line.count > 2, next.equalsIgnoringCase("content-") else { return nil }
        delimiter = Array(copying: line)
    }

    /// Creates a reader for changing parts, with the boundary that most parsers use.
    ///
    /// `nil` if there is none.
    package init?(editingContentOf contentType: Span<UInt8>) {
        guard let boundary = MultipartReader.boundary(of: contentType) else { return nil }
        self.init(editingWith: [.ascii("-"), .ascii("-")] + boundary)
    }

    /// Creates a reader for changing parts, with a known delimiter.
    package init(editingWith delimiter: [UInt8]) {
        self.delimiter = delimiter
        needsWholeLines = true
    }

    /// Whether a text contains a delimiter, so that it cannot be the content of a part.
    package func hasDelimiter(_ text: Span<UInt8>) -> Bool { find(text, 0..<text.count) != nil }

    /// The boundary in a Content-Type value, as most parsers find it; `nil` if there is none.
    package static func boundary(of contentType: Span<UInt8>) -> [UInt8]? {
        boundaries(of: contentType).texts.first { !$0.isEmpty }
    }

    private static func boundaries(of contentType: Span<UInt8>) -> MIMEParameters.Readings {
        MIMEParameters(MIMEHead.unfolded(contentType).span).readings(of: "boundary")
    }

    /// Calls `found` with the pieces of a body in a range, in order.
    package func read(_ bytes: Span<UInt8>, _ range: Range<Int>, _ found: (Piece) -> Void) {
        guard var start = find(bytes, range) else { return found(.preamble(range)) }
        if start > range.lowerBound { found(.preamble(range.lowerBound..<start)) }
        let usesReturn = usesReturn(bytes, start + delimiter.count..<range.upperBound)
        while true {
            let head = start + delimiter.count
            if head + 1 < range.upperBound, bytes[head] == .ascii("-"),
                bytes[head + 1] == .ascii("-")
            {
                return found(.epilogue(head + 2..<range.upperBound))
            }
            let next = find(bytes, head..<range.upperBound)
            let end = next ?? range.upperBound
            found(.part(part(bytes, head..<end, isEnded: next != nil, usesReturn)))
            guard let next else { return }
            start = next
        }
    }

    /// The next delimiter at the start of a line.
    private func find(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        let text = bytes.extracting(0..<range.upperBound)
        var position = range.lowerBound
        while position + delimiter.count <= range.upperBound {
            guard let dash = text.firstIndex(of: .ascii("-"), from: position),
                dash + delimiter.count <= range.upperBound
            else { return nil }
            // Some parsers treat a lone carriage return as a line end.
            let isLineStart =
                dash == range.lowerBound || bytes[dash - 1] == 0x0A || bytes[dash - 1] == 0x0D
            if isLineStart, text.extracting(dash..<dash + delimiter.count).equals(delimiter.span),
                !needsWholeLines || endsLine(text, dash + delimiter.count)
            {
                return dash
            }
            position = dash + 1
        }
        return nil
    }

    /// Whether the rest of a line is padding, or begins with the closing dashes.
    private func endsLine(_ text: Span<UInt8>, _ start: Int) -> Bool {
        var position = start
        if position + 1 < text.count, text[position] == .ascii("-"),
            text[position + 1] == .ascii("-")
        {
            return true
        }
        while position < text.count, text[position].isBlank { position += 1 }
        return position == text.count || text[position] == 0x0D || text[position] == 0x0A
    }

    /// Whether the first line ends with a carriage return and a line feed.
    private func usesReturn(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let text = bytes.extracting(0..<range.upperBound)
        guard let feed = text.firstIndex(of: 0x0A, from: range.lowerBound) else { return true }
        return feed > range.lowerBound && bytes[feed - 1] == 0x0D
    }

    private func part(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        isEnded: Bool,
        _ usesReturn: Bool
    ) -> Part {
        let head = MIMEHead(bytes, range, usesReturn: usesReturn)
        return Part(
            range: range,
            head: head,
            content: head.end.map { $0..<contentEnd(bytes, $0..<range.upperBound) },
            isEnded: isEnded,
            isDoubtful: head.isDoubtful || !beginsLine(bytes, range.lowerBound, usesReturn)
        )
    }

    /// The end of the content: before the line end that precedes the next delimiter.
    private func contentEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var end = range.upperBound
        if end > range.lowerBound, bytes[end - 1] == 0x0A { end -= 1 }
        if end > range.lowerBound, bytes[end - 1] == 0x0D { end -= 1 }
        return end
    }

    /// Whether the delimiter before a position is at the start of a line for all parsers.
    private func beginsLine(_ bytes: Span<UInt8>, _ end: Int, _ usesReturn: Bool) -> Bool {
        let start = end - delimiter.count
        guard start > 1, bytes[start - 1] == 0x0A || bytes[start - 1] == 0x0D else { return true }
        guard bytes[start - 1] == 0x0A else { return false }
        return !usesReturn || bytes[start - 2] == 0x0D
    }
}
