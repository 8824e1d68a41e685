// SPDX-License-Identifier: MIT

/// Base64 (RFC 4648 §4), and its variant for URLs and file names (§5).
///
/// Implemented here because no library that Tapline links offers it without line breaks or copies.
package enum Base64: Sendable {
    /// The characters for the last two digits.
    package enum Alphabet: Sendable {
        /// `+` and `/` (RFC 4648 §4).
        case standard
        /// `-` and `_` (RFC 4648 §5).
        case url
    }

    /// The length of the encoding of a number of bytes, with padding.
    package static func encodedCount(of count: Int) -> Int { (count + 2) / 3 * 4 }

    /// The maximum number of bytes that a text of a given length decodes to.
    package static func decodedCapacity(of count: Int) -> Int { count / 4 * 3 + 3 }

    /// Appends the encoding of bytes, with padding and without line breaks.
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - output: Where to append.
    package static func encode(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
        output.append(addingCapacity: encodedCount(of: bytes.count)) { output in
            encode(bytes, into: &output)
        }
    }

    /// Appends the encoding of bytes, without line breaks.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - alphabet: The alphabet.
    ///   - isPadded: Whether `=` fills the last group of four.
    ///   - output: The memory to append to, with room for `encodedCount(of:)`.
    @_lifetime(output: copy output)
    package static func encode(
        _ bytes: Span<UInt8>,
        _ alphabet: Alphabet = .standard,
        isPadded: Bool = true,
        into output: inout OutputSpan<UInt8>
    ) {
        let length = encodedCount(of: bytes.count)
        precondition(length <= output.freeCapacity, "no room for base64")
        unsafe output.withUnsafeMutableBufferPointer { buffer, count in
            guard let base = buffer.baseAddress else { return }
            unsafe encodeBase64(bytes, alphabet, into: base + count)
            count &+= isPadded ? length : (bytes.count * 4 + 2) / 3
        }
    }

    /// How strictly a text is decoded.
    package enum Form: Sendable {
        /// The standard alphabet, complete padding, and zero in unused bits; nothing else.
        case strict
        /// As `strict`, but line breaks are skipped, and padding may be missing.
        case lines
        /// Either alphabet or both, without blanks.
        ///
        /// Padding may be missing, but must be complete if present; unused bits may have any value.
        case compact
        /// White space is skipped, padding may be missing, and `-_` are accepted as `+/`.
        case lenient
    }

    /// Decodes a text and appends the result.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - form: How strictly it is decoded.
    ///   - output: The array to append to; unchanged if the text is invalid.
    /// - Returns: `nil`, or the offset of the first invalid character.
    package static func decode(
        _ text: Span<UInt8>,
        _ form: Form = .strict,
        into output: inout [UInt8]
    ) -> Int? {
        var wrong: Int?
        output.append(addingCapacity: decodedCapacity(of: text.count)) { output in
            wrong = decode(text, form, into: &output)
        }
        return wrong
    }

    /// Decodes a text and appends the result to memory.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - form: How strictly it is decoded.
    ///   - output: The memory to append to, with room for `decodedCapacity(of:)`; unchanged if the
    ///     text is invalid.
    /// - Returns: `nil`, or the offset of the first invalid character.
    @_lifetime(output: copy output)
    package static func decode(
        _ text: Span<UInt8>,
        _ form: Form,
        into output: inout OutputSpan<UInt8>
    ) -> Int? {
        let start = output.count
        var group: UInt32 = 0
        var digits = 0
        var index = 0
        while index < text.count {
            if digits == 0 {
                index = decodeQuads(text, from: index, form, into: &output)
                if index == text.count { break }
            }
            let digit = decodeTable[Int(text[index])]
            if digit < 64 && (form.isOfEitherAlphabet || !isURLSafe(text[index])) {
                group = group &<< 6 | UInt32(digit)
                digits += 1
                if digits == 4 {
                    output.append(UInt8(truncatingIfNeeded: group &>> 16))
                    output.append(UInt8(truncatingIfNeeded: group &>> 8))
                    output.append(UInt8(truncatingIfNeeded: group))
                    group = 0
                    digits = 0
                }
            } else if text[index] == 0x3D {
                break
            } else if !form.skips(text[index]) {
                output.removeLast(output.count - start)
                return index
            }
            index += 1
        }
        if let wrong = finish(text, index, group, digits, form, &output) {
            output.removeLast(output.count - start)
            return wrong
        }
        return nil
    }

    /// Decodes complete groups of four until another character occurs; returns where it stopped.
    @_lifetime(output: copy output)
    private static func decodeQuads(
        _ text: Span<UInt8>,
        from start: Int,
        _ form: Form,
        into output: inout OutputSpan<UInt8>
    ) -> Int {
        let refusesURLSafe = !form.isOfEitherAlphabet
        var index = start
        while text.count - index >= 4 {
            let first = decodeTable[Int(text[index])]
            let second = decodeTable[Int(text[index &+ 1])]
            let third = decodeTable[Int(text[index &+ 2])]
            let fourth = decodeTable[Int(text[index &+ 3])]
            if (first | second | third | fourth) >= 64 { break }
            if refusesURLSafe,
                isURLSafe(text[index]) || isURLSafe(text[index &+ 1])
                    || isURLSafe(text[index &+ 2]) || isURLSafe(text[index &+ 3])
            {
                break
            }
            output.append(first &<< 2 | second &>> 4)
            output.append(second &<< 4 | third &>> 2)
            output.append(third &<< 6 | fourth)
            index &+= 4
        }
        return index
    }

    /// Decodes the rest: a short group and its padding.
    @_lifetime(output: copy output)
    private static func finish(
        _ text: Span<UInt8>,
        _ start: Int,
        _ group: UInt32,
        _ digits: Int,
        _ form: Form,
        _ output: inout OutputSpan<UInt8>
    ) -> Int? {
        var padding = 0
        for index in start..<text.count {
            if text[index] == 0x3D {
                padding += 1
            } else if !form.skips(text[index]) {
                return index
            }
        }
        switch digits {
        case 0:
            return padding == 0 || form == .lenient ? nil : start
        case 2:
            if !form.allows(padding, of: 2) || !form.allowsRest && group & 0xF != 0 { return start }
            output.append(UInt8(truncatingIfNeeded: group &>> 4))
        case 3:
            if !form.allows(padding, of: 1) || !form.allowsRest && group & 0x3 != 0 { return start }
            output.append(UInt8(truncatingIfNeeded: group &>> 10))
            output.append(UInt8(truncatingIfNeeded: group &>> 2))
        default:
            return start
        }
        return padding <= 2 ? nil : start
    }

    private static func isURLSafe(_ byte: UInt8) -> Bool { byte == 0x2D || byte == 0x5F }
}

