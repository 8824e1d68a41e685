// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// Tokens whose literal part is too short to distinguish them from names in programs.
enum ServiceToken {
    /// Returns a Vault service token from before version 1.10.
    ///
    /// It is `s.` and 24 letters and digits, followed by a point and five more in a namespace. It
    /// must contain a digit, a capital and a small letter, because minified programs are full of
    /// `s.member`.
    static func vaultRange(in text: Span<UInt8>, head: Range<Int>) -> Range<Int>? {
        let start = head.lowerBound
        let end = text.end(of: .alphanumeric, from: head.upperBound, limit: 25)
        guard end == head.upperBound + 24, text.isWordStart(start),
            text.byte(start - 1) != 0x2E, text.byte(start - 1) != 0x2D,
            isMixed(text.extracting(head.upperBound..<end)), !isCode(text.byte(end))
        else { return nil }
        guard text.byte(end) == 0x2E else { return start..<end }
        let namespace = text.end(of: .alphanumeric, from: end + 1, limit: 6)
        let hasNamespace = namespace == end + 6 && !ByteSet.word.contains(text.byte(namespace))
        return start..<(hasNamespace ? namespace : end)
    }

    /// Returns a Facebook app access token: the app's identifier, `|` (also percent-encoded), and a
    /// token or the app's secret.
    static func facebookRange(in text: Span<UInt8>, head: Range<Int>) -> Range<Int>? {
        // The last digit is part of the literal before `|`, so that the literal has two bytes.
        let digits = head.lowerBound + (text[head.lowerBound].isDigit ? 1 : 0)
        let start = text.start(of: .digits, before: digits, limit: 19)
        let secret = head.upperBound
        let end = text.end(of: .base64URL, from: secret, limit: 41)
        guard 15...18 ~= digits - start, 27...40 ~= end - secret, text.isWordStart(start) else {
            return nil
        }
        let bytes = text.extracting(secret..<end)
        let hasDigit = bytes.end(of: .noDigit, from: 0) < bytes.count
        return hasDigit && Entropy.bitsPerByte(of: bytes) >= 3 ? start..<end : nil
    }

    private static func isMixed(_ bytes: Span<UInt8>) -> Bool {
        var hasDigit = false
        var hasCapital = false
        var hasSmall = false
        for index in bytes.indices {
            let byte = bytes[index]
            if byte.isDigit { hasDigit = true }
            if 0x41...0x5A ~= byte { hasCapital = true }
            if 0x61...0x7A ~= byte { hasSmall = true }
        }
        return hasDigit && hasCapital && hasSmall && Entropy.bitsPerByte(of: bytes) >= 3.5
    }

    /// Returns whether the byte after a name indicates program code: a word, a call or an element.
    private static func isCode(_ byte: UInt8) -> Bool {
        ByteSet.word.contains(byte) || byte == 0x28 || byte == 0x5B
    }
}

extension ByteSet {
    fileprivate static let noDigit = ByteSet("^0-9") { !$0.isDigit }
}
