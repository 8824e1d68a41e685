// SPDX-License-Identifier: MIT

internal import CByteScan
internal import CSimdjsonShims

/// Writes strings and numbers as JSON (RFC 8259 §6 and §7) to memory of the caller.
///
/// `JSONWriter` is built on this; so is code with its own buffer.
package enum JSONText {
    /// The maximum length of a number in bytes.
    package static var numberCapacity: Int { 32 }

    /// The room needed beyond the text: for a block of escapes, and for bytes that are copied at
    /// once.
    package static var slack: Int { Int(TAPLINE_ESCAPE_ROOM) }

    // MARK: Strings

    /// Copies text and escapes quotes, backslashes and control characters, until it is complete or
    /// the rest does not fit.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - position: Where to continue in the text: 0 at first, then the value left by the previous
    ///     call.
    ///   - room: The memory, with at least as many bytes as the rest of the text plus `slack`.
    ///   - capacity: The size of the memory.
    /// - Returns: How many bytes were written, and whether all bytes read are ASCII.
    @unsafe
    package static func escape(
        _ text: Span<UInt8>,
        from position: inout Int,
        to room: UnsafeMutablePointer<UInt8>,
        capacity: Int
    ) -> (count: Int, isASCII: Bool) {
        let start = position
        let copied = unsafe text.withUnsafeBufferPointer { buffer in
            guard let source = buffer.baseAddress else { return tapline_escaped() }
            // Most texts in JSON are short and need no escapes.
            if start == 0, capacity >= 32, unsafe tapline_copy_plain(source, buffer.count, room) {
                return tapline_escaped(
                    read: buffer.count,
                    written: buffer.count,
                    is_ascii: true
                )
            }
            return unsafe tapline_escape(source + start, buffer.count &- start, room, capacity)
        }
        position &+= copied.read
        return (copied.written, copied.is_ascii)
    }

    /// Writes a character as the escape `\u00xx`.
    static func writeScalar(_ scalar: UInt8, to room: UnsafeMutablePointer<UInt8>) -> Int {
        unsafe room[0] = 0x5C
        unsafe room[1] = 0x75
        unsafe room[2] = 0x30
        unsafe room[3] = 0x30
        unsafe room[4] = hexDigit(scalar &>> 4)
        unsafe room[5] = hexDigit(scalar & 0x0F)
        return 6
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 &+ value : 0x57 &+ value
    }

    // MARK: Numbers

    /// Writes an integer; returns the number of bytes written.
    @unsafe
    package static func write(_ value: Int64, to room: UnsafeMutablePointer<UInt8>) -> Int {
        guard value < 0 else { return unsafe writeDigits(value.magnitude, to: room) }
        unsafe room[0] = 0x2D
        return unsafe writeDigits(value.magnitude, to: room + 1) &+ 1
    }

    /// Writes the shortest text that reads back as this finite number; returns the number of bytes.
    @unsafe
    package static func write(_ value: Double, to room: UnsafeMutablePointer<UInt8>) -> Int {
        let size = value.magnitude
        // Different decimal numbers of up to 15 digits read as different doubles, so no shorter
        // text exists if three decimals are exact.
        if size < 1e12 {
            let thousandths = UInt64(size * 1000 + 0.5)
            if thousandths % 1000 != 0, Double(thousandths) / 1000 == size {
                return unsafe writeThousandths(thousandths, isNegative: value < 0, to: room)
            }
        }
        return unsafe tapline_json_from_double(value, room)
    }

    /// Writes thousandths as a decimal number without trailing zeros.
    static func writeThousandths(
        _ value: UInt64,
        isNegative: Bool,
        to room: UnsafeMutablePointer<UInt8>
    ) -> Int {
        var out = unsafe room
        if isNegative {
            unsafe out[0] = 0x2D
            unsafe out += 1
        }
        let (whole, fraction) = value.quotientAndRemainder(dividingBy: 1000)
        unsafe out += writeDigits(whole, to: out)
        if fraction != 0 {
            unsafe out[0] = 0x2E
            unsafe out += 1
            var rest = fraction
            while rest > 0 {
                unsafe out[0] = 0x30 &+ UInt8(truncatingIfNeeded: rest / 100)
                unsafe out += 1
                rest = rest % 100 &* 10
            }
        }
        return unsafe out - room
    }

    /// Writes decimal digits, starting from the end.
    static func writeDigits(_ value: UInt64, to room: UnsafeMutablePointer<UInt8>) -> Int {
        if value < 10 {
            unsafe room[0] = 0x30 &+ UInt8(truncatingIfNeeded: value)
            return 1
        }
        var length = 1
        var bound: UInt64 = 10
        while value >= bound {
            length &+= 1
            let (next, over) = bound.multipliedReportingOverflow(by: 10)
            if over { break }
            bound = next
        }
        var rest = value
        var at = length
        while rest > 0 {
            at &-= 1
            unsafe room[at] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return length
    }
}
