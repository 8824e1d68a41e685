// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A cache of recent stand-ins by value: words recur, and enciphering one costs a hundred times as
/// much as a look-up here.
///
/// **Shape**: kept by a lane across exchanges; a stand-in depends only on its value and the key.
/// **Limits**: `maxCount` stand-ins of at most `maxBytes` with their values; when it is full, all
/// are removed. Values of more than `longest` bytes are not kept.
struct PseudonymCache {
    static let maxCount = 8192
    static let maxBytes = 1 << 20
    static let longest = 128
    /// The maximum number of slots that are searched for a value, so that equal hashes stay cheap.
    private static let maxSteps = 16

    private struct Entry {
        let hash: UInt64
        let kind: UInt8
        /// The position of the value; the stand-in follows it.
        let start: Int
        let count: Int
        let standInCount: Int
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// Positions of entries plus one, 0 if free.
    private var slots: [UInt16] = []

    /// Appends the stand-in of a value of a kind; returns `false` if there is none.
    func append(_ value: Span<UInt8>, kind: UInt8, to output: inout [UInt8]) -> Bool {
        guard value.count <= Self.longest, !entries.isEmpty else { return false }
        let hash = value.hash(mark: Int(kind))
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        for _ in 0..<Self.maxSteps {
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

    /// Stores the stand-in of a value that is not in the cache.
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
            guard steps < Self.maxSteps else { return }
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
