// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A token of code.
struct CodeToken {
    enum Kind: UInt8 {
        /// The beginning of the text.
        case none
        case word, number, text, sign
    }

    var kind = Kind.none
    /// The range of the token, including its quotes.
    var range = 0..<0
    /// The content between the quotes of a string; otherwise the same as `range`.
    var content = 0..<0
    /// The bytes of a sign, the first one in the most significant place; otherwise 0.
    var sign: UInt32 = 0
    /// Whether a line end precedes the token.
    var beginsLine = false
    /// Whether the token is in a comment.
    var isComment = false

    /// Whether the token is a sign of one character.
    func isSign(_ byte: UInt8) -> Bool { sign == UInt32(byte) }

    /// Returns the number that represents the characters of a sign.
    @inline(__always)
    static func sign(_ text: StaticString) -> UInt32 {
        var value: UInt32 = 0
        for index in 0..<text.utf8CodeUnitCount {
            value = value << 8 | UInt32(unsafe text.utf8Start[index])
        }
        return value
    }
}

/// Splits code of many languages into words, numbers, strings and signs.
///
/// It supports what JavaScript, Python, Java, C, Go, PHP, Ruby, shells and others have in common:
/// strings that end with their line, triple-quoted strings, and strings in backticks with `${…}`;
/// comments, whose content is also read as code; and regular expressions where an expression may
/// begin.
///
/// **Limits**: time is linear.
struct CodeScanner {
    private(set) var position: Int
    private let end: Int
    /// The previous token.
    private(set) var last = CodeToken()
    /// Whether all quotes were closed.
    private(set) var isUnderstood = true
    /// The end of the current comment.
    private var commentEnd = 0
    /// The position of the mark that ends a block comment.
    private var blockEnd = -1
    /// The end of the range in which no regular expression begins.
    private var regexLimit = 0
    private var hasOpenTemplate = false

    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    /// Reads the next token; returns `false` at the end.
    mutating func next(_ bytes: Span<UInt8>) -> Bool {
        var beginsLine = last.kind == .none
        var beginsComment = false
        while position < end {
            if position == blockEnd {
                position = min(position + 2, end)
                continue
            }
            let byte = bytes[position]
            if byte <= 0x20 {
                if byte == 0x0A || byte == 0x0D { beginsLine = true }
                position += 1
                continue
            }
            if position >= commentEnd, byte == .ascii("/"), skipCommentMark(bytes) {
                beginsComment = true
                continue
            }
            guard var token = token(bytes, byte) else {
                position += 1
                continue
            }
            token.isComment = token.range.lowerBound < commentEnd
            token.beginsLine = beginsLine || beginsComment && token.isComment
            position = token.range.upperBound
            last = token
            return true
        }
        return false
    }

    private mutating func token(_ bytes: Span<UInt8>, _ byte: UInt8) -> CodeToken? {
        switch byte {
        case .ascii("\""), .ascii("'"), .ascii("`"): return text(bytes, byte)
        case 0x30...0x39: return word(bytes, .number)
        case .ascii("\\"):
            position = min(position + 1, end - 1)
            return nil
        default:
            if CodeScanner.isWordByte(byte) { return word(bytes, .word) }
            if byte == .ascii("/"), let regex = regex(bytes) { return regex }
            return sign(bytes, byte)
        }
    }

    private func word(_ bytes: Span<UInt8>, _ kind: CodeToken.Kind) -> CodeToken {
        var last = position + 1
        while last < end, CodeScanner.isWordByte(bytes[last]) { last += 1 }
        return CodeToken(kind: kind, range: position..<last, content: position..<last)
    }

    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
        case .ascii("_"), .ascii("$"), .ascii("@"): true
        default: false
        }
    }

    /// Skips the mark that begins a comment; returns `false` if there is none.
    private mutating func skipCommentMark(_ bytes: Span<UInt8>) -> Bool {
        guard position + 1 < end else { return false }
        switch bytes[position + 1] {
        case .ascii("/"):
            commentEnd = position + 2
            while commentEnd < end, bytes[commentEnd] != 0x0A, bytes[commentEnd] != 0x0D {
                commentEnd += 1
            }
        case .ascii("*"):
            commentEnd = position + 2
            while commentEnd + 1 < end,
                bytes[commentEnd] != .ascii("*") || bytes[commentEnd + 1] != .ascii("/")
            {
                commentEnd += 1
            }
            if commentEnd + 1 >= end { commentEnd = end }
            blockEnd = commentEnd
        default: return false
        }
        position += 2
        return true
    }
}

// MARK: - Texts

extension CodeScanner {
    /// Reads a string in quotes; returns `nil` for a quote that does not open one.
    private mutating func text(_ bytes: Span<UInt8>, _ quote: UInt8) -> CodeToken? {
        let start = position
        let isThree =
            quote != .ascii("`") && start + 2 < end && bytes[start + 1] == quote
            && bytes[start + 2] == quote
        let close: Int?
        let width = isThree ? 3 : 1
        if quote == .ascii("`") {
            close = hasOpenTemplate ? nil : endOfTemplate(bytes)
            if close == nil { hasOpenTemplate = true }
        } else if isThree {
            close = endOfThree(bytes, quote)
        } else {
            close = endOfLineText(bytes, quote)
        }
        guard let close else {
            if position >= commentEnd { isUnderstood = false }
            return nil
        }
        return CodeToken(
            kind: .text,
            range: start..<close + width,
            content: start + width..<close
        )
    }

