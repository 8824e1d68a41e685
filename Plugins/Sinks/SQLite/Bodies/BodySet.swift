// SPDX-License-Identifier: MIT

/// The set of stored bodies, keyed by the first eight bytes of their hash.
///
/// Uses open addressing with linear probing: hashes are random, so their low bits choose the slot.
/// A slot takes 16 bytes, and at most three quarters of the slots are used.
struct BodySet {
    private struct Slot {
        var key: UInt64 = 0
        /// The body's id; 0 if the slot is free.
        var body: Int64 = 0
    }

    static let bytesPerSlot = 16

    private var slots = [Slot](repeating: Slot(), count: 1024)
    private(set) var count = 0

    /// How many bodies fit without growing.
    var capacity: Int { slots.count / 4 * 3 }

    /// The memory that the slots take, in bytes.
    var memory: Int { slots.count * BodySet.bytesPerSlot }

    /// The memory that a number of bodies takes, in bytes.
    static func memory(for count: Int) -> Int {
        var size = 1024
        while size / 4 * 3 <= count, size < 1 << 40 { size *= 2 }
        return size * bytesPerSlot
    }

    func find(_ key: UInt64) -> Int64? {
        let slot = slots[position(of: key)]
        return slot.body == 0 ? nil : slot.body
    }

    /// Adds a body; if the key is already present, the first body is kept.
    mutating func insert(_ key: UInt64, _ body: Int64) {
        if count >= capacity { grow() }
        let position = position(of: key)
        guard slots[position].body == 0 else { return }
        slots[position] = Slot(key: key, body: body)
        count += 1
    }

    /// Removes a body if the key maps to it.
    mutating func remove(_ key: UInt64, _ body: Int64) {
        var hole = position(of: key)
        guard body != 0, slots[hole].body == body else { return }
        // Moves displaced entries back into the hole, so that no later search stops there.
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

    /// The position of a key or of the slot for it.
    ///
    /// The set is never full, so the search ends.
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
