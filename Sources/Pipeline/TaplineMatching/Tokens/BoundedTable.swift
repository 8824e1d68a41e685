// SPDX-License-Identifier: MIT

/// A dictionary of limited size: new values displace old ones that were not used since.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Slot {
        var value: Value
        var cost: Int
        /// Whether the value was used since it was last considered for removal.
        var isUsed: Bool
    }

    private let capacity: Int
    private var slots: [Key: Slot] = [:]
    /// The keys in the order in which they are considered for removal.
    private var order: [Key] = []
    private var head = 0
    private var cost = 0
    /// How many values were displaced.
    private(set) var displaced = 0

    /// - Parameter capacity: The sum of the costs that is kept.
    init(capacity: Int) { self.capacity = max(capacity, 1) }

    var count: Int { slots.count }

    /// The value of a key, which then counts as used.
    mutating func use(_ key: Key) -> Value? {
        guard let index = slots.index(forKey: key) else { return nil }
        slots.values[index].isUsed = true
        return slots.values[index].value
    }

    /// The value of a key.
    func value(_ key: Key) -> Value? { slots[key]?.value }

    /// Sets the value of a key and displaces others while the costs exceed the capacity.
    mutating func set(_ key: Key, to value: Value, cost: Int = 1) {
        if let index = slots.index(forKey: key) {
            self.cost += cost - slots.values[index].cost
            slots.values[index] = Slot(value: value, cost: cost, isUsed: true)
        } else {
            self.cost += cost
            slots[key] = Slot(value: value, cost: cost, isUsed: false)
            order.append(key)
        }
        while self.cost > capacity, slots.count > 1 { displaceOne() }
    }

    mutating func removeAll() {
        slots.removeAll()
        order.removeAll()
        head = 0
        cost = 0
    }

    /// The algorithm CLOCK: values that were used get a second chance.
    private mutating func displaceOne() {
        while head < order.count {
            let key = order[head]
            head += 1
            guard let index = slots.index(forKey: key) else { continue }
            if slots.values[index].isUsed {
                slots.values[index].isUsed = false
                order.append(key)
                continue
            }
            cost -= slots.remove(at: index).value.cost
            displaced += 1
            break
        }
        if head > 1024, head > order.count / 2 {
            order.removeFirst(head)
            head = 0
        }
    }
}
