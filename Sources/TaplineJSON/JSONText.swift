// SPDX-License-Identifier: MIT

internal import CByteScan
internal import CSimdjsonShims

/// The texts of strings and numbers (RFC 8259 §6 and §7), written to memory that the caller owns.
///
/// What `JSONWriter` is made of, for those who have a buffer of their own.
package enum JSONText {
    /// The most bytes of a number.
    package static var numberCapacity: Int { 32 }

    /// Room that is needed beyond the text: for a block of escapes, and what is copied at once.
    package static var slack: Int { Int(TAPLINE_ESCAPE_ROOM) }

    // MARK: Strings

    /// Copies text, escaping quotes, backslashes and control characters, until all is done or the room
    /// is not enough for what is left.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - position: Where in the text to go on: 0 at first, then where the call before has left it.
    ///   - room: At least as many bytes as are left of the text, and `slack` more.
    ///   - capacity: How many bytes there are.
    /// - Returns: How many bytes were written, and whether all that was read is ASCII.
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
            // Most texts of JSON are short and plain.
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

    /// Writes the escape `\u00xx` of a character.
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

    /// Writes an integer; returns how many bytes that were.
    @unsafe
    package static func write(_ value: Int64, to room: UnsafeMutablePointer<UInt8>) -> Int {
        guard value < 0 else { return unsafe writeDigits(value.magnitude, to: room) }
        unsafe room[0] = 0x2D
        return unsafe writeDigits(value.magnitude, to: room + 1) &+ 1
    }

    /// Writes the shortest number that reads back as this finite one; returns how many bytes that were.
    @unsafe
    package static func write(_ value: Double, to room: UnsafeMutablePointer<UInt8>) -> Int {
        let size = value.magnitude
        // No other decimal number of up to 15 digits reads as the same double, so that there is no
        // shorter text where three decimals are exact.
        if size < 1e12 {
            let thousandths = UInt64(size * 1000 + 0.5)
            if thousandths % 1000 != 0, Double(thousandths) / 1000 == size {
                return unsafe writeThousandths(thousandths, isNegative: value < 0, to: room)
            }
        }
        return unsafe tapline_json_from_double(value, room)
    }

    /// Writes thousandths as a decimal number without superfluous zeros.
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

    /// Writes decimal digits, from the end.
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
