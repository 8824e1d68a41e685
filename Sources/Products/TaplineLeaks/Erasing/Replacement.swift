// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A part of some bytes, and what replaces it.
struct Replacement: Equatable {
    var range: Range<Int>
    var bytes: [UInt8]

    /// Returns replacements in order and without overlaps; of two that overlap, the first one.
    static func separated(_ all: [Replacement]) -> [Replacement] {
        let sorted = all.sorted {
            ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
        }
        var separate: [Replacement] = []
        var end = 0
        for replacement in sorted where replacement.range.lowerBound >= end {
            separate.append(replacement)
            end = replacement.range.upperBound
        }
        return separate
    }

    /// Replaces parts of bytes.
    ///
    /// - Parameters:
    ///   - replacements: The parts, in order and without overlaps.
    ///   - bytes: The bytes.
    /// - Returns: The new bytes.
    static func apply(_ replacements: [Replacement], to bytes: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var position = 0
        for replacement in replacements {
            output.append(copying: bytes.extracting(position..<replacement.range.lowerBound))
            output += replacement.bytes
            position = replacement.range.upperBound
        }
        output.append(copying: bytes.extracting(position..<bytes.count))
        return output
    }
}
