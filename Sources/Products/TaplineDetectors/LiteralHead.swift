// SPDX-License-Identifier: MIT

internal import TaplineBytes
internal import TaplineMultiPattern

/// The bytes that every match of a regular expression begins with, read from its text.
///
/// RE2 does not report them. They are read only as far as the text is unambiguous: letters, digits,
/// plain and escaped punctuation at the very start, after `\b` and `(?i)`. When in
/// doubt, it finds no head, and the expression is searched for everywhere.
enum LiteralHead {
    /// The minimum length of a head that is worth adding to the literals.
    static let minLength = 3

    /// Returns the head of an expression; `nil` if it has none of the minimum length.
    static func of(_ regex: String) -> LiteralSet.Literal? {
        var rest = Substring(regex).utf8
        guard !hasAlternatives(regex) else { return nil }
        var ignoresCase = false
        if rest.starts(with: "(?i)".utf8) {
            ignoresCase = true
            rest = rest.dropFirst(4)
        }
        if rest.starts(with: "\\b".utf8) { rest = rest.dropFirst(2) }
        var bytes: [UInt8] = []
        while let byte = rest.first {
            var taken = byte
            var length = 1
            if byte == UInt8(ascii: "\\") {
                // A backslash before a letter or a digit has a special meaning.
                guard let next = rest.dropFirst().first, isMark(next) else { break }
                taken = next
                length = 2
            } else if !isPlain(byte) {
                break
            }
            rest = rest.dropFirst(length)
            // A quantifier makes the last byte optional or repeated.
            if let next = rest.first, "*?{".utf8.contains(next) { break }
            bytes.append(taken)
            if rest.first == UInt8(ascii: "+") { break }
        }
        guard bytes.count >= minLength else { return nil }
        return LiteralSet.Literal(Array(bytes.prefix(64)), ignoresCase: ignoresCase)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isDigit || byte.isLetter || " !\"#%&',-/:;<=>@_`~".utf8.contains(byte)
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        0x21...0x7E ~= byte && !byte.isDigit && !byte.isLetter
    }

    /// Returns whether there is, or may be, a `|` outside of all groups.
    private static func hasAlternatives(_ regex: String) -> Bool {
        var depth = 0
        var inClass = false
        var isEscaped = false
        for byte in regex.utf8 {
            if isEscaped {
                // The text between \Q and \E is literal and is not parsed.
                if byte == UInt8(ascii: "Q") { return true }
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "["): inClass = true
            case UInt8(ascii: "]"): inClass = false
            case UInt8(ascii: "(") where !inClass: depth += 1
            case UInt8(ascii: ")") where !inClass: depth -= 1
            case UInt8(ascii: "|") where depth <= 0 || inClass: return true
            default: break
            }
        }
        return false
    }
}
