// SPDX-License-Identifier: MIT

/// The bodies that are stored, by the first eight bytes of their hash.
///
/// Open addressing with linear probing: hashes are random already, so that their low bits choose
/// the slot. 16 bytes a slot, of which at most three quarters are taken.
struct BodySet {
    private struct Slot {
        var key: UInt64 = 0
        /// The body's id; 0 where the slot is free.
        var body: Int64 = 0
    }

    static let bytesPerSlot = 16

    private var slots = [Slot](repeating: Slot(), count: 1024)
    private(set) var count = 0

    /// How many bodies there is room for without growing.
    var capacity: Int { slots.count / 4 * 3 }

    /// The memory that the slots take.
    var memory: Int { slots.count * BodySet.bytesPerSlot }

    /// The memory that holding so many bodies takes.
    static func memory(for count: Int) -> Int {
        var size = 1024
        while size / 4 * 3 <= count, size < 1 << 40 { size *= 2 }
        return size * bytesPerSlot
    }

    func find(_ key: UInt64) -> Int64? {
        let slot = slots[position(of: key)]
        return slot.body == 0 ? nil : slot.body
    }

    /// Adds a body; of two with one key the first stays.
    mutating func insert(_ key: UInt64, _ body: Int64) {
        if count >= capacity { grow() }
        let position = position(of: key)
        guard slots[position].body == 0 else { return }
        slots[position] = Slot(key: key, body: body)
        count += 1
    }

    /// Removes a body, where the key stands for it.
    mutating func remove(_ key: UInt64, _ body: Int64) {
        var hole = position(of: key)
        guard body != 0, slots[hole].body == body else { return }
        // Moves back what was displaced past the hole, so that no search ends there too early.
        let mask = slots.count - 1
        var next = (hole + 1) & mask
        while slots[next].body != 0 {
            let home = Int(truncatingIfNeeded: slots[next].key) & mask
            if (next - home) & mask >= (next - hole) & mask {
                slots[hole] = slots[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        slots[hole] = Slot()
        count -= 1
    }

    mutating func removeAll() { self = BodySet() }

    /// Where a key is, or would go: the set is never full, so the search ends.
    private func position(of key: UInt64) -> Int {
        let mask = slots.count - 1
        var position = Int(truncatingIfNeeded: key) & mask
        while slots[position].body != 0, slots[position].key != key {
            position = (position + 1) & mask
        }
        return position
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(), count: old.count * 2)
        for slot in old where slot.body != 0 { slots[position(of: slot.key)] = slot }
    }
}
