// SPDX-License-Identifier: MIT

/// The set of stored bodies, keyed by the first eight bytes of their hash.
///
/// Hashes are random, so their low bits choose one of 64 parts, and their high bits a slot in it.
/// Each part grows by itself, so that only a small part of the set exists twice while it is copied.
/// A slot takes 16 bytes, and half to three quarters of the slots are used.
struct BodySet {
    private struct Slot {
        var key: UInt64 = 0
        /// The body's id; 0 if the slot is free.
        var body: Int64 = 0
    }

    static let bytesPerSlot = 16
    private static let partCount = 64
    private static let firstSlots = 16

    private var parts = [Part](repeating: Part(), count: partCount)
    private(set) var count = 0
    /// The memory that the slots take, in bytes.
    private(set) var memory = partCount * firstSlots * bytesPerSlot

    /// The memory that a number of bodies takes, in bytes, if the parts have equally many.
    static func memory(for count: Int) -> Int {
        var slots = firstSlots
        while usable(slots) * partCount <= count, slots < 1 << 34 { slots = grown(slots) }
        return slots * partCount * bytesPerSlot
    }

    /// Returns the memory that the slots take once a body is added, in bytes.
    func memory(adding key: UInt64) -> Int {
        let part = parts[BodySet.part(of: key)]
        return part.isFull ? memory + part.growth : memory
    }

    func find(_ key: UInt64) -> Int64? { parts[BodySet.part(of: key)].find(key) }

    /// Adds a body; if the key is already present, the first body is kept.
    mutating func insert(_ key: UInt64, _ body: Int64) {
        let part = BodySet.part(of: key)
        if parts[part].isFull {
            memory += parts[part].growth
            parts[part].grow()
        }
        if parts[part].insert(key, body) { count += 1 }
    }

    /// Removes a body if the key maps to it.
    mutating func remove(_ key: UInt64, _ body: Int64) {
        if parts[BodySet.part(of: key)].remove(key, body) { count -= 1 }
    }

    mutating func removeAll() { self = BodySet() }

    private static func part(of key: UInt64) -> Int {
        Int(truncatingIfNeeded: key) & (partCount - 1)
    }

    /// How many of a number of slots may be used.
    private static func usable(_ slots: Int) -> Int { slots / 4 * 3 }

    /// The next number of slots.
    private static func grown(_ slots: Int) -> Int { slots + slots / 2 }
}

extension BodySet {
    /// A part of the set: open addressing with linear probing.
    private struct Part {
        private var slots = [Slot](repeating: Slot(), count: firstSlots)
        private var count = 0

        var isFull: Bool { count >= usable(slots.count) }

        /// The memory that it takes in addition when it grows.
        var growth: Int { (grown(slots.count) - slots.count) * bytesPerSlot }

        func find(_ key: UInt64) -> Int64? {
            let slot = slots[position(of: key)]
            return slot.body == 0 ? nil : slot.body
        }

        /// Adds a body unless the key is present; requires a free slot.
        mutating func insert(_ key: UInt64, _ body: Int64) -> Bool {
            let position = position(of: key)
            guard slots[position].body == 0 else { return false }
            slots[position] = Slot(key: key, body: body)
            count += 1
            return true
        }

        mutating func remove(_ key: UInt64, _ body: Int64) -> Bool {
            var hole = position(of: key)
            guard body != 0, slots[hole].body == body else { return false }
            // Moves displaced entries back into the hole, so that no later search stops there.
            var next = after(hole)
            while slots[next].body != 0 {
                if distance(home(of: slots[next].key), next) >= distance(hole, next) {
                    slots[hole] = slots[next]
                    hole = next
                }
                next = after(next)
            }
            slots[hole] = Slot()
            count -= 1
            return true
        }

        mutating func grow() {
            let old = slots
            slots = Array(repeating: Slot(), count: grown(old.count))
            for slot in old where slot.body != 0 { slots[position(of: slot.key)] = slot }
        }

        /// The slot of a key if no other key has taken it.
        private func home(of key: UInt64) -> Int {
            Int(truncatingIfNeeded: key.multipliedFullWidth(by: UInt64(slots.count)).high)
        }

        /// The position of a key or of the slot for it.
        ///
        /// A part is never full, so the search ends.
        private func position(of key: UInt64) -> Int {
            var position = home(of: key)
            while slots[position].body != 0, slots[position].key != key {
                position = after(position)
            }
            return position
        }

        /// The slot after another one; after the last one, the first.
        private func after(_ position: Int) -> Int {
            position + 1 == slots.count ? 0 : position + 1
        }

        /// How many slots a position is after another one.
        private func distance(_ start: Int, _ end: Int) -> Int {
            end >= start ? end - start : end - start + slots.count
        }
    }
}
