// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Values that span more than one word or line.
extension TextEditor {
    /// Extends a value of cookies by the cookies after it: `a=x; b=y`.
    static func withCookies(
        _ value: Range<Int>,
        _ bytes: Span<UInt8>,
        _ limit: Int
    ) -> Range<Int> {
        var end = value.upperBound
        while end > value.lowerBound, end < limit {
            var next = end
            if bytes[next] == .ascii(";") {
                next += 1
            } else if bytes[next - 1] != .ascii(";") {
                break
            }
            while next < limit, bytes[next].isBlank { next += 1 }
            var equals = next
            while equals < limit, isPlainWordByte(bytes[equals]) { equals += 1 }
            guard equals > next, equals < limit, bytes[equals] == .ascii("=") else { break }
            end = equals + 1
            while end < limit, bytes[end] > 0x20, bytes[end] != .ascii(";"), !isQuote(bytes[end]) {
                end += 1
            }
        }
        return value.lowerBound..<end
    }

    /// Returns a container of JSON or YAML that continues on the next line, up to its closing
    /// bracket.
    ///
    /// Without a closing bracket, it extends to the end of the text. Returns `nil` if no such
    /// container begins here.
    static func container(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        var first = range.lowerBound
        while first < range.upperBound, bytes[first].isBlank { first += 1 }
        guard first < range.upperBound, isOpening(bytes[first]) else { return nil }
        var next = first + 1
        while next < range.upperBound, bytes[next].isBlank || bytes[next] == 0x0D { next += 1 }
        guard next < range.upperBound, bytes[next] == 0x0A else { return nil }
        var depth = 0
        var isText = false
        var position = first
        while position < range.upperBound {
            let byte = bytes[position]
            position += 1
            if isText {
                if byte == .ascii("\\") { position += 1 }
                // A quote that is not closed ends with its line.
                if byte == .ascii("\"") || byte == 0x0A { isText = false }
            } else if byte == .ascii("\"") {
                isText = true
            } else if isOpening(byte) {
                depth += 1
            } else if byte == .ascii("}") || byte == .ascii("]") {
                depth -= 1
                if depth == 0 { return first..<position }
            }
        }
        return first..<range.upperBound
    }

    private static func isOpening(_ byte: UInt8) -> Bool {
        byte == .ascii("{") || byte == .ascii("[")
    }

    /// Whether `name=` follows, as after the `&` of a form.
    static func beginsItem(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var position = range.lowerBound
        while position < range.upperBound, isPlainWordByte(bytes[position]) { position += 1 }
        return position > range.lowerBound && position < range.upperBound
            && bytes[position] == .ascii("=")
    }

    /// Whether a word begins a line, possibly after `export`.
    static func beginsLine(_ bytes: Span<UInt8>, _ word: Range<Int>) -> Bool {
        var start = word.lowerBound
        if start >= 7, bytes.extracting(start - 7..<start).equals("export ") { start -= 7 }
        // The quote belongs to a string.
        return start == 0 || bytes[start - 1] == 0x0A || bytes[start - 1] == .ascii("\"")
    }

    /// Whether a word is not prose: letters with digits, a long number, or many letters of both
    /// cases.
    ///
    /// Dates, times and addresses have digits and no letters.
    static func isUnlikeProse(_ word: Span<UInt8>) -> Bool {
        guard word.count >= 6 else { return false }
        var digits = 0
        var letters = 0
        var hasLateCapital = false
        for index in word.indices {
            switch word[index] {
            case 0x30...0x39: digits += 1
            case 0x41...0x5A:
                letters += 1
                hasLateCapital = hasLateCapital || index > 0
            case 0x61...0x7A: letters += 1
            case .ascii(":") where index + 1 < word.count && word[index + 1] == .ascii("/"):
                // A URL.
                return false
            default: break
            }
        }
        if digits > 0 { return letters > 0 || digits == word.count }
        return hasLateCapital && letters == word.count && letters >= 20
    }
}
