// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Limits of the tags that rules set; `lua` has the same limit for all tags together.
enum RuleTagLimits {
    /// The longest value, in bytes; longer ones are cut.
    static let valueBytes = 64 << 10
    /// The bytes of all names and values.
    static let allBytes = 1 << 20
    /// The number of tags.
    static let count = 256
}

extension Tags {
    /// Sets a tag to a text, cut if it is too long, unless that would exceed the limits.
    mutating func set(_ name: String, to value: [UInt8], _ limits: RuleTagLimits.Type) {
        var kept = value.prefix(limits.valueBytes)
        if kept.count < value.count, value[kept.count] & 0xC0 == 0x80 {
            // Not within a character.
            while let last = kept.last, last & 0xC0 == 0x80 { kept.removeLast() }
            if let last = kept.last, last >= 0xC0 { kept.removeLast() }
        }
        var (bytes, others) = (name.utf8.count + kept.count, 0)
        for tag in self where tag.name != name {
            bytes += tag.name.utf8.count + tag.value.utf8.count
            others += 1
        }
        guard bytes <= limits.allBytes, others < limits.count else { return }
        self[name] = String(decoding: kept, as: UTF8.self)
    }
}
