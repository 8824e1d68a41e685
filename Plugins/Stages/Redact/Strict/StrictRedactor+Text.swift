// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Values and unstructured text.
extension StrictRedactor {
    /// Writes an unescaped value: in the format that it looks like, otherwise as text.
    mutating func value(
        _ value: Span<UInt8>,
        _ rule: Rule,
        _ level: Int,
        into output: inout [UInt8]
    ) {
        guard !value.isEmpty else { return }
        guard !stays(value) else {
            output.append(copying: value)
            return
        }
        guard level < Self.maxLevel else {
            put(value, rule, into: &output)
            return
        }
        if JSONText.isLikely(value, 0..<value.count) {
            let start = output.count
            if json(value, level + 1, into: &output) { return }
            output.removeSubrange(start...)
        }
        if value[0] == .ascii("<"), MarkupEditor.isLikely(value, 0..<value.count) {
            markup(value, level + 1, into: &output)
            return
        }
        text(value, rule, level, into: &output)
    }

    /// Writes text word by word; everything between words is kept.
    mutating func text(
        _ text: Span<UInt8>,
        _ rule: Rule,
        _ level: Int,
        into output: inout [UInt8]
    ) {
        var position = 0
        while position < text.count {
            let start = position
            while position < text.count, !Self.isMark(text[position]) { position += 1 }
            if position > start {
                position = Self.endWithPadding(text, start..<position)
                token(text, start..<position, rule, level, into: &output)
            }
            let marks = position
            while position < text.count, Self.isMark(text[position]) { position += 1 }
            output.append(copying: text.extracting(marks..<position))
        }
    }

