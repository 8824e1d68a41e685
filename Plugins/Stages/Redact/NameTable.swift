// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Looks up names whatever their case, and whether `-`, `_`, a point, a blank or nothing joins their
/// words: `api_key`, `API-Key`, `API KEY` and `apiKey` are one name.
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
    /// Positions of entries plus one, 0 where free; at most half of them are taken.
    private var slots = [UInt16](repeating: 0, count: 8)
    private var longest = 0
    /// Which last letters there are for each first letter, and which second ones: most names end
    /// here.
    private var ends = [UInt64](repeating: 0, count: NameLetter.count)
    private var seconds = [UInt64](repeating: 0, count: NameLetter.count)

    var isEmpty: Bool { entries.isEmpty }

    /// Sets the value of a name; one that is there already is replaced.
    mutating func set(_ name: String, to value: Value) {
        let folded = name.utf8.filter { !NameTable.isJoint($0) }.map(\.asciiLowercased)
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
        if let first = folded.first, let last = folded.last {
            ends[NameLetter.number(first)] |= 1 << UInt64(NameLetter.number(last))
        }
        if folded.count > 1 {
            seconds[NameLetter.number(folded[0])] |= 1 << UInt64(NameLetter.number(folded[1]))
        }
        if entries.count * 2 > slots.count {
            slots = [UInt16](repeating: 0, count: slots.count * 2)
            for position in entries.indices { place(position) }
        } else {
            place(entries.count - 1)
        }
    }

    /// The value of a name.
    func value(of name: Span<UInt8>) -> Value? {
        guard mayHold(name) else { return nil }
        let (hash, count) = NameTable.hash(name)
        guard count <= longest, let position = position(of: name, hash) else { return nil }
        return entries[position].value
    }

    /// Whether a name may be there: most are not, and their first and last letters, and their second
    /// ones, tell.
    func mayHold(_ name: Span<UInt8>) -> Bool {
        guard !name.isEmpty else { return false }
        let first = name[0]
        let last = name[name.count - 1]
        if NameTable.isJoint(first) || NameTable.isJoint(last) { return true }
        let letter = NameLetter.number(first)
        guard ends[letter] & 1 << UInt64(NameLetter.number(last)) != 0 else { return false }
        guard name.count > 1, !NameTable.isJoint(name[1]) else { return true }
        return seconds[letter] & 1 << UInt64(NameLetter.number(name[1])) != 0
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
        for index in name.indices where !NameTable.isJoint(name[index]) {
            guard position < folded.upperBound, names[position] == name[index].asciiLowercased
            else {
                return false
            }
            position += 1
        }
        return position == folded.upperBound
    }

    /// Takes a free slot for an entry.
    private mutating func place(_ position: Int) {
        var slot = Int(truncatingIfNeeded: entries[position].hash >> 32) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt16(position + 1)
    }

    private static func isJoint(_ byte: UInt8) -> Bool {
        byte == .ascii("-") || byte == .ascii("_") || byte == .ascii(".") || byte == 0x20
    }

    /// FNV-1a over the folded name, with a last mix for the upper bits, and the folded length.
    private static func hash(_ name: Span<UInt8>) -> (hash: UInt64, count: Int) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var count = 0
        for index in name.indices where !isJoint(name[index]) {
            hash = (hash ^ UInt64(name[index].asciiLowercased)) &* 0x100_0000_01B3
            count += 1
        }
        return (hash &* 0x9E37_79B9_7F4A_7C15, count)
    }
}

/// Numbers for the letters of names.
enum NameLetter {
    static let count = 64

    /// A number below `count` in which letters of both cases are equal, and digits no letters.
    @inline(__always)
    static func number(_ byte: UInt8) -> Int { Int(byte & 0x1F | (byte & 0x40) &>> 1) }
}
