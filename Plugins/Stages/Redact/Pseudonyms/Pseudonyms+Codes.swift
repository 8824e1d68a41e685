// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Hexadecimal and base64 texts, UUIDs and tokens.
extension Pseudonyms {
    /// Returns the stand-in of hexadecimal digits, with the same count, case, hyphens and colons.
    ///
    /// For a UUID, version and variant stay (RFC 9562 §4). Case only affects the notation: `AB` and
    /// `ab` have the same digits.
    func hex(_ value: [UInt8], _ counts: ByteKindCounts) -> [UInt8]? {
        guard counts.capitals == 0 || counts.smalls == 0 else { return nil }
        let isUUID = Self.isUUID(value)
        guard isUUID || Self.isHex(value, counts) else { return nil }
        let alphabet = counts.capitals > 0 ? Alphabet.capitalHex : .smallHex
        var text = ExchangeableText(value)
        for place in value.indices where value[place].hexDigit != nil {
            switch (isUUID, place) {
            case (true, 14): break
            case (true, 19): text.add(place, alphabet.variant(of: value[place]))
            default: text.add(place, alphabet)
            }
        }
        return exchanged(text, .hex)
    }

    private static func isUUID(_ value: [UInt8]) -> Bool {
        guard value.count == 36 else { return false }
        return value.indices.allSatisfy { place in
            switch place {
            case 8, 13, 18, 23: value[place] == .ascii("-")
            default: value[place].hexDigit != nil
            }
        }
    }

    /// Whether a text is hexadecimal: at least eight digits, in groups of even length if it has
    /// groups.
    ///
    /// Short texts need a decimal digit and a letter, because words such as `defaced` are not
    /// hexadecimal.
    private static func isHex(_ value: [UInt8], _ counts: ByteKindCounts) -> Bool {
        let count = counts.letters + counts.digits
        guard count >= 8, counts.letters > 0, counts.digits > 0 || count >= 32 else { return false }
        let groups = value.split(omittingEmptySubsequences: false) {
            $0 == .ascii("-") || $0 == .ascii(":")
        }
        return groups.allSatisfy { group in
            (groups.count == 1 || (!group.isEmpty && group.count % 2 == 0))
                && group.allSatisfy { $0.hexDigit != nil }
        }
    }

    /// Returns the stand-in of a text in base64 or base64url (RFC 4648), with the same length,
    /// alphabet and padding.
    ///
    /// Shorter texts, and those that do not mix capitals, lowercase letters and digits, are treated
    /// as words.
    func base64(_ value: [UInt8], _ counts: ByteKindCounts) -> [UInt8]? {
        guard value.count >= 16, counts.capitals > 0, counts.smalls > 0, counts.digits > 0,
            counts.changes * 4 >= value.count
        else { return nil }
        var end = value.count
        while end > value.count - 2, value[end - 1] == .ascii("=") { end -= 1 }
        let isPadded = end < value.count
        var marks: Set<UInt8> = []
        for byte in value[..<end] where !Self.isAlphanumeric(byte) { marks.insert(byte) }
        let alphabet: Alphabet
        if marks.isEmpty {
            alphabet = .base62
        } else if marks.isSubset(of: [.ascii("+"), .ascii("/")]), value.count % 4 == 0 {
            alphabet = .base64
        } else if marks.isSubset(of: [.ascii("-"), .ascii("_")]) {
            alphabet = .base64URL
        } else {
            return nil
        }
        guard end % 4 != 1, !isPadded || value.count % 4 == 0 else { return nil }
        var text = ExchangeableText(value)
        for place in 0..<end - 1 { text.add(place, alphabet) }
        // Some bits of the last character are unused.
        let unused = end % 4 == 2 ? 4 : end % 4 == 3 ? 2 : 0
        text.add(end - 1, alphabet.sharing(unused, of: value[end - 1]))
        return exchanged(text, .base64)
    }

    /// Returns the stand-in of a JSON Web Token (RFC 7519): three parts of base64url, of which the
    /// first two are JSON and the last is not a valid signature.
    func token(_ value: [UInt8]) -> [UInt8]? {
        let parts = value.split(separator: .ascii("."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].starts(with: "eyJ".utf8), !parts[1].isEmpty,
            parts.allSatisfy({ $0.allSatisfy(Base64Digits.isURLSafe) })
        else { return nil }
        for attempt in 0...UInt8.max {
            var stream = KeyedStream(key, .token, attempt, value.span)
            var payload = Array(#"{"sub":""#.utf8)
            for _ in 0..<32 { payload.append(stream.next(from: .smallHex)) }
            payload += #""}"#.utf8
            var output: [UInt8] = []
            let header = Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)
            Base64Digits.append(header, isURLSafe: true, to: &output)
            output.append(.ascii("."))
            Base64Digits.append(payload, isURLSafe: true, to: &output)
            output.append(.ascii("."))
            let signature = (0..<32).map { _ in UInt8(truncatingIfNeeded: stream.nextWord()) }
            Base64Digits.append(signature, isURLSafe: true, to: &output)
            if output != value { return output }
        }
        return nil
    }
}

extension Alphabet {
    /// Returns the hexadecimal digits of the UUID variant that a digit indicates (RFC 9562 §4.1).
    fileprivate func variant(of digit: UInt8) -> Alphabet {
        guard let value = digit.hexDigit, 8...11 ~= value else { return Alphabet([digit]) }
        return Alphabet(Array(symbols[8...11]))
    }
}

/// The subset of base64 that credentials and tokens require (RFC 4648 §4 and §5).
enum Base64Digits {
    static func isURLSafe(_ byte: UInt8) -> Bool {
        Pseudonyms.isAlphanumeric(byte) || byte == .ascii("-") || byte == .ascii("_")
    }

    /// Decodes a text; returns `nil` if a character is in neither alphabet.
    static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var end = text.count
        while end > 0, end > text.count - 2, text[end - 1] == .ascii("=") { end -= 1 }
        guard end % 4 != 1 else { return nil }
        var output: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for index in 0..<end {
            guard
                let value = Alphabet.base64.symbols.firstIndex(of: text[index])
                    ?? Alphabet.base64URL.symbols.firstIndex(of: text[index])
            else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            output.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return output
    }

    /// Encodes bytes, either with padding or URL-safe and without padding.
    static func append(_ bytes: [UInt8], isURLSafe: Bool = false, to output: inout [UInt8]) {
        let symbols = (isURLSafe ? Alphabet.base64URL : .base64).symbols
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                output.append(symbols[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { output.append(symbols[Int(bits << UInt32(6 - count) & 63)]) }
        guard !isURLSafe else { return }
        for _ in 0..<(3 - bytes.count % 3) % 3 { output.append(.ascii("=")) }
    }
}
