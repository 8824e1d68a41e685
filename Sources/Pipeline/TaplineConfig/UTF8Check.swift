// SPDX-License-Identifier: MIT

/// Finds the first byte that violates UTF-8 (RFC 3629 §4).
enum UTF8Check {
    static func firstInvalidByte(in bytes: [UInt8]) -> Int? {
        var index = 0
        while index < bytes.count {
            let lead = bytes[index]
            let (count, second): (Int, ClosedRange<UInt8>)
            switch lead {
            case 0x00...0x7F:
                index += 1
                continue
            case 0xC2...0xDF: (count, second) = (2, 0x80...0xBF)
            case 0xE0: (count, second) = (3, 0xA0...0xBF)
            case 0xED: (count, second) = (3, 0x80...0x9F)
            case 0xE1...0xEF: (count, second) = (3, 0x80...0xBF)
            case 0xF0: (count, second) = (4, 0x90...0xBF)
            case 0xF1...0xF3: (count, second) = (4, 0x80...0xBF)
            case 0xF4: (count, second) = (4, 0x80...0x8F)
            default: return index
            }
            guard index + count <= bytes.count, second.contains(bytes[index + 1]) else {
                return index
            }
            for next in (index + 2)..<max(index + count, index + 2)
            where bytes[next] & 0xC0 != 0x80 {
                return index
            }
            index += count
        }
        return nil
    }

    static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.utf8.count < 2 ? "0" + digits : digits
    }
}
