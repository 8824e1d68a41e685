// SPDX-License-Identifier: MIT

/// Takes a multipart body apart (RFC 2046 §5.1).
///
/// Any bytes can be read: what readers may take apart in two ways is in doubt, and a part without
/// the delimiter that ends it goes to the end.
///
/// **Shape**: one for each body; nothing is copied but names of parts.
/// **Limits**: time is linear.
package struct MultipartReader {
    /// `--` and the boundary.
    package let delimiter: [UInt8]
    /// Whether a line that goes on after the boundary, with anything but padding or the dashes of the
    /// last one, is a part's text and no delimiter (RFC 2046 §5.1.1).
    ///
    /// Readers that mask treat each line that begins with the boundary as one.
    private var needsWholeLines = false

    /// A part of a body, by its places in it.
    package struct Part {
        /// From the end of the part's delimiter to the next one.
        package let range: Range<Int>
        /// The fields.
        package let head: MIMEHead
        /// From the empty line to the line end that belongs to the next delimiter; `nil` if the head
        /// does not end.
        package let content: Range<Int>?
        /// Whether a delimiter ends it.
        package let isEnded: Bool
        /// Whether readers may disagree where it begins, or what its head says.
        package let isDoubtful: Bool
    }

    /// What a body consists of.
    package enum Piece {
        /// What comes before the first delimiter, without meaning; all if there is none.
        case preamble(Range<Int>)
        case part(Part)
        /// What follows the last delimiter, without meaning.
        case epilogue(Range<Int>)
    }

    /// Reads the boundary from a Content-Type value; `nil` if it names none, or more than one.
    package init?(contentType: Span<UInt8>) {
        let readings = MultipartReader.boundaries(of: contentType)
        guard let boundary = readings.texts.first, !boundary.isEmpty, !readings.isDoubtful else {
            return nil
        }
        delimiter = [.ascii("-"), .ascii("-")] + boundary
    }

    /// Takes the boundary from the first line of a body whose second one is a field of a part;
    /// `nil` if it does not begin so.
    package init?(beginningOf body: Span<UInt8>) {
        guard body.count > 16, body[0] == .ascii("-"), body[1] == .ascii("-") else { return nil }
        let head = body.extracting(0..<min(body.count, 256))
        guard let end = head.firstIndex(of: 0x0A) else { return nil }
        let line = head.extracting(0..<(head[end - 1] == 0x0D ? end - 1 : end))
        let next = head.extracting(end + 1..<min(head.count, end + 9))
        guard line.count > 2, next.equalsIgnoringCase("content-") else { return nil }
        delimiter = Array(copying: line)
    }

    /// A reader for those who change parts, by the boundary that most readers take; `nil` if there is
    /// none.
    package init?(editingContentOf contentType: Span<UInt8>) {
        guard let boundary = MultipartReader.boundary(of: contentType) else { return nil }
        self.init(editingWith: [.ascii("-"), .ascii("-")] + boundary)
    }

    /// The same for a delimiter that is known.
    package init(editingWith delimiter: [UInt8]) {
        self.delimiter = delimiter
        needsWholeLines = true
    }

    /// Whether a text holds a delimiter, so that it cannot be the content of a part.
    package func hasDelimiter(_ text: Span<UInt8>) -> Bool { find(text, 0..<text.count) != nil }

    /// The boundary that a Content-Type value names, as most readers take it; `nil` if it names none.
    package static func boundary(of contentType: Span<UInt8>) -> [UInt8]? {
        boundaries(of: contentType).texts.first { !$0.isEmpty }
    }

    private static func boundaries(of contentType: Span<UInt8>) -> MIMEParameters.Readings {
        MIMEParameters(MIMEHead.unfolded(contentType).span).readings(of: "boundary")
    }

    /// Hands over the pieces of a body that lies in a range, in order.
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

    /// The next delimiter: at the beginning of a line.
    private func find(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        let text = bytes.extracting(0..<range.upperBound)
        var position = range.lowerBound
        while position + delimiter.count <= range.upperBound {
            guard let dash = text.firstIndex(of: .ascii("-"), from: position),
                dash + delimiter.count <= range.upperBound
            else { return nil }
            // Some readers take a lone carriage return for a line end.
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

    /// Whether the rest of a line is padding, or begins with the dashes of the last delimiter.
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

    /// Where the content ends: before the line end that belongs to the next delimiter.
    private func contentEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var end = range.upperBound
        if end > range.lowerBound, bytes[end - 1] == 0x0A { end -= 1 }
        if end > range.lowerBound, bytes[end - 1] == 0x0D { end -= 1 }
        return end
    }

    /// Whether the delimiter before a place begins a line for all readers.
    private func beginsLine(_ bytes: Span<UInt8>, _ end: Int, _ usesReturn: Bool) -> Bool {
        let start = end - delimiter.count
        guard start > 1, bytes[start - 1] == 0x0A || bytes[start - 1] == 0x0D else { return true }
        guard bytes[start - 1] == 0x0A else { return false }
        return !usesReturn || bytes[start - 2] == 0x0D
    }
}
