// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery

/// The first exchanges in some order of those that are added, as many as are wanted and fit into
/// memory.
struct Selection: Sendable {
    /// An exchange, or the key of one that can be read again.
    struct Item: Sendable {
        /// Holds an exchange outside of the item, so that sorting moves little memory.
        private final class Box: Sendable {
            let exchange: Exchange

            init(_ exchange: consuming Exchange) { self.exchange = exchange }
        }

        let key: StoreKey
        /// The store that it comes from, if there are several.
        let store: Int
        let memory: Int
        private let box: Box?

        init(_ key: StoreKey, _ exchange: consuming Exchange, store: Int = 0) {
            self.key = key
            self.store = store
            memory = MemoryLayout<Item>.stride + key.valueMemory + exchange.memory
            box = Box(exchange)
        }

        init(_ key: StoreKey, store: Int) {
            self.key = key
            self.store = store
            memory = MemoryLayout<Item>.stride + key.valueMemory
            box = nil
        }

        var exchange: Exchange? { box?.exchange }
    }

    /// The memory limit, in bytes.
    static let budget = 64 << 20

    let limit: Int
    private let budget: Int
    private let precedes: @Sendable (StoreKey, StoreKey) -> Bool
    private var items: [Item] = []
    private var memory = 0
    /// The last key that may still be selected; `nil` if every key may.
    private(set) var bound: StoreKey?
    /// Whether items were left out that are within the limit.
    private(set) var isCut = false

    /// Creates an empty selection.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of items.
    ///   - budget: The memory limit, in bytes.
    ///   - bound: The last key that may be selected; `nil` if every key may.
    ///   - precedes: Whether a key comes before another one in the order.
    init(
        limit: Int,
        budget: Int = Selection.budget,
        bound: StoreKey? = nil,
        by precedes: @escaping @Sendable (StoreKey, StoreKey) -> Bool
    ) {
        self.limit = limit
        self.budget = budget
        self.bound = bound
        self.precedes = precedes
    }

    /// Whether an item with this key may still be selected.
    func accepts(_ key: StoreKey) -> Bool { bound.map { precedes(key, $0) } ?? true }

    mutating func add(_ item: Item) {
        guard accepts(item.key) else { return }
        items.append(item)
        memory += item.memory
        // Sorting only when there are twice as many items as wanted keeps the cost of each low.
        if items.count / 2 >= max(limit, 512) || memory > budget { cut() }
    }

    /// Adds what another selection in the same order has, and leaves out what it has left out.
    mutating func add(_ other: Selection) {
        for item in other.items { add(item) }
        guard other.isCut, let end = other.bound, accepts(end) else { return }
        items.removeAll { precedes(end, $0.key) }
        memory = items.reduce(0) { $0 + $1.memory }
        bound = end
        isCut = true
    }

    /// Returns the selected items in order.
    mutating func finish() -> [Item] {
        cut(atEnd: true)
        return items
    }

    /// Removes items beyond the limit, and beyond half of the memory if all of it is used.
    private mutating func cut(atEnd: Bool = false) {
        let precedes = precedes
        items.sort { precedes($0.key, $1.key) }
        var count = min(items.count, limit)
        if !atEnd {
            var fitting = 0
            var sum = 0
            while fitting < count, sum + items[fitting].memory <= budget / 2 {
                sum += items[fitting].memory
                fitting += 1
            }
            if fitting < count, memory > budget {
                count = max(1, fitting)
                isCut = true
            }
        }
        if count < items.count { items.removeLast(items.count - count) }
        memory = items.reduce(0) { $0 + $1.memory }
        // What comes after these is left out, so that there is no gap.
        if count == limit || isCut, let last = items.last?.key { bound = last }
    }
}

extension StoreKey {
    /// The memory of the value, in bytes, as far as it is not in the key itself.
    fileprivate var valueMemory: Int {
        if case .text(let text) = value?.value { 32 + text.count } else { 0 }
    }
}
