// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineLeaks
internal import TaplineModel

/// What is a token in a text that was masked: what is looked for everywhere else.
///
/// Much of what is masked is no secret: all cookies are, `lang=de` among them. To mask such words
/// wherever they stand would break what the app reads, so that only what looks like a token counts.
enum TokenText {
    /// How long a run of letters and digits is at least that has both.
    private static let shortestMixed = 8
    /// The same for a run of letters, or of digits, and for a token of several runs.
    private static let shortest = 16

    /// The tokens in a text: all of it, and its parts: `Bearer TOKEN`, `{"a":"TOKEN"}`.
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
        // What a URL says is no secret, a part of it may be.
        let isURL = text.starts(with: "/") || text.starts(with: "http")
        var start = 0
        for index in 0...text.count {
            let byte = index < text.count ? text[index] : 0
            switch byte {
            case .ascii(":"), .ascii("="), .ascii(","), .ascii(";"), .ascii("&"): break
            case .ascii("/") where isURL, .ascii("?") where isURL: isWhole = false
            // Blanks, quotes, brackets, backslashes; bytes beyond ASCII are letters.
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

    /// Whether a text is no word, no date, and no number of a few digits.
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
        // In a date no two letters stand together.
        return text.count >= shortest && hasLetter && hasDigit && longestWord > 1
    }
}
