// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineModel

/// Creates stand-ins of values under a key: equal values have equal stand-ins, in the form of the
/// value.
///
/// The form determines how a stand-in is made. Numbers, hexadecimal and base64 texts, dates, IBANs
/// and longer words are permuted within their form, so that different values stay different.
/// Stand-ins of e-mail addresses, card numbers, IP addresses, JWTs, short words and long values are
/// derived from the value; two values may share one, with the probability that the page states. No
/// stand-in equals its value.
///
/// **Shape**: immutable; lanes share it. The output is as long as the input, or some dozens of
/// bytes, and costs some microseconds.
struct Pseudonyms: Sendable {
    let key: HMACSHA256
    let permutation: KeyedPermutation

    /// The version of the construction of stand-ins.
    ///
    /// Their key depends on it, so that no value has the same stand-in in two versions. Version 1
    /// permuted by a cipher of Tapline's own; version 2 uses FF1.
    static let version = 2

    /// The maximum number of characters to permute; longer values are derived.
    static let maxPermuted = 64

    init(_ key: HMACSHA256) {
        self.key = key
        permutation = KeyedPermutation(key)
    }

    /// The version, and eight hexadecimal digits that identify the key: `2-1f3a9c04`.
    ///
    /// No purpose uses the first byte of the message that they are derived from.
    var mark: String {
        "\(Self.version)-" + String(key.authenticate("mark").hex.prefix(8))
    }

    /// Appends the stand-in of a value.
    ///
    /// Blanks and quotes around it stay, and so does the scheme of credentials: the value in
    /// `Bearer abc` is `abc`.
    func append(for value: Span<UInt8>, to output: inout [UInt8]) {
        let inner = value.trimmed(0..<value.count)
        guard !inner.isEmpty else {
            output += word(Array(copying: value))
            return
        }
        output.append(copying: value.extracting(0..<inner.lowerBound))
        let text = value.extracting(inner)
        if text.count > 2, text[0] == .ascii("\""), text[text.count - 1] == .ascii("\"") {
            output.append(.ascii("\""))
            append(for: text.extracting(1..<text.count - 1), to: &output)
            output.append(.ascii("\""))
        } else if let start = Self.credentials(text) {
            output.append(copying: text.extracting(0..<start))
            let rest = text.extracting(start..<text.count)
            if text.starts(withIgnoringCase: "basic "), let pair = Base64Digits.decode(rest) {
                var standIn: [UInt8] = []
                appendPair(for: pair.span, to: &standIn)
                Base64Digits.append(standIn, to: &output)
            } else {
                append(for: rest, to: &output)
            }
        } else {
            output += standIn(Array(copying: text))
        }
        output.append(copying: value.extracting(inner.upperBound..<value.count))
    }

    /// Appends the stand-ins of `user:password`, each part separately.
    func appendPair(for pair: Span<UInt8>, to output: inout [UInt8]) {
        let colon = pair.firstIndex(of: .ascii(":")) ?? pair.count
        append(for: pair.extracting(0..<colon), to: &output)
        guard colon < pair.count else { return }
        output.append(.ascii(":"))
        append(for: pair.extracting(colon + 1..<pair.count), to: &output)
    }

    /// Returns the stand-in of a JSON number, which is also a number (RFC 8259 §6).
    func number(_ value: Span<UInt8>) -> [UInt8]? {
        let bytes = Array(copying: value)
        return card(bytes) ?? digits(bytes)
    }

    /// Returns where the credentials begin after a scheme with a single token (RFC 9110 §11.4).
    private static func credentials(_ text: Span<UInt8>) -> Int? {
        for scheme in ["bearer ", "basic ", "token ", "apikey ", "dpop ", "jwt "]
        where text.starts(withIgnoringCase: scheme) {
            var start = scheme.utf8.count
            while start < text.count, text[start].isBlank { start += 1 }
            return start < text.count ? start : nil
        }
        return nil
    }

    /// Returns the stand-in of a text without surrounding blanks.
    private func standIn(_ value: [UInt8]) -> [UInt8] {
        let counts = ByteKindCounts(value)
        if counts.dots >= 2, let made = token(value) { return made }
        if counts.ats == 1, let made = mail(value) { return made }
        if !counts.hasOthers {
            if let made = address(value) ?? date(value) ?? card(value) { return made }
            if counts.letters == 0 {
                if let made = digits(value) { return made }
            } else if let made = iban(value) ?? hex(value, counts) ?? base64(value, counts) {
                return made
            }
        }
        guard counts.letters + counts.digits >= Self.minWord, !counts.hasOthers else {
            return counts.hasOthers && value.count >= Self.minWord
                ? foreign(value) : word(value)
        }
        return letters(value)
    }
}

/// The kinds of bytes in a value.
struct ByteKindCounts {
    private(set) var digits = 0
    private(set) var capitals = 0
    private(set) var smalls = 0
    private(set) var dots = 0
    private(set) var ats = 0
    /// How often a byte has a different kind from the previous one.
    private(set) var changes = 0
    /// Whether there are non-ASCII bytes.
    private(set) var hasOthers = false

    var letters: Int { capitals + smalls }

    init(_ bytes: [UInt8]) {
        var last: UInt8 = 0
        for byte in bytes {
            // Capitals, lowercase letters and digits differ in these bits.
            if byte >> 5 != last >> 5 { changes += 1 }
            last = byte
            switch byte {
            case 0x30...0x39: digits += 1
            case 0x41...0x5A: capitals += 1
            case 0x61...0x7A: smalls += 1
            case 0x80...0xFF: hasOthers = true
            case .ascii("."): dots += 1
            case .ascii("@"): ats += 1
            default: break
            }
        }
    }
}