    /// Returns the quote that ends a string on its line, or on a later line after escaped line
    /// ends.
    private func endOfLineText(_ bytes: Span<UInt8>, _ quote: UInt8) -> Int? {
        var place = position + 1
        let limit = position < commentEnd ? commentEnd : end
        while place < limit {
            let byte = bytes[place]
            if byte == quote { return place }
            if byte == .ascii("\\") {
                place +=
                    place + 2 < limit && bytes[place + 1] == 0x0D && bytes[place + 2] == 0x0A
                    ? 3 : 2
                continue
            }
            if byte == 0x0A || byte == 0x0D { return nil }
            place += 1
        }
        return nil
    }

    private func endOfThree(_ bytes: Span<UInt8>, _ quote: UInt8) -> Int? {
        var place = position + 3
        while place + 2 < end {
            if bytes[place] == quote, bytes[place + 1] == quote, bytes[place + 2] == quote {
                return place
            }
            place += bytes[place] == .ascii("\\") ? 2 : 1
        }
        // An empty string followed by something else.
        return nil
    }

    /// The maximum nesting depth of templates.
    private static let maxTemplates = 64

    /// Returns the backtick that ends a template, past the code within `${…}` and nested templates.
    private func endOfTemplate(_ bytes: Span<UInt8>) -> Int? {
        var place = position + 1
        // The number of open braces in the code of each template; -1 in its text.
        var depths = [-1]
        while place < end {
            let byte = bytes[place]
            let isText = depths[depths.count - 1] < 0
            switch byte {
            case .ascii("\\"): place += 1
            case .ascii("`"):
                if isText {
                    depths.removeLast()
                    if depths.isEmpty { return place }
                } else {
                    guard depths.count < CodeScanner.maxTemplates else { return nil }
                    depths.append(-1)
                }
            case .ascii("$") where isText && place + 1 < end && bytes[place + 1] == .ascii("{"):
                depths[depths.count - 1] = 1
                place += 1
            case .ascii("{") where !isText: depths[depths.count - 1] += 1
            case .ascii("}") where !isText:
                depths[depths.count - 1] -= 1
                if depths[depths.count - 1] == 0 { depths[depths.count - 1] = -1 }
            default: break
            }
            place += 1
        }
        return nil
    }

    /// Reads a regular expression, whose quotes open no string; returns `nil` for a division
    /// operator.
    private mutating func regex(_ bytes: Span<UInt8>) -> CodeToken? {
        guard position >= regexLimit, mayBeginExpression(bytes) else { return nil }
        var place = position + 1
        var isClass = false
        while place < end {
            switch bytes[place] {
            case .ascii("\\"): place += 1
            case .ascii("["): isClass = true
            case .ascii("]"): isClass = false
            case .ascii("/") where !isClass:
                return CodeToken(
                    kind: .number,
                    range: position..<place + 1,
                    content: position..<place + 1
                )
            case 0x0A, 0x0D:
                regexLimit = place
                return nil
            default: break
            }
            place += 1
        }
        regexLimit = end
        return nil
    }

    /// Whether an expression may begin after the previous token.
    private func mayBeginExpression(_ bytes: Span<UInt8>) -> Bool {
        switch last.kind {
        case .none: return true
        case .number, .text: return false
        case .word:
            let word = bytes.extracting(last.range)
            for keyword in ["return", "typeof", "case", "in", "of", "do", "else", "throw", "void"]
            where word.equals(keyword) {
                return true
            }
            return false
        case .sign:
            return !last.isSign(.ascii(")")) && !last.isSign(.ascii("]"))
                && !last.isSign(.ascii("}"))
        }
    }
}

// MARK: - Signs

extension CodeScanner {
    private func sign(_ bytes: Span<UInt8>, _ byte: UInt8) -> CodeToken {
        let second = position + 1 < end ? bytes[position + 1] : 0
        let third = position + 2 < end ? bytes[position + 2] : 0
        let length = CodeScanner.length(byte, second, third)
        var value = UInt32(byte)
        if length > 1 { value = value << 8 | UInt32(second) }
        if length > 2 { value = value << 8 | UInt32(third) }
        let range = position..<position + length
        return CodeToken(kind: .sign, range: range, content: range, sign: value)
    }

    /// Returns how many of three characters form one sign: `=`, `==`, `===`, `?.`, `??=`, ….
    private static func length(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Int {
        let equals = UInt8.ascii("=")
        switch first {
        case equals:
            if second == equals { return third == equals ? 3 : 2 }
            return second == .ascii(">") || second == .ascii("~") ? 2 : 1
        case .ascii("!"): return second == equals ? (third == equals ? 3 : 2) : 1
        case .ascii(":"): return second == equals || second == .ascii(":") ? 2 : 1
        case .ascii("?"):
            if second == .ascii("?") { return third == equals ? 3 : 2 }
            return second == .ascii(".") || second == equals || second == .ascii(":") ? 2 : 1
        case .ascii("."): return second == equals || second == .ascii(".") ? 2 : 1
        case .ascii("|"), .ascii("&"), .ascii("<"), .ascii(">"), .ascii("*"):
            if second == first { return third == equals ? 3 : 2 }
            return second == equals || first == .ascii("<") && second == .ascii("-") ? 2 : 1
        case .ascii("+"), .ascii("-"):
            return second == equals || second == first || second == .ascii(">") ? 2 : 1
        case .ascii("/"), .ascii("%"), .ascii("^"), .ascii("~"): return second == equals ? 2 : 1
        default: return 1
        }
    }
}
