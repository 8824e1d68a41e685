// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The content of a string literal in code.
enum CodeLiteral {
    /// Decodes the escapes of a string.
    static func decode(_ text: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var position = 0
        while position < text.count {
            guard text[position] == .ascii("\\"), position + 1 < text.count else {
                output.append(text[position])
                position += 1
                continue
            }
            position = decodeEscape(text, position + 1, &output)
        }
        return output
    }

    /// Decodes the escape whose character after the backslash is at a position; returns where it
    /// ends.
    private static func decodeEscape(
        _ text: Span<UInt8>,
        _ start: Int,
        _ output: inout [UInt8]
    ) -> Int {
        switch text[start] {
        case .ascii("n"): output.append(0x0A)
        case .ascii("r"): output.append(0x0D)
        case .ascii("t"): output.append(0x09)
        case .ascii("b"): output.append(0x08)
        case .ascii("f"): output.append(0x0C)
        case .ascii("v"): output.append(0x0B)
        // A line continuation, which is not part of the string.
        case 0x0A: break
        case 0x0D:
            return start + 1 < text.count && text[start + 1] == 0x0A ? start + 2 : start + 1
        case 0x30...0x37:
            var end = start
            var value = 0
            while end < text.count, end < start + 3, 0x30...0x37 ~= text[end] {
                value = value << 3 | Int(text[end] - 0x30)
                end += 1
            }
            append(value, &output)
            return end
        case .ascii("x"), .ascii("u"), .ascii("U"):
            if let (value, end) = code(text, start) {
                append(value, &output)
                return end
            }
            output.append(text[start])
        default: output.append(text[start])
        }
        return start + 1
    }

    /// Returns the value of `x41`, `u0041`, `U00000041` or `u{41}`, and where it ends.
    private static func code(_ text: Span<UInt8>, _ start: Int) -> (Int, Int)? {
        var position = start + 1
        let isBraced = position < text.count && text[position] == .ascii("{")
        if isBraced { position += 1 }
        let most =
            switch text[start] {
            case .ascii("x"): isBraced ? 8 : 2
            case .ascii("u"): isBraced ? 8 : 4
            default: 8
            }
        let first = position
        var value = 0
        while position < text.count, position < first + most, let digit = text[position].hexDigit {
            value = value << 4 | Int(digit)
            position += 1
        }
        guard position > first, isBraced || position == first + most else { return nil }
        if isBraced {
            guard position < text.count, text[position] == .ascii("}") else { return nil }
            position += 1
        }
        return (value, position)
    }

    private static func append(_ value: Int, _ output: inout [UInt8]) {
        guard let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init) else { return }
        output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// Appends a text, escaped for use between quotes of this kind.
    static func encode(_ text: Span<UInt8>, quote: UInt8, to output: inout [UInt8]) {
        for index in text.indices {
            switch text[index] {
            case quote, .ascii("\\"):
                output.append(.ascii("\\"))
                output.append(text[index])
            case .ascii("$") where quote == .ascii("`"):
                output.append(.ascii("\\"))
                output.append(text[index])
            case 0x0A: output.append(contentsOf: "\\n".utf8)
            case 0x0D: output.append(contentsOf: "\\r".utf8)
            default: output.append(text[index])
            }
        }
    }

    /// Whether a string only refers to a value: it is empty, has only punctuation, or consists of
    /// `${name}`, `#{name}`, `{{name}}`, `$NAME` and `%s`.
    static func isPlaceholder(_ text: Span<UInt8>) -> Bool {
        guard text.count <= longestPlaceholder else { return false }
        var rest: [UInt8] = []
        var position = 0
        while position < text.count {
            if let end = endOfPlaceholder(text, position) {
                position = end
            } else {
                rest.append(text[position])
                position += 1
            }
        }
        return !PlainWords.hasLetters(rest.span)
    }

    private static let longestPlaceholder = 256

    private static func endOfPlaceholder(_ text: Span<UInt8>, _ start: Int) -> Int? {
        let rest = text.extracting(start..<text.count)
        if rest.starts(with: "${") || rest.starts(with: "#{") || rest.starts(with: "{{") {
            var depth = 0
            var position = start
            while position < text.count {
                if text[position] == .ascii("{") { depth += 1 }
                if text[position] == .ascii("}") {
                    depth -= 1
                    if depth == 0 { return position + 1 }
                }
                // A quoted part is a string of its own.
                if text[position] == .ascii("\"") || text[position] == .ascii("'") { return nil }
                position += 1
            }
            return nil
        }
        if rest.starts(with: "%s") || rest.starts(with: "%d") || rest.starts(with: "%@") {
            return start + 2
        }
        // Only a variable of a shell, and nothing else.
        guard start == 0, rest.count > 1, text[0] == .ascii("$") else { return nil }
        for index in 1..<text.count {
            switch text[index] {
            case 0x41...0x5A, .ascii("_"): break
            case 0x30...0x39 where index > 1: break
            default: return nil
            }
        }
        return text.count
    }
}
