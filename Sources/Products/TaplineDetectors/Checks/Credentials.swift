// SPDX-License-Identifier: MIT

internal import TaplineBytes
internal import TaplineJSON

/// Credentials after the name of their scheme (RFC 9110 §11.4), anywhere in a text.
enum Credentials {
    /// Returns the token after `Bearer` (RFC 6750 §2.1).
    ///
    /// The word also occurs in prose, so a token must have 16 bytes or more and either contain a
    /// digit or be longer than any word.
    static func bearerRange(in text: Span<UInt8>, scheme: Range<Int>) -> Range<Int>? {
        guard let start = value(in: text, after: scheme) else { return nil }
        let end = text.end(of: .token68, from: start)
        guard end - start >= 16, !Placeholder.isHash(text.extracting(start..<end)) else {
            return nil
        }
        guard end - start < 40 else { return start..<end }
        for position in start..<end where text[position].isDigit { return start..<end }
        return nil
    }

    /// Returns the base64 of `user:password` after `Basic` (RFC 7617).
    static func basicRange(
        in text: Span<UInt8>,
        scheme: Range<Int>,
        _ memory: inout CheckMemory
    ) -> Range<Int>? {
        guard let start = value(in: text, after: scheme) else { return nil }
        let digits = text.end(of: .base64, from: start)
        let end = text.end(of: .equals, from: digits, limit: 2)
        guard digits - start >= 3, !ByteSet.word.contains(text.byte(end)) else { return nil }
        memory.decoded.removeAll(keepingCapacity: true)
        // A longer value is cut at a whole number of base64 groups.
        let sample = text.extracting(start..<min(end, start + 4_096))
        guard Base64.decode(sample, .lenient, into: &memory.decoded) == nil,
            isText(memory.decoded.span)
        else { return nil }
        return start..<end
    }

    /// Returns the start of the value after a scheme and blanks, which may be escaped as in URLs.
    private static func value(in text: Span<UInt8>, after scheme: Range<Int>) -> Int? {
        guard text.isWordStart(scheme.lowerBound) else { return nil }
        var position = scheme.upperBound
        while position < scheme.upperBound + 12 {
            if text.byte(position) == 0x20 || text.byte(position) == 0x09 {
                position += 1
            } else if text.hasBytes("%20", at: position) {
                position += 3
            } else if text.byte(position) == 0x2B, position == scheme.upperBound {
                position += 1
            } else {
                break
            }
        }
        return position > scheme.upperBound ? position : nil
    }

    /// Returns whether bytes are printable text with a colon.
    private static func isText(_ bytes: Span<UInt8>) -> Bool {
        var hasColon = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x3A { hasColon = true }
            if byte < 0x20 || byte == 0x7F { return false }
            guard let length = bytes.scalarLength(at: index) else { return false }
            index += length
        }
        return hasColon
    }
}
