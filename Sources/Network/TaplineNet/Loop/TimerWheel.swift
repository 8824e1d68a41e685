// SPDX-License-Identifier: MIT

/// The deadlines of many timers, hashed into slots of one granule each.
///
/// Arming, rearming and cancelling take constant time and no memory. A rearmed timer stays in its
/// slot if that slot comes up early enough, and moves then. So postponing a deadline with every
/// message costs a single store. No timer fires early. The timers of one granule fire in the order
/// in which they entered the slot.
///
/// **Units**: microseconds of any monotonic clock.
struct TimerWheel {
    /// The number of a timer, which is reused once the timer is removed.
    typealias ID = Int32

    private struct Node {
        var deadline: Int64 = .max
        var next: ID = -1
        var previous: ID = -1
        /// The slot of the timer, or one of the two constants below.
        var slot: Int32 = Node.nowhere

        static let nowhere: Int32 = -1
        static let due: Int32 = -2
    }

    /// The two ends of a linked list.
    private struct List {
        var first: ID = -1
        var last: ID = -1
    }

    private let granule: Int64
    private var nodes: [Node] = []
    private var unused: [ID] = []
    private var slots: [List]
    /// One bit for each slot, set if the slot holds a timer.
    private var filled: [UInt64]
    private var due = List()
    /// The granule that `advance` visited last.
    private var current: Int64

    /// Makes a wheel without timers.
    ///
    /// - Parameters:
    ///   - granule: The precision of timers.
    ///   - slots: The number of granules in one turn; a power of two of at least 64.
    ///   - now: The current time.
    init(granule: Int64, slots: Int, now: Int64) {
        precondition(granule > 0 && slots >= 64 && slots & (slots - 1) == 0)
        self.granule = granule
        self.slots = Array(repeating: List(), count: slots)
        filled = Array(repeating: 0, count: slots / 64)
        current = now / granule
    }

    /// The number of timers, armed or not.
    var count: Int { nodes.count - unused.count }

    /// Makes a timer that is not armed.
    mutating func insert() -> ID {
        if let id = unused.popLast() { return id }
        nodes.append(Node())
        return ID(nodes.count - 1)
    }

    /// Removes a timer.
    mutating func remove(_ id: ID) {
        cancel(id)
        unused.append(id)
    }

    /// Arms a timer, even if it is already armed.
    mutating func arm(_ id: ID, at deadline: Int64) {
        let node = nodes[Int(id)]
        nodes[Int(id)].deadline = deadline
        if node.slot >= 0, nextLook(at: node.slot) <= granule(of: deadline) { return }
        if node.slot != Node.nowhere { unlink(id) }
        link(id, in: slot(of: deadline))
    }

    /// Cancels a timer.
    mutating func cancel(_ id: ID) {
        if nodes[Int(id)].slot != Node.nowhere { unlink(id) }
        nodes[Int(id)].deadline = .max
    }

    /// Returns whether a timer is armed.
    func isArmed(_ id: ID) -> Bool { nodes[Int(id)].slot != Node.nowhere }

    /// Collects the timers that are due; `next` then returns them one by one.
    mutating func advance(to now: Int64) {
        let target = now / granule
        guard target > current else { return }
        // After a pause of more than one turn, each slot is visited once.
        let first = max(current + 1, target - Int64(slots.count) + 1)
        current = target
        for granule in first...target {
            let index = Int(granule & Int64(slots.count - 1))
            guard filled[index / 64] & 1 << UInt64(index % 64) != 0 else { continue }
            sweep(index, target)
        }
    }

    /// Returns the next timer that is due, and disarms it.
    mutating func next() -> ID? {
        let id = due.first
        guard id >= 0 else { return nil }
        unlink(id)
        nodes[Int(id)].deadline = .max
        return id
    }

    /// When `advance` has work next, at the earliest; `nil` without timers.
    var nextWake: Int64? {
        if due.first >= 0 { return current * granule }
        let start = Int((current + 1) & Int64(slots.count - 1))
        var word = start / 64
        // The bits of the first word before the start come last.
        var bits = filled[word] & (.max << UInt64(start % 64))
        for _ in 0...filled.count {
            if bits != 0 {
                let index = word * 64 + bits.trailingZeroBitCount
                let distance = (index - start) & (slots.count - 1)
                return (current + 1 + Int64(distance)) * granule
            }
            word = (word + 1) % filled.count
            bits = filled[word]
        }
        return nil
    }

    /// Moves the timers of a slot to those that are due, or to the slot of their new deadline.
    private mutating func sweep(_ index: Int, _ target: Int64) {
        var id = slots[index].first
        while id >= 0 {
            let node = nodes[Int(id)]
            let granule = self.granule(of: node.deadline)
            if granule <= target {
                unlink(id)
                link(id, in: Node.due)
            } else if slot(of: node.deadline) != Int32(index) {
                unlink(id)
                link(id, in: slot(of: node.deadline))
            }
            id = node.next
        }
    }

    /// The first granule that begins at or after the deadline.
    private func granule(of deadline: Int64) -> Int64 {
        let whole = deadline / granule
        return whole &* granule < deadline ? whole + 1 : whole
    }

    /// The next granule that visits a slot.
    private func nextLook(at slot: Int32) -> Int64 {
        current + 1 + (Int64(slot) - (current + 1)) & Int64(slots.count - 1)
    }

    private func slot(of deadline: Int64) -> Int32 {
        // A deadline in the past fires with the next granule.
        Int32(max(granule(of: deadline), current + 1) & Int64(slots.count - 1))
    }

    private mutating func link(_ id: ID, in slot: Int32) {
        var list = slot == Node.due ? due : slots[Int(slot)]
        nodes[Int(id)].slot = slot
        nodes[Int(id)].previous = list.last
        nodes[Int(id)].next = -1
        if list.last >= 0 { nodes[Int(list.last)].next = id } else { list.first = id }
        list.last = id
        store(list, slot)
    }

    private mutating func unlink(_ id: ID) {
        let node = nodes[Int(id)]
        var list = node.slot == Node.due ? due : slots[Int(node.slot)]
        if node.previous >= 0 {
            nodes[Int(node.previous)].next = node.next
        } else {
            list.first = node.next
        }
        if node.next >= 0 {
            nodes[Int(node.next)].previous = node.previous
        } else {
            list.last = node.previous
        }
        nodes[Int(id)].slot = Node.nowhere
        nodes[Int(id)].next = -1
        nodes[Int(id)].previous = -1
        store(list, node.slot)
    }

    private mutating func store(_ list: List, _ slot: Int32) {
        guard slot != Node.due else {
            due = list
            return
        }
        slots[Int(slot)] = list
        let bit: UInt64 = 1 << UInt64(slot & 63)
        if list.first >= 0 {
            filled[Int(slot) / 64] |= bit
        } else {
            filled[Int(slot) / 64] &= ~bit
        }
    }
}
