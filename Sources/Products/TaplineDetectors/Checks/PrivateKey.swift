// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// Armoured private keys: PEM (RFC 7468), OpenSSH, PGP (RFC 9580 §6.2), SSH2 and PuTTY.
enum PrivateKey {
    /// Returns the key around a label that ends with `PRIVATE KEY`.
    ///
    /// **Limits.** A key without its end line extends as far as its base64. The check stops at two
    /// dashes in a row, so that no byte is read by more than one check.
    static func range(in text: Span<UInt8>, label: Range<Int>) -> Range<Int>? {
        guard let start = begin(in: text, before: label.lowerBound) else { return nil }
        var position = label.upperBound
        if text.hasBytes(" BLOCK", at: position) { position += 6 }
        if text.byte(position) == 0x20 { position += 1 }
        let dashes = text.end(of: .dash, from: position, limit: 5)
        guard dashes - position >= 4 else { return nil }
        let body = bodyEnd(in: text, from: dashes)
        guard body.letters >= 16 else { return nil }
        return start..<end(in: text, from: body.end)
    }

    /// Returns the lines of a PuTTY key file that hold the private part.
    static func puttyRange(in text: Span<UInt8>, head: Range<Int>) -> Range<Int>? {
        var position = text.end(of: .blank, from: head.upperBound, limit: 4)
        let count = position
        position = text.end(of: .digits, from: position, limit: 4)
        guard position > count else { return nil }
        // The private part ends at the next field, `Private-MAC`.
        let body = bodyEnd(in: text, from: position, hasFields: false)
        guard body.letters >= 16 else { return nil }
        let isName = text.hasBytes("Private-", at: body.end - 7)
        return position..<(isName ? body.end - 7 : body.end)
    }

    /// Returns the start of `-----BEGIN RSA ` before a label.
    private static func begin(in text: Span<UInt8>, before end: Int) -> Int? {
        // The longest label in use is `SSH2 ENCRYPTED`.
        let words = text.start(of: .label, before: end, limit: 40)
        guard let word = text.firstIndex(of: "BEGIN ".utf8.span, in: words..<end) else {
            return nil
        }
        // SSH2 has a blank between the four dashes and the word.
        let last = text.byte(word - 1) == 0x20 ? word - 1 : word
        let dashes = text.start(of: .dash, before: last, limit: 5)
        return last - dashes >= 4 ? dashes : nil
    }

    /// Returns the end of the base64, including line ends (also escaped ones) and leading fields.
    private static func bodyEnd(
        in text: Span<UInt8>,
        from start: Int,
        hasFields: Bool = true
    ) -> (end: Int, letters: Int) {
        var letters = 0
        var position = start
        while position < text.count {
            let byte = text[position]
            if ByteSet.base64.contains(byte) {
                letters += 1
            } else if byte == 0x2D {
                if !hasFields || text.byte(position + 1) == 0x2D { break }
            } else if !ByteSet.armour.contains(byte) {
                break
            }
            position += 1
        }
        return (position, letters)
    }

    /// Returns the position after `-----END RSA PRIVATE KEY-----`, if that follows.
    private static func end(in text: Span<UInt8>, from start: Int) -> Int {
        var position = text.end(of: .dashOrBlank, from: start, limit: 6)
        guard text.hasBytes("END ", at: position) else { return start }
        position = text.end(of: .label, from: position, limit: 60)
        return text.end(of: .dashOrBlank, from: position, limit: 5)
    }
}

extension ByteSet {
    fileprivate static let dash = ByteSet("-") { $0 == 0x2D }
    fileprivate static let blank = ByteSet(" ") { $0 == 0x20 || $0 == 0x09 }
    fileprivate static let dashOrBlank = ByteSet("- ") { $0 == 0x2D || $0 == 0x20 }
    fileprivate static let label = ByteSet("0-9A-Z ") { capitals.contains($0) || $0 == 0x20 }
    /// Other bytes in armoured base64: white space, escapes, padding, `Proc-Type: 4,…`.
    fileprivate static let armour = ByteSet(" \\t\\r\\n\\=:,.") { byte in
        byte == 0x20 || 0x09...0x0D ~= byte || byte == 0x5C || byte == 0x3D || byte == 0x3A
            || byte == 0x2C || byte == 0x2E || byte == 0x28 || byte == 0x29 || byte == 0x5F
    }
}
