// SPDX-License-Identifier: MIT

/// The form of a run of base64 (RFC 4648 §4 and §5, RFC 2045 §6.8).
struct Base64Form: Equatable, Sendable {
    /// Whether the alphabet has `-` and `_` instead of `+` and `/`.
    var isURL = false
    var isPadded = false
    /// The length of its lines; zero if it has only one.
    var lineLength = 0
    /// Whether lines end with CR LF.
    var hasReturns = false
}

/// Decodes and encodes base64 in any of its forms.
enum Base64Text {
    /// Returns the value of a digit of either alphabet; 64 if the byte is not a digit.
    @inline(__always)
    static func value(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x41...0x5A: byte &- 0x41
        case 0x61...0x7A: byte &- 0x47
        case 0x30...0x39: byte &+ 4
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: 64
        }
    }

    /// Returns whether a byte is a digit of either alphabet.
    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool {
        // One bit for each of the first 64 characters, and for each of the next 64.
        let low: UInt64 = 0x03FF_A800_0000_0000
        let high: UInt64 = 0x07FF_FFFE_87FF_FFFE
        guard byte < 128 else { return false }
        return (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 == 1
    }

    /// Appends the decoded bytes of a run; skips blanks, line ends and leftover digits that do not
    /// make a byte.
    static func decode(
        _ bytes: Span<UInt8>,
        _ table: Base64Table,
        appendingTo output: inout [UInt8]
    ) {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: bytes.count / 4 * 3 + 3))
        var written = start
        unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe written = decode(bytes, table, output, start)
            }
        }
        output.removeLast(output.count - written)
    }

    @unsafe
    private static func decode(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ table: Base64Table,
        _ output: UnsafeMutableBufferPointer<UInt8>,
        _ start: Int
    ) -> Int {
        var out = start
        var index = 0
        var group: UInt32 = 0
        var digits = 0
        while index < bytes.count {
            if digits == 0, index &+ 4 <= bytes.count {
                let one = unsafe table.value(bytes[index])
                let two = unsafe table.value(bytes[index &+ 1])
                let three = unsafe table.value(bytes[index &+ 2])
                let four = unsafe table.value(bytes[index &+ 3])
                if (one | two | three | four) & 64 == 0 {
                    unsafe output[out] = one << 2 | two >> 4
                    unsafe output[out &+ 1] = two << 4 | three >> 2
                    unsafe output[out &+ 2] = three << 6 | four
                    out &+= 3
                    index &+= 4
                    continue
                }
            }
            let value = unsafe table.value(bytes[index])
            index &+= 1
            guard value < 64 else { continue }
            group = group << 6 | UInt32(value)
            digits &+= 1
            guard digits == 4 else { continue }
            unsafe output[out] = UInt8(truncatingIfNeeded: group >> 16)
            unsafe output[out &+ 1] = UInt8(truncatingIfNeeded: group >> 8)
            unsafe output[out &+ 2] = UInt8(truncatingIfNeeded: group)
            out &+= 3
            (group, digits) = (0, 0)
        }
        if digits == 2 {
            unsafe output[out] = UInt8(truncatingIfNeeded: group >> 4)
            out &+= 1
        } else if digits == 3 {
            unsafe output[out] = UInt8(truncatingIfNeeded: group >> 10)
            unsafe output[out &+ 1] = UInt8(truncatingIfNeeded: group >> 2)
            out &+= 2
        }
        return out
    }

    /// Appends bytes encoded in a form.
    static func encode(
        _ bytes: Span<UInt8>,
        _ form: Base64Form,
        appendingTo output: inout [UInt8]
    ) {
        var column = 0
        func put(_ value: UInt32, _ output: inout [UInt8]) {
            if form.lineLength > 0, column == form.lineLength {
                if form.hasReturns { output.append(0x0D) }
                output.append(0x0A)
                column = 0
            }
            output.append(digit(UInt8(truncatingIfNeeded: value & 63), form.isURL))
            column += 1
        }
        output.reserveCapacity(output.count + (bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let count = min(bytes.count - index, 3)
            var group = UInt32(bytes[index]) << 16
            if count > 1 { group |= UInt32(bytes[index + 1]) << 8 }
            if count > 2 { group |= UInt32(bytes[index + 2]) }
            put(group >> 18, &output)
            put(group >> 12, &output)
            if count > 1 { put(group >> 6, &output) }
            if count > 2 { put(group, &output) }
            index += 3
            guard count < 3, form.isPadded else { continue }
            output.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - count))
        }
    }

    private static func digit(_ value: UInt8, _ isURL: Bool) -> UInt8 {
        switch value {
        case 0..<26: value + 0x41
        case 26..<52: value + 0x47
        case 52..<62: value - 4
        case 62: isURL ? UInt8(ascii: "-") : UInt8(ascii: "+")
        default: isURL ? UInt8(ascii: "_") : UInt8(ascii: "/")
        }
    }
}

/// A table of the base64 values of all bytes.
///
/// A class, because 256 bytes are too many to copy.
final class Base64Table: Sendable {
    private let values: InlineArray<256, UInt8>

    init() {
        var values = InlineArray<256, UInt8>(repeating: 64)
        for byte in UInt8.min...UInt8.max { values[Int(byte)] = Base64Text.value(byte) }
        self.values = values
    }

    @inline(__always)
    func value(_ byte: UInt8) -> UInt8 {
        unsafe values[unchecked: Int(byte)]
    }
}
