// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Folds names with characters that look like those of a rule's name or are invisible.
///
/// Full-width letters, digits and punctuation (U+FF01 to U+FF5E) are folded to ASCII, as are the
/// long s (U+017F) and the Kelvin sign (U+212A); zero-width characters are dropped.
enum ConfusableFolding {
    /// Returns the folded name.
    ///
    /// - Returns: `nil` if folding changes nothing.
    static func folded(_ name: Span<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(name.count)
        var isChanged = false
        var position = 0
        while position < name.count {
            let (replacement, length) = unit(name, position)
            if let replacement {
                isChanged = true
                if replacement != 0 { output.append(replacement) }
            } else {
                output.append(name[position])
            }
            position += length
        }
        return isChanged ? output : nil
    }

    /// Returns the replacement for the character at a position: an ASCII byte, 0 if it is dropped,
    /// `nil` if it stays.
    private static func unit(_ name: Span<UInt8>, _ position: Int) -> (UInt8?, length: Int) {
        func byte(_ offset: Int) -> UInt8 {
            position + offset < name.count ? name[position + offset] : 0
        }
        switch (name[position], byte(1), byte(2)) {
        case (0xC2, 0xAD, _), (0xCD, 0x8F, _): return (0, 2)
        case (0xC5, 0xBF, _): return (.ascii("s"), 2)
        case (0xE1, 0xA0, 0x8E), (0xE2, 0x80, 0x8B...0x8F), (0xE2, 0x80, 0xAA...0xAE),
            (0xE2, 0x81, 0xA0...0xA4), (0xEF, 0xBB, 0xBF), (0xEF, 0xB8, 0x80...0x8F):
            return (0, 3)
        case (0xE2, 0x84, 0xAA): return (.ascii("k"), 3)
        case (0xEF, 0xBC, let third) where 0x81...0xBF ~= third:
            return (third - 0x81 + 0x21, 3)
        case (0xEF, 0xBD, let third) where 0x80...0x9E ~= third:
            return (third - 0x80 + 0x60, 3)
        default:
            return (nil, 1)
        }
    }
}

extension Span where Element == UInt8 {
    /// Whether a character may be one that `ConfusableFolding` folds.
    @inline(__always)
    var holdsFoldable: Bool {
        var all: UInt8 = 0
        for index in indices { all |= self[index] }
        return all >= 0x80
    }
}