extension Base64.Form {
    /// Whether digits of both alphabets are accepted.
    fileprivate var isOfEitherAlphabet: Bool { self == .lenient || self == .compact }

    /// Whether the unused bits of a short group may be set.
    fileprivate var allowsRest: Bool { self == .lenient || self == .compact }

    /// Whether a character that is not a digit is skipped.
    fileprivate func skips(_ byte: UInt8) -> Bool {
        if byte == 0x0A || byte == 0x0D { return self == .lines || self == .lenient }
        return self == .lenient && (byte == 0x20 || byte == 0x09)
    }

    /// Whether this amount of padding is accepted instead of the required amount.
    fileprivate func allows(_ padding: Int, of due: Int) -> Bool {
        self == .lenient || padding == due || self != .strict && padding == 0
    }
}

extension Base64.Alphabet {
    fileprivate var digits: StaticString {
        switch self {
        case .standard: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        case .url: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        }
    }
}

/// The value of each character; 255 if it is not a digit.
private let decodeTable: InlineArray<256, UInt8> = {
    var table = InlineArray<256, UInt8>(repeating: 255)
    for alphabet in [Base64.Alphabet.standard, .url] {
        for digit in 0..<64 {
            table[Int(unsafe alphabet.digits.utf8Start[digit])] = UInt8(digit)
        }
    }
    return table
}()

/// Writes the encoding of bytes, with padding, to memory with enough room.
func encodeBase64(
    _ bytes: Span<UInt8>,
    _ alphabet: Base64.Alphabet = .standard,
    into output: UnsafeMutablePointer<UInt8>
) {
    let digits = unsafe alphabet.digits.utf8Start
    var out = unsafe output
    var index = 0
    while bytes.count &- index >= 3 {
        let group =
            UInt32(bytes[index]) &<< 16 | UInt32(bytes[index &+ 1]) &<< 8
            | UInt32(bytes[index &+ 2])
        unsafe out[0] = digits[Int(group &>> 18)]
        unsafe out[1] = digits[Int(group &>> 12 & 63)]
        unsafe out[2] = digits[Int(group &>> 6 & 63)]
        unsafe out[3] = digits[Int(group & 63)]
        unsafe out += 4
        index &+= 3
    }
    let left = bytes.count &- index
    if left > 0 {
        let second = left == 2 ? UInt32(bytes[index &+ 1]) : 0
        let group = UInt32(bytes[index]) &<< 16 | second &<< 8
        unsafe out[0] = digits[Int(group &>> 18)]
        unsafe out[1] = digits[Int(group &>> 12 & 63)]
        unsafe out[2] = left == 2 ? digits[Int(group &>> 6 & 63)] : 0x3D
        unsafe out[3] = 0x3D
    }
}
