// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A piece of XML or HTML.
struct MarkupToken {
    enum Kind {
        case text
        case startTag
        case endTag
        /// A start tag without content: `<br/>`.
        case emptyTag
        /// A comment, a declaration, a processing instruction or a CDATA section.
        case other
    }

    let kind: Kind
    let range: Range<Int>
    /// The name of a tag.
    var name = 0..<0
}

/// Splits XML or HTML into tags and text; all bytes belong to exactly one piece.
///
/// Accepts any bytes. A tag that does not end is text.
///
/// **Limits**: takes linear time: a search that fails once is not repeated.
struct MarkupTokens {
    private(set) var position = 0
    private var hasEnds = true
    private var hasCommentEnds = true
    private var hasSectionEnds = true
    /// Whether quotes in tags are balanced so far.
    private var hasQuotes = true

    /// Returns the next piece; `nil` at the end.
    mutating func next(in bytes: Span<UInt8>) -> MarkupToken? {
        guard position < bytes.count else { return nil }
        let start = position
        if bytes[start] == .ascii("<"), let token = tag(bytes, start) {
            position = token.range.upperBound
            return token
        }
        // A lone `<` is text.
        let end = nextTag(bytes, from: start + 1)
        position = end
        return MarkupToken(kind: .text, range: start..<end)
    }

    /// Returns everything up to an end tag; for elements whose content is not markup.
    mutating func text(upTo name: Span<UInt8>, in bytes: Span<UInt8>) -> Range<Int> {
        let start = position
        var index = start
        while let open = bytes.firstIndex(of: .ascii("<"), from: index) {
            let end = open + 2 + name.count
            if end <= bytes.count, bytes[open + 1] == .ascii("/"),
                bytes.extracting(open + 2..<end).equalsIgnoringCase(name)
            {
                position = open
                return start..<open
            }
            index = open + 1
        }
        position = bytes.count
        return start..<bytes.count
    }

    private func nextTag(_ bytes: Span<UInt8>, from start: Int) -> Int {
        guard hasEnds else { return bytes.count }
        var index = start
        while let open = bytes.firstIndex(of: .ascii("<"), from: index), open + 1 < bytes.count {
            let next = bytes[open + 1]
            if next.isLetter || next == .ascii("/") || next == .ascii("!") || next == .ascii("?")
                || next == .ascii("_") || next >= 0x80
            {
                return open
            }
            index = open + 1
        }
        return bytes.count
    }

    /// Reads a tag or a declaration; `nil` if this is text.
    private mutating func tag(_ bytes: Span<UInt8>, _ start: Int) -> MarkupToken? {
        guard hasEnds, nextTag(bytes, from: start) == start else { return nil }
        let rest = bytes.extracting(start..<min(bytes.count, start + 9))
        if rest.starts(with: "<!--"), hasCommentEnds {
            if let end = end("-->", bytes, from: start + 4) {
                return MarkupToken(kind: .other, range: start..<end)
            }
            hasCommentEnds = false
        }
        if rest.starts(with: "<![CDATA["), hasSectionEnds {
            if let end = end("]]>", bytes, from: start + 9) {
                return MarkupToken(kind: .other, range: start..<end)
            }
            hasSectionEnds = false
        }
        guard let end = tagEnd(bytes, from: start + 1) else {
            hasEnds = false
            return nil
        }
        return token(bytes, start..<end)
    }

    private func end(_ text: StaticString, _ bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        let length = text.utf8CodeUnitCount
        while let close = bytes.firstIndex(of: .ascii(">"), from: index) {
            let first = close + 1 - length
            if first >= start, bytes.hasBytes(text, at: first) { return close + 1 }
            index = close + 1
        }
        return nil
    }

    /// The position after the `>` that is not within quotes.
    private mutating func tagEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
        if hasQuotes {
            var index = start
            var quote: UInt8 = 0
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                if quote != 0 {
                    if byte == quote { quote = 0 }
                } else if byte == .ascii(">") {
                    return index
                } else if byte == .ascii("\"") || byte == .ascii("'") {
                    quote = byte
                }
            }
            hasQuotes = false
        }
        return bytes.firstIndex(of: .ascii(">"), from: start).map { $0 + 1 }
    }

    private func token(_ bytes: Span<UInt8>, _ range: Range<Int>) -> MarkupToken {
        let first = bytes[range.lowerBound + 1]
        if first == .ascii("!") || first == .ascii("?") {
            return MarkupToken(kind: .other, range: range)
        }
        let isEnd = first == .ascii("/")
        let start = range.lowerBound + (isEnd ? 2 : 1)
        var end = start
        while end < range.upperBound - 1, !bytes[end].isBlankOrLineEnd, bytes[end] != .ascii("/") {
            end += 1
        }
        let isEmpty = !isEnd && bytes[range.upperBound - 2] == .ascii("/")
        return MarkupToken(
            kind: isEnd ? .endTag : isEmpty ? .emptyTag : .startTag,
            range: range,
            name: start..<max(start, end)
        )
    }
}
