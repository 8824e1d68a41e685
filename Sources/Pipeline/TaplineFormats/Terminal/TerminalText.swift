// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Text for a terminal in one reused buffer, with the current column.
///
/// Text from traffic goes through `show`, which makes everything visible that a terminal would
/// interpret: control characters, characters that change the writing direction, and bytes that are
/// not UTF-8.
package struct TerminalText {
    /// The text so far.
    package var bytes: [UInt8] = []
    /// The number of columns since the start of the line.
    package private(set) var column = 0
    /// Whether styles have any effect.
    package let isColoured: Bool

    /// Creates an empty text.
    package init(isColoured: Bool) { self.isColoured = isColoured }

    /// Removes all text but keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        column = 0
    }

    /// Writes trusted text; every character takes one column.
    package mutating func put(_ text: String) {
        bytes.append(copying: text.utf8.span)
        column += text.unicodeScalars.count
    }

    /// Writes trusted text in a style.
    package mutating func put(_ text: String, _ style: Style) {
        styled(style) { $0.put(text) }
    }

    /// Writes trusted text, right-aligned in a field of a given width.
    package mutating func put(_ text: String, rightIn width: Int, _ style: Style) {
        spaces(width - text.unicodeScalars.count)
        put(text, style)
    }

    /// Writes spaces.
    package mutating func spaces(_ count: Int) {
        guard count > 0 else { return }
        var rest = count
        while rest > 0 {
            let piece = min(rest, Self.blanks.count)
            bytes.append(copying: Self.blanks.span.extracting(0..<piece))
            rest -= piece
        }
        column += count
    }

    /// Spaces that are copied at once.
    private static let blanks = [UInt8](repeating: .ascii(" "), count: 128)

    /// Writes spaces up to a column; one space if that column has passed.
    package mutating func fill(to wanted: Int) { spaces(max(1, wanted - column)) }

    /// Ends the line.
    package mutating func newLine() {
        bytes.append(.ascii("\n"))
        column = 0
    }

    /// Writes in a style what the closure writes.
    package mutating func styled(_ style: Style, _ body: (inout TerminalText) -> Void) {
        begin(style)
        body(&self)
        end(style)
    }

    /// Begins a style.
    mutating func begin(_ style: Style) {
        guard isColoured, let code = style.code else { return }
        bytes.append(copying: "\u{1B}[\(code)m".utf8.span)
    }

    /// Ends a style.
    mutating func end(_ style: Style) {
        if isColoured, style.code != nil { bytes.append(copying: "\u{1B}[0m".utf8.span) }
    }

    /// Shows bytes from traffic in at most `limit` columns; `…` replaces what does not fit.
    package mutating func show(_ traffic: Span<UInt8>, in limit: Int = .max) {
        guard limit > 0 else { return }
        let start = column
        // The position to return to if the rest does not fit.
        var fitting = (bytes: bytes.count, column: column)
        var index = 0
        while index < traffic.count {
            if limit == .max {
                index = appendPlain(traffic, from: index)
                if index == traffic.count { return }
            }
            let scalar = UTF8Scalar(traffic, at: index)
            append(scalar, of: traffic, at: index)
            index += scalar.length
            let used = column - start
            if used > limit {
                bytes.removeLast(bytes.count - fitting.bytes)
                column = fitting.column
                put("…")
                return
            }
            if used < limit { fitting = (bytes.count, column) }
        }
    }

    /// Shows text that may come from traffic.
    package mutating func show(_ text: String, in limit: Int = .max) {
        show(text.utf8.span, in: limit)
    }

    /// Appends printable ASCII up to the next other byte; returns the position of that byte.
    private mutating func appendPlain(_ traffic: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < traffic.count, 0x20..<0x7F ~= traffic[end] { end += 1 }
        putSafe(traffic.extracting(start..<end), columns: end - start)
        return end
    }

    /// Writes bytes that contain nothing that a terminal might interpret.
    mutating func putSafe(_ text: Span<UInt8>, columns: Int) {
        bytes.append(copying: text)
        column += columns
    }

    private mutating func append(_ scalar: UTF8Scalar, of traffic: Span<UInt8>, at index: Int) {
        if let value = scalar.value, !value.isUnsafeOnTerminal {
            for offset in 0..<scalar.length { bytes.append(traffic[index + offset]) }
            column += value.columns
            return
        }
        switch scalar.value?.value {
        case 0x09: put("\\t")
        case 0x0A: put("\\n")
        case 0x0D: put("\\r")
        case let value? where value > 0x7F: put("\\u{\(String(value, radix: 16))}")
        default:
            let byte = traffic[index]
            put(byte < 16 ? "\\x0" : "\\x")
            put(String(byte, radix: 16))
        }
    }
}

/// The character at an index in arbitrary bytes.
package struct UTF8Scalar {
    /// The character; `nil` if the bytes are not UTF-8.
    package let value: Unicode.Scalar?
    /// The number of bytes that it takes, at least one.
    package let length: Int

    /// Decodes a character.
    ///
    /// **Source**: RFC 3629 §4, which excludes overlong forms, surrogates and values above
    /// U+10FFFF.
    package init(_ bytes: Span<UInt8>, at index: Int) {
        let first = bytes[index]
        guard first >= 0x80 else {
            value = Unicode.Scalar(first)
            length = 1
            return
        }
        let count: Int
        let lowest: UInt32
        switch first {
        case 0xC2...0xDF: (count, lowest) = (2, 0x80)
        case 0xE0...0xEF: (count, lowest) = (3, 0x800)
        case 0xF0...0xF4: (count, lowest) = (4, 0x10000)
        default: (count, lowest) = (1, 0)
        }
        var code = UInt32(first) & (0x7F >> UInt32(count))
        for offset in 1..<max(count, 1) + 1 where offset < count {
            guard index + offset < bytes.count, bytes[index + offset] & 0xC0 == 0x80 else {
                value = nil
                length = 1
                return
            }
            code = code << 6 | UInt32(bytes[index + offset] & 0x3F)
        }
        value = count > 1 && code >= lowest ? Unicode.Scalar(code) : nil
        length = value == nil ? 1 : count
    }
}

extension Unicode.Scalar {
    /// Whether a terminal might interpret or hide it, or it might hide its neighbours: the
    /// categories Cc, Cf, Zl and Zp, except the two joiners that scripts and emoji need.
    package var isUnsafeOnTerminal: Bool {
        if value < 0x7F { return value < 0x20 }
        if value == 0x200C || value == 0x200D { return false }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }

    /// How many columns a terminal gives it: none for combining marks, two for wide characters.
    ///
    /// **Source**: Unicode Standard Annex 11; the ranges are its wide blocks, rounded to whole
    /// blocks.
    package var columns: Int {
        guard value >= 0x300 else { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default: return properties.isEmojiPresentation ? 2 : 1
        }
    }
}
