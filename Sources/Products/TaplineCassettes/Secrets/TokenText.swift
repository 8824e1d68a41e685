// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineLeaks
internal import TaplineModel

/// Finds the tokens in a masked text, which are then searched everywhere else.
///
/// Much of what is masked is not secret: all cookies are masked, including `lang=de`. Masking such
/// words everywhere would break the data that the app reads, so only texts that look like tokens
/// count.
enum TokenText {
    /// The minimum length of a run of letters and digits that contains both.
    private static let shortestMixed = 8
    /// The minimum length of a run of only letters or only digits, and of a token with several
    /// runs.
    private static let shortest = 16

    /// Returns the tokens in a text: the whole text and its parts, as in `Bearer TOKEN`,
    /// `{"a":"TOKEN"}`.
    static func tokens(in text: Span<UInt8>) -> Set<[UInt8]> {
        var found = parts(of: text)
        for index in text.indices where text[index] == .ascii("%") {
            found.formUnion(parts(of: PercentEncoding.decode(text, plusIsSpace: false).span))
            break
        }
        if text.count > 6, text.extracting(..<6).equalsIgnoringCase("basic ") {
            var pair: [UInt8] = []
            if Base64.decode(text.extracting(6...), .lenient, into: &pair) == nil {
                found.formUnion(parts(of: pair.span))
            }
        }
        return found.filter { $0.count <= LeakValue.maxBytes && isToken($0) }
    }

    private static func parts(of text: Span<UInt8>) -> Set<[UInt8]> {
        var parts: Set<[UInt8]> = []
        var isWhole = true
        // A URL as a whole is not a secret, but a part of it may be.
        let isURL = text.starts(with: "/") || text.starts(with: "http")
        var start = 0
        for index in 0...text.count {
            let byte = index < text.count ? text[index] : 0
            switch byte {
            case .ascii(":"), .ascii("="), .ascii(","), .ascii(";"), .ascii("&"): break
            case .ascii("/") where isURL, .ascii("?") where isURL: isWhole = false
            // Blanks, quotes, brackets, backslashes; bytes beyond ASCII count as letters.
            case 0...0x20, 0x7F, .ascii("\""), .ascii("'"), .ascii("\\"), .ascii("("), .ascii(")"),
                .ascii("<"), .ascii(">"), .ascii("["), .ascii("]"), .ascii("{"), .ascii("}"):
                if index < text.count { isWhole = false }
            default: continue
            }
            if start < index { parts.insert(Array(copying: text.extracting(start..<index))) }
            start = index + 1
        }
        if isWhole, !text.isEmpty { parts.insert(Array(copying: text)) }
        return parts
    }

    /// Whether a text is not a word, a date or a number of a few digits.
    static func isToken(_ text: [UInt8]) -> Bool {
        var (run, letters, longestWord) = (0, 0, 0)
        var (hasLetter, hasDigit) = (false, false)
        var (runHasLetter, runHasDigit) = (false, false)
        for byte in text {
            let isLetter = 0x61...0x7A ~= byte | 0x20 || byte >= 0x80
            guard isLetter || 0x30...0x39 ~= byte else {
                (run, letters, runHasLetter, runHasDigit) = (0, 0, false, false)
                continue
            }
            run += 1
            letters = isLetter ? letters + 1 : 0
            longestWord = max(longestWord, letters)
            if isLetter { (hasLetter, runHasLetter) = (true, true) }
            if !isLetter { (hasDigit, runHasDigit) = (true, true) }
            if run >= shortest || (run >= shortestMixed && runHasLetter && runHasDigit) {
                return true
            }
        }
        // A date has no two adjacent letters.
        return text.count >= shortest && hasLetter && hasDigit && longestWord > 1
    }
}
