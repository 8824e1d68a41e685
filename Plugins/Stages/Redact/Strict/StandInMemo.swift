// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The stand-ins that were made last, by what they stand for: words come again and again, and to
/// encipher one costs a hundred times of what it costs to find it here.
///
/// **Shape**: kept by a lane beyond one exchange; a stand-in depends on its value and the key alone.
/// **Limits**: `maxCount` stand-ins of at most `maxBytes` with their values; when they are full, all
/// are forgotten. Values of more than `longest` bytes are not kept.
struct StandInMemo {
    static let maxCount = 8192
    static let maxBytes = 1 << 20
    static let longest = 128
    /// How many places are searched for a value, so that equal hashes cost no time.
    private static let mostSteps = 16

    private struct Entry {
        let hash: UInt64
        let kind: UInt8
        /// Where the value stands; the stand-in follows it.
        let start: Int
        let count: Int
        let standInCount: Int
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// Positions of entries plus one, 0 where free.
    private var slots: [UInt16] = []

    /// Appends the stand-in of a value of a kind; returns `false` if it is not known.
    func append(_ value: Span<UInt8>, kind: UInt8, to output: inout [UInt8]) -> Bool {
        guard value.count <= Self.longest, !entries.isEmpty else { return false }
        let hash = value.hash(mark: Int(kind))
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        for _ in 0..<Self.mostSteps {
            guard slots[slot] != 0 else { return false }
            let entry = entries[Int(slots[slot]) - 1]
            if entry.hash == hash, entry.kind == kind, entry.count == value.count {
                let end = entry.start + entry.count
                if value.holdsSame(as: bytes.span.extracting(entry.start..<end)) {
                    output.append(
                        copying: bytes.span.extracting(end..<end + entry.standInCount)
                    )
                    return true
                }
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return false
    }

    /// Keeps the stand-in of a value that is not known.
    mutating func note(_ standIn: Span<UInt8>, of value: Span<UInt8>, kind: UInt8) {
        guard value.count <= Self.longest, standIn.count <= 4 * Self.longest else { return }
        if slots.isEmpty { slots = [UInt16](repeating: 0, count: Self.maxCount * 2) }
        if entries.count == Self.maxCount
            || bytes.count + value.count + standIn.count > Self.maxBytes
        {
            entries.removeAll(keepingCapacity: true)
            bytes.removeAll(keepingCapacity: true)
            slots = [UInt16](repeating: 0, count: Self.maxCount * 2)
        }
        let hash = value.hash(mark: Int(kind))
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        var steps = 0
        while slots[slot] != 0 {
            steps += 1
            guard steps < Self.mostSteps else { return }
            slot = (slot + 1) & (slots.count - 1)
        }
        entries.append(
            Entry(
                hash: hash,
                kind: kind,
                start: bytes.count,
                count: value.count,
                standInCount: standIn.count
            )
        )
        bytes.append(copying: value)
        bytes.append(copying: standIn)
        slots[slot] = UInt16(entries.count)
    }
}
