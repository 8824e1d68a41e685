// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A byte of a text: plain, percent-encoded one or more times (`%3D`, `%253D`, `%u003D`), or
/// escaped as in JSON and scripts (`\u0026`, `\x26`, `\u{26}`).
///
/// A backslash with one other character is not decoded, because it only quotes that character.
struct TextUnit {
    private(set) var byte: UInt8
    private(set) var length = 1

    @inline(__always)
    init(_ bytes: Span<UInt8>, _ position: Int, _ end: Int) {
        byte = bytes[position]
        if byte == .ascii("%") || byte == .ascii("\\") { undo(bytes, position, end) }
    }

    private mutating func undo(_ bytes: Span<UInt8>, _ position: Int, _ end: Int) {
        if byte == .ascii("%") {
            if let (byte, count) = TextUnit.code(bytes, position + 1, end, isScript: false) {
                self.byte = byte
                length = 1 + count
            }
            while byte == .ascii("%"), let decoded = TextUnit.hex(bytes, position + length, end) {
                byte = decoded
                length += 2
            }
        } else {
            // JSON within JSON strings has several backslashes.
            var next = position + 1
            while next < end, next < position + 8, bytes[next] == .ascii("\\") { next += 1 }
            if let (byte, count) = TextUnit.code(bytes, next, end, isScript: true) {
                self.byte = byte
                length = next + count - position
            }
        }
    }

    /// Returns the byte that `u0041` represents, or in scripts `x41` or `u{41}`, and the length of
    /// the escape.
    private static func code(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int,
        isScript: Bool
    ) -> (UInt8, Int)? {
        guard start < end else { return nil }
        if bytes[start] == .ascii("u") {
            if start + 4 < end, bytes[start + 1] == .ascii("0"), bytes[start + 2] == .ascii("0") {
                return hex(bytes, start + 3, end).map { ($0, 5) }
            }
            return isScript ? bracedCode(bytes, start, end) : nil
        }
        guard isScript, bytes[start] == .ascii("x") else { return nil }
        return hex(bytes, start + 1, end).map { ($0, 3) }
    }

    /// Decodes `u{41}` with at most six digits.
    private static func bracedCode(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int
    ) -> (UInt8, Int)? {
        guard start + 1 < end, bytes[start + 1] == .ascii("{") else { return nil }
        var position = start + 2
        var value = 0
        while position < end, position < start + 8, let digit = bytes[position].hexDigit {
            value = value << 4 | Int(digit)
            position += 1
        }
        guard position > start + 2, position < end, bytes[position] == .ascii("}"), value < 0x80
        else { return nil }
        return (UInt8(value), position + 1 - start)
    }

    private static func hex(_ bytes: Span<UInt8>, _ position: Int, _ end: Int) -> UInt8? {
        guard position + 1 < end, let high = bytes[position].hexDigit,
            let low = bytes[position + 1].hexDigit
        else { return nil }
        return high << 4 | low
    }
}
