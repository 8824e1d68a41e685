// SPDX-License-Identifier: MIT

internal import TaplineBytes
internal import TaplinePatterns

/// The bytes that every match of a regular expression begins with, read off its text.
///
/// RE2 does not tell them, so they are read as far as that is plain: letters, digits, marks and
/// escaped marks at the very start, after `\b` and `(?i)`. Where anything is in doubt there is no
/// head, and the expression is searched for everywhere.
enum LiteralHead {
    /// The shortest head that is worth a place among the literals.
    static let minLength = 3

    /// The head of an expression, or `nil` if it has none that long.
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
                // A letter or a digit after a backslash has a meaning of its own.
                guard let next = rest.dropFirst().first, isMark(next) else { break }
                taken = next
                length = 2
            } else if !isPlain(byte) {
                break
            }
            rest = rest.dropFirst(length)
            // A quantifier makes the last byte optional, or many.
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

    /// Whether there is a `|` outside of all groups, or a doubt of it.
    private static func hasAlternatives(_ regex: String) -> Bool {
        var depth = 0
        var inClass = false
        var isEscaped = false
        for byte in regex.utf8 {
            if isEscaped {
                // What stands between \Q and \E is literal; it is not looked into.
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
