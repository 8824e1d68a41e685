// SPDX-License-Identifier: MIT

/// A replacement of some bytes of a text.
struct ByteEdit {
    let range: Range<Int>
    let bytes: [UInt8]

    /// Carries out replacements; one that overlaps an earlier one is ignored.
    static func apply(_ edits: [ByteEdit], to text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 64)
        var position = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            guard edit.range.lowerBound >= position, edit.range.upperBound <= text.count else {
                continue
            }
            result += text[position..<edit.range.lowerBound]
            result += edit.bytes
            position = edit.range.upperBound
        }
        return result + text[position...]
    }
}
