// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Looks up names regardless of case and of what joins their words (`-`, `_`, a point, a blank or
/// nothing): `api_key`, `API-Key`, `API KEY` and `apiKey` are one name.
///
/// **Shape**: built once; a look-up reads the name once and allocates nothing.
struct NameTable<Value: BitwiseCopyable & Sendable>: Sendable {
    private struct Entry: Sendable {
        let hash: UInt64
        let name: Range<Int>
        let value: Value
    }

    private var entries: [Entry] = []
    private var names: [UInt8] = []
    /// Positions of entries plus one, 0 if free; at most half of the slots are used.
    private var slots = [UInt16](repeating: 0, count: 8)
    private var longest = 0
    /// Rejects most names.
    private var starts = NameStarts()

    var isEmpty: Bool { entries.isEmpty }

    /// Sets the value of a name; replaces an existing value.
    mutating func set(_ name: String, to value: Value) {
        let folded = NameTable.letters(of: name)
        let (hash, _) = NameTable.hash(folded.span)
        if let position = position(of: folded.span, hash) {
            let entry = entries[position]
            entries[position] = Entry(hash: hash, name: entry.name, value: value)
            return
        }
        guard entries.count < Int(UInt16.max) else { return }
        let start = names.count
        names.append(contentsOf: folded)
        entries.append(Entry(hash: hash, name: start..<names.count, value: value))
        longest = max(longest, folded.count)
        starts.insert(folded)
        if entries.count * 2 > slots.count {
            slots = [UInt16](repeating: 0, count: slots.count * 2)
            for position in entries.indices { place(position) }
        } else {
            place(entries.count - 1)
        }
    }

    /// Returns the letters of a name in lowercase.
    static func letters(of name: String) -> [UInt8] {
        name.utf8.filter { !NameLetter.joins($0) }.map(\.asciiLowercased)
    }

    /// Returns the value of a name.
    func value(of name: Span<UInt8>) -> Value? {
        guard starts.mayHold(name) else { return nil }
        let (hash, count) = NameTable.hash(name)
        guard count <= longest, let position = position(of: name, hash) else { return nil }
        return entries[position].value
    }

    private func position(of name: Span<UInt8>, _ hash: UInt64) -> Int? {
        var slot = Int(truncatingIfNeeded: hash >> 32) & (slots.count - 1)
        while slots[slot] != 0 {
            let position = Int(slots[slot]) - 1
            if entries[position].hash == hash, isEqual(name, entries[position].name) {
                return position
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private func isEqual(_ name: Span<UInt8>, _ folded: Range<Int>) -> Bool {
        var position = folded.lowerBound
        for index in name.indices where !NameLetter.joins(name[index]) {
            guard position < folded.upperBound, names[position] == name[index].asciiLowercased
            else {
                return false
            }
            position += 1
        }
        return position == folded.upperBound
    }

    /// Stores an entry in a free slot.
    private mutating func place(_ position: Int) {
        var slot = Int(truncatingIfNeeded: entries[position].hash >> 32) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt16(position + 1)
    }

    /// Returns the FNV-1a hash of the folded name, with a final mix for the upper bits, and the
    /// folded length.
    private static func hash(_ name: Span<UInt8>) -> (hash: UInt64, count: Int) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var count = 0
        for index in name.indices where !NameLetter.joins(name[index]) {
            hash = (hash ^ UInt64(name[index].asciiLowercased)) &* 0x100_0000_01B3
            count += 1
        }
        return (hash &* 0x9E37_79B9_7F4A_7C15, count)
    }
}
