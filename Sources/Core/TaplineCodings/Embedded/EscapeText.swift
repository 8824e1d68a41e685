// SPDX-License-Identifier: MIT

internal import CByteScan

/// Decodes and encodes escapes of single characters.
enum EscapeText {
    /// Appends the decoded text.
    static func decode(
        _ bytes: Span<UInt8>,
        _ styles: EscapeStyles,
        appendingTo output: inout [UInt8]
    ) {
        output.append(addingCapacity: bytes.count) { output in
            unsafe output.withUnsafeMutableBufferPointer { room, written in
                guard let room = room.baseAddress else { return }
                written = unsafe decode(bytes, styles, to: room)
            }
        }
    }

    /// Writes the decoded text, which is never longer than the text, and returns its length.
    @unsafe
    private static func decode(
        _ bytes: Span<UInt8>,
        _ styles: EscapeStyles,
        to room: UnsafeMutablePointer<UInt8>
    ) -> Int {
        var position = 0
        var written = 0
        while position < bytes.count {
            let next = unsafe copyPlain(bytes, from: position, styles, to: room + written)
            written += next - position
            position = next
            guard position < bytes.count else { break }
            if styles.contains(.backslash), let plain = EscapeUnit.plain(bytes, position) {
                unsafe room[written] = plain
                written += 1
                position += 2
            } else if bytes[position] == UInt8(ascii: "+") {
                unsafe room[written] = 0x20
                written += 1
                position += 1
            } else if let unit = EscapeUnit(bytes, position), styles.contains(unit.style) {
                var rest = unit.bytes
                for _ in 0..<unit.count {
                    unsafe room[written] = UInt8(truncatingIfNeeded: rest)
                    rest >>= 8
                    written += 1
                }
                position += unit.length
            } else {
                unsafe room[written] = bytes[position]
                written += 1
                position += 1
            }
        }
        return written
    }

    /// Copies unescaped characters and returns the position after them.
    @unsafe
    @inline(__always)
    private static func copyPlain(
        _ bytes: Span<UInt8>,
        from start: Int,
        _ styles: EscapeStyles,
        to room: UnsafeMutablePointer<UInt8>
    ) -> Int {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return bytes.count }
            if styles == .backslash {
                return unsafe tapline_copy_to_backslash(base, start, bytes.count, room)
            }
            return styles.contains(.plus)
                ? unsafe tapline_copy_to_mark_or_plus(base, start, bytes.count, room)
                : unsafe tapline_copy_to_mark(base, start, bytes.count, room)
        }
    }

    /// Appends a text, escaped so that it can be placed among escapes of these styles.
    ///
    /// Percent-encoding is valid wherever it is decoded at all, so it takes precedence over the
    /// others.
    static func encode(
        _ bytes: Span<UInt8>,
        _ styles: EscapeStyles,
        appendingTo output: inout [UInt8]
    ) {
        output.reserveCapacity(output.count + bytes.count)
        for index in bytes.indices {
            let byte = bytes[index]
            if styles.contains(.percent) || styles.contains(.plus) {
                percent(byte, &output)
            } else if styles.contains(.backslash) {
                backslash(byte, &output)
            } else {
                reference(byte, &output)
            }
        }
    }

    private static func percent(_ byte: UInt8, _ output: inout [UInt8]) {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
            output.append(byte)
        default:
            output.append(UInt8(ascii: "%"))
            output.append(hexDigit(byte >> 4, isUpper: true))
            output.append(hexDigit(byte & 0xF, isUpper: true))
        }
    }

    private static func backslash(_ byte: UInt8, _ output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            output.append(UInt8(ascii: "\\"))
            output.append(byte)
        case 0x0A: output.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
        case 0x0D: output.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "r")])
        case 0x09: output.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "t")])
        case 0..<0x20:
            output.append(contentsOf: "\\u00".utf8)
            output.append(hexDigit(byte >> 4, isUpper: false))
            output.append(hexDigit(byte & 0xF, isUpper: false))
        default:
            output.append(byte)
        }
    }

    private static func reference(_ byte: UInt8, _ output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "&"): output.append(contentsOf: "&amp;".utf8)
        case UInt8(ascii: "<"): output.append(contentsOf: "&lt;".utf8)
        case UInt8(ascii: ">"): output.append(contentsOf: "&gt;".utf8)
        case UInt8(ascii: "\""): output.append(contentsOf: "&quot;".utf8)
        default: output.append(byte)
        }
    }

    static func hexDigit(_ value: UInt8, isUpper: Bool) -> UInt8 {
        value < 10 ? 0x30 + value : (isUpper ? 0x37 : 0x57) + value
    }

    /// Returns the styles that occur in a text.
    static func styles(in bytes: Span<UInt8>) -> EscapeStyles {
        var styles: EscapeStyles = []
        var position = 0
        while position < bytes.count {
            if EscapeUnit.mayBegin(bytes[position]), let unit = EscapeUnit(bytes, position) {
                styles.insert(unit.style)
                position += unit.length
            } else {
                position += 1
            }
        }
        return styles
    }
}

extension EmbeddedFinder {
    /// Returns the escape that contains a position after its first byte; `nil` if there is none.
    package static func escape(around position: Int, in bytes: Span<UInt8>) -> Range<Int>? {
        var start = position - 1
        // The longest escape is a pair of `\\u0000`.
        while start >= 0, position - start < 12, !EscapeUnit.mayBegin(bytes[start]) { start -= 1 }
        guard start >= 0, position - start < 12 else { return nil }
        if bytes[start] == UInt8(ascii: "\\") {
            // In a row of backslashes, every second one is escaped by the one before it.
            var first = start
            while first > 0, bytes[first - 1] == UInt8(ascii: "\\") { first -= 1 }
            if (start - first) % 2 == 1 { start -= 1 }
        }
        guard let unit = EscapeUnit(bytes, start), start + unit.length > position else {
            return nil
        }
        return start..<start + unit.length
    }
}

/// Maps positions in a decoded text to positions in its text with escapes.
///
/// **Shape.** Positions are queried in order, so that the total time is linear.
package struct EscapeMap: Sendable {
    private let styles: EscapeStyles
    private var encoded = 0
    private var decoded = 0

    /// Makes a map for a run; `nil` if the form does not escape single characters.
    package init?(_ form: EmbeddedForm) {
        guard case .escapes(let styles) = form.kind else { return nil }
        self.styles = styles
    }

    /// Returns the range of the encoded run that a part of the decoded text comes from.
    ///
    /// A part that begins or ends within an escape includes the whole escape.
    ///
    /// - Parameters:
    ///   - range: The part; it must not begin before the previous one.
    ///   - run: The encoded run; each call must pass the same one.
    /// - Returns: The range in the run.
    package mutating func source(of range: Range<Int>, in run: Span<UInt8>) -> Range<Int> {
        advance(to: range.lowerBound, run)
        let start = encoded
        var end = self
        end.advance(to: range.upperBound, run, roundingUp: true)
        return start..<end.encoded
    }

    private mutating func advance(to target: Int, _ run: Span<UInt8>, roundingUp: Bool = false) {
        while decoded < target, encoded < run.count {
            var length = 1
            var count = 1
            if EscapeUnit.mayBegin(run[encoded]), let unit = EscapeUnit(run, encoded),
                styles.contains(unit.style)
            {
                (length, count) = (unit.length, unit.count)
            }
            guard roundingUp || decoded + count <= target else { return }
            encoded += length
            decoded += count
        }
    }
}
