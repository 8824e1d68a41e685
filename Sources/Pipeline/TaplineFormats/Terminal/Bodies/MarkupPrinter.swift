// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Shows XML or HTML with one tag per line, indented by the elements.
///
/// White space around tags is not kept, except in elements of HTML whose content is no markup.
/// Elements that contain only a short text take one line.
///
/// **Limits**: takes linear time; not recursive.
struct MarkupPrinter {
    /// The longest element in one line.
    private static let maxInLine = 200
    /// How many open elements are searched for the one that an end tag ends.
    private static let maxSearch = 64

    private let isHTML: Bool
    private var tokens = MarkupTokens()
    /// The names of the open elements.
    private var open: [Range<Int>] = []

    private init(isHTML: Bool) { self.isHTML = isHTML }

    /// Shows a document.
    static func write(_ bytes: Span<UInt8>, isHTML: Bool, to lines: inout PrettyText) {
        var printer = MarkupPrinter(isHTML: isHTML)
        printer.write(bytes, to: &lines)
    }

    private mutating func write(_ bytes: Span<UInt8>, to lines: inout PrettyText) {
        while !lines.isDone, let token = tokens.next(in: bytes) {
            switch token.kind {
            case .text: block(bytes, token.range, .plain, &lines)
            case .other: block(bytes, token.range, .dim, &lines)
            case .emptyTag: block(bytes, token.range, .cyan, &lines)
            case .startTag: start(token, bytes, &lines)
            case .endTag: end(token, bytes, &lines)
            }
        }
    }

    private mutating func start(
        _ token: MarkupToken,
        _ bytes: Span<UInt8>,
        _ lines: inout PrettyText
    ) {
        let name = bytes.extracting(token.name)
        if isHTML, Self.isVoid(name) {
            block(bytes, token.range, .cyan, &lines)
            return
        }
        if isHTML, Self.isRaw(name) {
            block(bytes, token.range, .cyan, &lines)
            let content = tokens.text(upTo: name, in: bytes)
            open.append(token.name)
            raw(bytes, content, &lines)
            return
        }
        if let last = shortElement(token, bytes) {
            lines.begin(open.count)
            lines.show(bytes.extracting(token.range), .cyan)
            let content = bytes.trimmedLines(token.range.upperBound..<last.range.lowerBound)
            lines.show(bytes.extracting(content))
            lines.show(bytes.extracting(last.range), .cyan)
            lines.end()
            return
        }
        block(bytes, token.range, .cyan, &lines)
        open.append(token.name)
    }

    /// Whether the content of an element is a short text of one line; if so, moves past its end
    /// tag, which is returned.
    private mutating func shortElement(
        _ token: MarkupToken,
        _ bytes: Span<UInt8>
    ) -> MarkupToken? {
        var ahead = tokens
        guard var next = ahead.next(in: bytes) else { return nil }
        if next.kind == .text {
            let content = bytes.trimmedLines(next.range)
            guard content.count <= Self.maxInLine,
                bytes.extracting(content).firstIndex(of: 0x0A) == nil,
                let following = ahead.next(in: bytes)
            else { return nil }
            next = following
        }
        guard next.kind == .endTag, isSame(next.name, token.name, bytes),
            bytes.extracting(token.range).firstIndex(of: 0x0A) == nil
        else { return nil }
        tokens = ahead
        return next
    }

    private mutating func end(
        _ token: MarkupToken,
        _ bytes: Span<UInt8>,
        _ lines: inout PrettyText
    ) {
        // In HTML, some elements have no end tag: those within the ended one end with it.
        var index = open.count - 1
        let first = max(0, open.count - Self.maxSearch)
        while index >= first, !isSame(open[index], token.name, bytes) { index -= 1 }
        if index >= first { open.removeLast(open.count - index) }
        block(bytes, token.range, .cyan, &lines)
    }

    private func isSame(_ left: Range<Int>, _ right: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        let right = bytes.extracting(right)
        let left = bytes.extracting(left)
        return isHTML ? left.equalsIgnoringCase(right) : left.equals(right)
    }

    /// Writes the lines of a text without the white space around each.
    private func block(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ style: Style,
        _ lines: inout PrettyText
    ) {
        var start = range.lowerBound
        var isFirst = true
        while start < range.upperBound, !lines.isDone {
            let text = bytes.extracting(0..<range.upperBound)
            let end = text.firstIndex(of: 0x0A, from: start) ?? range.upperBound
            let line = bytes.trimmedLines(start..<end)
            start = end + 1
            if line.isEmpty { continue }
            // Further lines of a tag or a comment are indented.
            lines.begin(open.count + (isFirst || style == .plain ? 0 : 1))
            lines.show(bytes.extracting(line), style, expandsTabs: true)
            lines.end()
            isFirst = false
        }
    }

    /// Writes the content of a script or another element whose content is no markup, as it is.
    private func raw(_ bytes: Span<UInt8>, _ range: Range<Int>, _ lines: inout PrettyText) {
        var content = range
        if bytes.trimmedLines(content).isEmpty { return }
        // The line ends next to the tags are not shown.
        if bytes[content.lowerBound] == 0x0D, content.count > 1 {
            content = content.lowerBound + 1..<content.upperBound
        }
        if bytes[content.lowerBound] == 0x0A {
            content = content.lowerBound + 1..<content.upperBound
        }
        lines.showLines(bytes.extracting(content), open.count)
    }

    private static func isVoid(_ name: Span<UInt8>) -> Bool {
        for other in [
            "br", "img", "input", "meta", "link", "hr", "area", "base", "col", "embed", "source",
            "track", "wbr",
        ] where name.equalsIgnoringCase(other) {
            return true
        }
        return false
    }

    private static func isRaw(_ name: Span<UInt8>) -> Bool {
        for other in ["script", "style", "pre", "textarea"] where name.equalsIgnoringCase(other) {
            return true
        }
        return false
    }
}

extension Span where Element == UInt8 {
    /// The range without leading and trailing white space, line ends included.
    fileprivate func trimmedLines(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, self[lower].isBlankOrLineEnd { lower += 1 }
        while upper > lower, self[upper - 1].isBlankOrLineEnd { upper -= 1 }
        return lower..<upper
    }
}
