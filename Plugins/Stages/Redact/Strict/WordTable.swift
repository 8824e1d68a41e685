// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A set of words with case-insensitive look-up.
///
/// **Shape**: built once, open addressing over one buffer; a look-up allocates nothing.
struct WordTable: Sendable {
    private struct Entry: Sendable {
        let start: UInt32
        let count: UInt32
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// Positions of entries plus one, 0 if free; at most half of the slots are used.
    private var slots: [UInt16]
    /// A bit for each word length (63 and more share the last one), by the lower five bits of the
    /// first letter; it rejects most look-ups.
    private var lengths = [UInt64](repeating: 0, count: 32)

    /// Creates the set of words in the texts, separated by blanks or line ends.
    init(_ texts: [String]) {
        var words: [[UInt8]] = []
        for text in texts {
            for word in text.utf8.split(whereSeparator: { $0 <= 0x20 }) {
                words.append(word.map(\.asciiLowercased))
            }
        }
        var size = 16
        while size < words.count * 2 + 2 { size *= 2 }
        slots = [UInt16](repeating: 0, count: size)
        for word in words { insert(word) }
    }

    private mutating func insert(_ word: [UInt8]) {
        guard !contains(word.span), entries.count < Int(UInt16.max) else { return }
        entries.append(Entry(start: UInt32(bytes.count), count: UInt32(word.count)))
        bytes += word
        lengths[Int(word[0] & 31)] |= 1 << UInt64(min(word.count, 63))
        var slot = Self.hash(word.span) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt16(entries.count)
    }

    /// Whether a word is in the set.
    func contains(_ word: Span<UInt8>) -> Bool {
        guard !word.isEmpty,
            lengths[Int(word[0] & 31)] >> UInt64(min(word.count, 63)) & 1 == 1
        else { return false }
        var slot = Self.hash(word) & (slots.count - 1)
        while slots[slot] != 0 {
            let entry = entries[Int(slots[slot]) - 1]
            if equals(entry, word) { return true }
            slot = (slot + 1) & (slots.count - 1)
        }
        return false
    }

    private func equals(_ entry: Entry, _ word: Span<UInt8>) -> Bool {
        guard Int(entry.count) == word.count else { return false }
        for index in word.indices
        where bytes[Int(entry.start) + index] != word[index].asciiLowercased {
            return false
        }
        return true
    }

    /// Returns the FNV-1a hash of the lowercase letters.
    private static func hash(_ word: Span<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in word.indices {
            hash = (hash ^ UInt64(word[index].asciiLowercased)) &* 0x0000_0100_0000_01B3
        }
        return Int(truncatingIfNeeded: hash >> 1)
    }
}
