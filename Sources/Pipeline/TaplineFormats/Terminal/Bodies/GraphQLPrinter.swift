// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Shows GraphQL documents with one selection per line.
///
/// A document that has several lines already is shown as it is.
///
/// **Source**: GraphQL, October 2021, section 2.1.
enum GraphQLPrinter {
    /// Whether a text begins like a document with operations or fragments.
    static func isDocument(_ text: Span<UInt8>) -> Bool {
        var start = 0
        while start < text.count {
            if text[start].isBlankOrLineEnd || text[start] == .ascii(",") {
                start += 1
            } else if text[start] == .ascii("#") {
                start = text.firstIndex(ofEither: 0x0A, 0x0D, from: start)
            } else {
                break
            }
        }
        let rest = text.extracting(start...)
        if !rest.isEmpty, rest[0] == .ascii("{") { return true }
        for word in ["query", "mutation", "subscription", "fragment"]
        where rest.starts(with: word) {
            let end = word.utf8.count
            return end < rest.count && !rest[end].isTokenOfName
        }
        return false
    }

    /// Shows a document.
    static func write(_ text: Span<UInt8>, _ level: Int = 0, to lines: inout PrettyText) {
        if text.firstIndex(of: 0x0A) != nil {
            lines.showLines(text, level)
            return
        }
        var layout = GraphQLLayout(level: level)
        layout.write(text, to: &lines)
    }
}

/// Breaks a document of one line into lines.
private struct GraphQLLayout {
    let level: Int
    /// The number of open braces of selections.
    private var depth = 0
    /// The number of open brackets and braces of arguments.
    private var brackets = 0
    private var isInLine = false
    private var last = Token.none

    private enum Token {
        case none, name, spread, colon, at, opening, closing, other
    }

    init(level: Int) { self.level = level }

    mutating func write(_ text: Span<UInt8>, to lines: inout PrettyText) {
        var index = 0
        while index < text.count, !lines.isDone {
            let byte = text[index]
            if byte.isBlankOrLineEnd || byte == .ascii(",") {
                // Between selections, a comma means the same as a space.
                if byte == .ascii(","), brackets > 0 { lines.put(",") }
                index += 1
                continue
            }
            let end = tokenEnd(text, index)
            let token = text.extracting(index..<end)
            index = end
            if brackets == 0, byte == .ascii("{") {
                put(token, before: .space, &lines)
                endLine(&lines)
                depth += 1
                last = .none
            } else if brackets == 0, byte == .ascii("}") {
                endLine(&lines)
                depth = max(0, depth - 1)
                put(token, before: .space, &lines)
                endLine(&lines)
                last = .none
            } else {
                write(token, byte, &lines)
            }
        }
        endLine(&lines)
    }

    private enum Gap {
        case none, space
    }

    /// Writes a token other than the braces of selections.
    private mutating func write(_ token: Span<UInt8>, _ byte: UInt8, _ lines: inout PrettyText) {
        let kind = Self.kind(byte)
        let isSelection = kind == .name || kind == .spread
        if isSelection, depth > 0, brackets == 0, last == .closing || last == .name {
            // After a name comes another selection, unless a fragment has a condition.
            if !(last == .name && isCondition) { endLine(&lines) }
        }
        isCondition = last == .spread && token.equals("on") || isCondition && last != .name
        let tight =
            kind == .colon || kind == .closing || last == .spread && !token.equals("on")
            || last == .at || last == .opening || byte == .ascii("!")
            || kind == .opening && (last == .name || last == .at)
        put(token, before: tight ? .none : .space, &lines)
        if kind == .opening { brackets += 1 }
        if kind == .closing { brackets = max(0, brackets - 1) }
        last = kind
    }

    /// Whether the last name was the `on` of a fragment.
    private var isCondition = false

    private mutating func put(_ token: Span<UInt8>, before gap: Gap, _ lines: inout PrettyText) {
        if !isInLine {
            lines.begin(level + depth)
            isInLine = true
        } else if gap == .space {
            lines.put(" ")
        }
        lines.show(token)
    }

    private mutating func endLine(_ lines: inout PrettyText) {
        if isInLine { lines.end() }
        isInLine = false
    }

    private static func kind(_ byte: UInt8) -> Token {
        switch byte {
        case .ascii("("), .ascii("["), .ascii("{"): .opening
        case .ascii(")"), .ascii("]"), .ascii("}"): .closing
        case .ascii(":"): .colon
        case .ascii("@"): .at
        case .ascii("."): .spread
        case _ where byte.isTokenOfName && !byte.isDigit: .name
        default: .other
        }
    }

    private func tokenEnd(_ text: Span<UInt8>, _ start: Int) -> Int {
        let byte = text[start]
        var end = start + 1
        if byte == .ascii("\""), text.hasBytes("\"\"\"", at: start) {
            let quotes = "\"\"\"".utf8.span
            let close = text.firstIndex(of: quotes, in: min(start + 3, text.count)..<text.count)
            return close.map { $0 + 3 } ?? text.count
        }
        if byte == .ascii("\"") {
            while end < text.count, text[end] != .ascii("\"") {
                end += text[end] == .ascii("\\") ? 2 : 1
            }
            return min(end + 1, text.count)
        }
        // Without line ends, a comment is the rest of the text.
        if byte == .ascii("#") { return text.count }
        if byte == .ascii(".") {
            while end < text.count, text[end] == .ascii(".") { end += 1 }
        } else if byte.isTokenOfName || byte == .ascii("$") || byte == .ascii("-") {
            while end < text.count, text[end].isTokenOfName || text[end] == .ascii(".") { end += 1 }
        } else if byte >= 0x80 {
            while end < text.count, text[end] >= 0x80 { end += 1 }
        }
        return end
    }
}

extension UInt8 {
    /// Whether a name or a number may contain this byte.
    fileprivate var isTokenOfName: Bool { isLetter || isDigit || self == .ascii("_") }
}
