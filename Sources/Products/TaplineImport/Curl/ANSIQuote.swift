// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// The escapes between `$'` and `'` (bash(1), QUOTING), and those of `printf`.
struct ANSIQuote {
    private let bytes: [UInt8]
    /// The byte after what was read.
    private(set) var position: Int

    /// Creates a reader of the bytes after `$'`.
    init(_ bytes: [UInt8], at position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// Moves over bytes that are no escape.
    mutating func skip(_ count: Int) { position = min(position + count, bytes.count) }

    /// Reads up to the closing quote; `start` is where the quote begins.
    mutating func read(from start: Int) throws(RecordError) -> [UInt8] {
        var output: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            if byte == .ascii("'") {
                position += 1
                return output
            }
            if byte == .ascii("\\") {
                let place = position
                try escape(&output)
                if output.last == 0 {
                    throw .shape("an argument cannot contain NUL", at: place)
                }
            } else {
                output.append(byte)
                position += 1
            }
        }
        throw RecordError(code: .cutOff, message: "a quote has no end", byte: start)
    }

    /// Appends the bytes of the escape at the position.
    mutating func escape(_ output: inout [UInt8]) throws(RecordError) {
        let start = position
        guard position + 1 < bytes.count else {
            position = bytes.count
            output.append(.ascii("\\"))
            return
        }
        let byte = bytes[position + 1]
        position += 2
        switch byte {
        case .ascii("n"): output.append(0x0A)
        case .ascii("t"): output.append(0x09)
        case .ascii("r"): output.append(0x0D)
        case .ascii("a"): output.append(0x07)
        case .ascii("b"): output.append(0x08)
        case .ascii("e"), .ascii("E"): output.append(0x1B)
        case .ascii("f"): output.append(0x0C)
        case .ascii("v"): output.append(0x0B)
        case .ascii("\\"), .ascii("'"), .ascii("\""), .ascii("?"): output.append(byte)
        case 0x30...0x37:
            position -= 1
            output.append(UInt8(truncatingIfNeeded: number(radix: 8, maxDigits: 3) ?? 0))
        case .ascii("x"):
            guard let value = number(radix: 16, maxDigits: 2) else {
                throw .shape("malformed escape; expected hexadecimal digits", at: start)
            }
            output.append(UInt8(truncatingIfNeeded: value))
        case .ascii("u"), .ascii("U"):
            let digits = byte == .ascii("u") ? 4 : 8
            guard let value = number(radix: 16, maxDigits: digits),
                let scalar = Unicode.Scalar(value)
            else { throw .shape("malformed escape; expected a Unicode character", at: start) }
            output += Array(String(Character(scalar)).utf8)
        case .ascii("c"):
            guard position < bytes.count else { return }
            output.append(bytes[position] & 0x1F)
            position += 1
        default:
            output.append(.ascii("\\"))
            output.append(byte)
        }
    }

    private mutating func number(radix: UInt32, maxDigits: Int) -> UInt32? {
        var value: UInt32 = 0
        var count = 0
        while count < maxDigits, position < bytes.count, let digit = bytes[position].hexDigit,
            UInt32(digit) < radix
        {
            value = value &* radix &+ UInt32(digit)
            count += 1
            position += 1
        }
        return count > 0 ? value : nil
    }
}