    /// Whether a byte separates words.
    private static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F, .ascii("\""), .ascii("'"), .ascii("("), .ascii(")"), .ascii("["),
            .ascii("]"), .ascii("{"), .ascii("}"), .ascii("<"), .ascii(">"), .ascii(","),
            .ascii(";"), .ascii("="), .ascii("&"), .ascii("|"), .ascii("`"), .ascii("\\"):
            true
        default: false
        }
    }

    /// Returns the end of a word, including its padding if it is base64.
    private static func endWithPadding(_ text: Span<UInt8>, _ word: Range<Int>) -> Int {
        var end = word.upperBound
        while end < text.count, end < word.upperBound + 2, text[end] == .ascii("=") { end += 1 }
        let isWhole = end == text.count || (isMark(text[end]) && text[end] != .ascii("="))
        return word.count >= 16 && isWhole && (end - word.lowerBound) % 4 == 0
            ? end : word.upperBound
    }

    /// Writes a word, and the punctuation at its end.
    private mutating func token(
        _ text: Span<UInt8>,
        _ range: Range<Int>,
        _ rule: Rule,
        _ level: Int,
        into output: inout [UInt8]
    ) {
        var end = range.upperBound
        while end > range.lowerBound, Self.endsWord(text[end - 1]) { end -= 1 }
        let word = text.extracting(range.lowerBound..<end)
        let isNamed = end < range.upperBound ? text[end] == .ascii(":") : Self.isName(text, end)
        if !word.isEmpty { put(word: word, isNamed: isNamed, rule, level, into: &output) }
        output.append(copying: text.extracting(end..<range.upperBound))
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        byte == .ascii(".") || byte == .ascii(":") || byte == .ascii("!") || byte == .ascii("?")
    }

    /// Whether a word is followed by a separator of names.
    private static func isName(_ text: Span<UInt8>, _ end: Int) -> Bool {
        var position = end
        while position < text.count, position < end + 3 {
            switch text[position] {
            case .ascii("="), .ascii(":"): return true
            case .ascii(" "), .ascii("\""), .ascii("'"): position += 1
            default: return false
            }
        }
        return false
    }

    /// The maximum number of names, each followed by a colon, before a value without a blank.
    private static let maxNames = 8

    private mutating func put(
        word: Span<UInt8>,
        isNamed: Bool,
        _ rule: Rule,
        _ level: Int,
        into output: inout [UInt8]
    ) {
        var start = 0
        for _ in 0..<Self.maxNames {
            let rest = word.extracting(start...)
            if words.isProse(rest) || Self.isTimestamp(rest) || isReplacement(rest)
                || Self.isOrnament(rest) || (isNamed && words.isName(rest))
            {
                output.append(copying: rest)
                return
            }
            if URLParts(rest) != nil || (rest.count > 1 && rest[0] == .ascii("/")) {
                url(rest, level, into: &output)
                return
            }
            guard let colon = rest.firstIndex(of: .ascii(":")), colon > 0, colon + 1 < rest.count
            else { break }
            let first = rest.extracting(0..<colon)
            guard words.isName(first) || words.isProse(first) else { break }
            output.append(copying: rest.extracting(0...colon))
            start += colon + 1
        }
        put(word.extracting(start...), rule, into: &output)
    }

    /// Whether a word has neither letters nor digits and is no longer than a typical ornament.
    private static func isOrnament(_ word: Span<UInt8>) -> Bool {
        var isSame = true
        for index in word.indices {
            guard !Pseudonyms.isAlphanumeric(word[index]), word[index] < 0x80 else { return false }
            isSame = isSame && word[index] == word[0]
        }
        return isSame || word.count <= 3
    }

    /// Writes the value of a field whose words and numbers belong to the protocol.
    mutating func protocolText(
        _ text: Span<UInt8>,
        _ digits: ShortNumbers,
        into output: inout [UInt8]
    ) {
        let hasNumbers = Self.countDigits(text) <= digits.total
        var position = 0
        while position < text.count {
            let start = position
            while position < text.count, !Self.isMark(text[position]) { position += 1 }
            let word = text.extracting(start..<position)
            // The value of a parameter is one number; other digits could be parts of a long number.
            let isValue = start > 0 && text[start - 1] == .ascii("=")
            if word.isEmpty || isProtocol(word, digits, hasNumbers: hasNumbers || isValue) {
                output.append(copying: word)
            } else {
                output += isReplacement(word) ? Array(copying: word) : name(word)
            }
            if position < text.count { output.append(text[position]) }
            position += 1
        }
    }

    private func isProtocol(
        _ word: Span<UInt8>,
        _ digits: ShortNumbers,
        hasNumbers: Bool
    ) -> Bool {
        if words.isValue(word) || words.isField(word) || words.isMethod(word) { return true }
        if hasNumbers, digits.contains(word) { return true }
        // A product and its version (RFC 9110 §10.1.5).
        if let slash = word.firstIndex(of: .ascii("/")), slash > 0 {
            let version = word.extracting((slash + 1)...)
            let isShort = hasNumbers && ShortNumbers.version.contains(version)
            return words.isValue(word.extracting(0..<slash))
                && (isShort || words.isValue(version))
        }
        return words.isName(word)
    }

    /// Returns the number of digits in a value, except those in the values of parameters.
    private static func countDigits(_ text: Span<UInt8>) -> Int {
        var count = 0
        var isValue = false
        for index in text.indices {
            if isMark(text[index]) {
                isValue = text[index] == .ascii("=")
            } else if !isValue, text[index].isDigit {
                count += 1
            }
        }
        return count
    }
}

/// Limits for numbers that are too short to identify anyone: sizes, ages, versions, ranges.
struct ShortNumbers: Sendable {
    /// The maximum number of digits in a row, for numbers with one row and for those with several.
    let single: Int
    let grouped: Int
    /// The maximum number of digits in a value, except those in the values of parameters; beyond
    /// it, no number is kept.
    let total: Int

    /// `1`, `1.18.0`.
    static let version = ShortNumbers(single: 3, grouped: 3, total: 9)
    /// `31536000`, and versions.
    static let size = ShortNumbers(single: 9, grouped: 3, total: 9)
    /// `0-499/1234` (RFC 9110 §14.4).
    static let range = ShortNumbers(single: 9, grouped: 9, total: 27)

    /// Whether a text is a number, or up to three numbers joined as in versions and ranges.
    func contains(_ text: Span<UInt8>) -> Bool {
        var count = 0
        var longest = 0
        var groups = 0
        for index in text.indices {
            switch text[index] {
            case 0x30...0x39:
                if count == 0 { groups += 1 }
                count += 1
                longest = max(longest, count)
            case .ascii("."), .ascii("-"), .ascii("/"), .ascii("*"), .ascii(":"): count = 0
            default: return false
            }
        }
        return groups == 1 ? longest <= single : 2...3 ~= groups && longest <= grouped
    }
}
