// SPDX-License-Identifier: MIT

package import TaplineQuery

/// The place of an exchange in a set of stores.
package struct StorePosition: Sendable, Hashable {
    /// The number of the store in the set.
    package let store: Int
    /// The number of the exchange in its store; see `StoreKey.number`.
    package let number: Int64

    /// Creates a position.
    package init(store: Int = 0, number: Int64) {
        self.store = store
        self.number = number
    }
}

/// Positions in some order, 8 bytes each for one store, 10 for several.
package struct StorePositions: Sendable {
    private var numbers: [Int64] = []
    /// The store of each position; empty if all are in the first one.
    private var stores: [UInt16] = []

    /// No positions.
    package init() {}

    init(numbers: [Int64], stores: [UInt16] = []) {
        self.numbers = numbers
        self.stores = stores
    }

    /// The number of positions.
    package var count: Int { numbers.count }

    /// The position at an index.
    package subscript(index: Int) -> StorePosition {
        StorePosition(store: stores.isEmpty ? 0 : Int(stores[index]), number: numbers[index])
    }

    /// Returns the index of a position; `nil` if it is not there.
    package func firstIndex(of position: StorePosition) -> Int? {
        numbers.indices.first { self[$0] == position }
    }
}

extension Store {
    /// Whether the store is a database; otherwise it is a recording.
    package var isDatabase: Bool { hasRows }

    /// Calls a closure with the numbers of the exchanges that match a filter, in batches.
    ///
    /// - Parameters:
    ///   - filter: The condition; `nil` for all exchanges.
    ///   - lower: The number after which the exchanges are.
    ///   - upper: The number of the last exchange.
    ///   - progress: Observes the query, and may cancel it.
    ///   - body: Receives the numbers: those of a database descend, those of a recording ascend.
    /// - Throws: `StoreError` if the store cannot be read, or the error of the closure;
    ///   `QueryCancelled` after what was found so far.
    package func forEachNumber(
        matching filter: Filter?,
        after lower: Int64,
        through upper: Int64,
        progress: QueryProgress? = nil,
        _ body: ([Int64]) throws -> Void
    ) throws {
        progress?.begin(0, of: 1)
        switch content {
        case .database(let store):
            let end = upper == .max ? upper : upper + 1
            let range = RowRange(lower: lower, upper: end)
            try store.numbers(matching: filter, in: range, progress, body)
        case .recording(let store):
            var numbers: [Int64] = []
            try store.read(progress) { key, exchange in
                if key.number > lower, filter?.matches(exchange) ?? true {
                    numbers.append(key.number)
                }
                return key.number < upper
            }
            try body(numbers)
        }
    }
}

extension StoreSet {
    /// The number of stores.
    package var count: Int { stores.count }

    /// The store with a number.
    package subscript(store: Int) -> Store { stores[store] }

    /// Reads exchanges by their positions.
    ///
    /// - Parameters:
    ///   - positions: The positions.
    ///   - parts: The parts that the exchanges need to have.
    /// - Returns: For each position, the exchange; `nil` if it was removed in the meantime.
    /// - Throws: `StoreError` if a store cannot be read.
    package func exchanges(
        at positions: [StorePosition],
        _ parts: StoreParts
    ) throws -> [StoredExchange?] {
        var found = [StoredExchange?](repeating: nil, count: positions.count)
        for (number, store) in stores.enumerated() {
            let indices = positions.indices.filter { positions[$0].store == number }
            guard !indices.isEmpty else { continue }
            let numbers = indices.map { positions[$0].number }
            let exchanges = try store.exchanges(numbered: numbers, parts)
            for (index, exchange) in zip(indices, exchanges) { found[index] = exchange }
        }
        return found
    }

    /// Finds the position of an exchange.
    ///
    /// - Parameter key: The key of the exchange.
    /// - Returns: The position; `nil` if no store has the exchange any more.
    /// - Throws: `StoreError` if a store cannot be read.
    package func position(of key: StoreKey) throws -> StorePosition? {
        for (number, store) in stores.enumerated() where try store.key(of: key.id) == key {
            return StorePosition(store: number, number: key.number)
        }
        return nil
    }
}

extension Store {
    fileprivate func exchanges(
        numbered numbers: [Int64],
        _ parts: StoreParts
    ) throws -> [StoredExchange?] {
        switch content {
        case .database(let store): return try store.exchanges(numbered: numbers, parts)
        case .recording(let store):
            guard let last = numbers.max() else { return [] }
            let wanted = Set(numbers)
            var found: [Int64: StoredExchange] = [:]
            // Whether a record counts was decided when its position was found.
            try store.readAll { key, exchange in
                if wanted.contains(key.number) {
                    var kept = exchange
                    parts.reduce(&kept)
                    found[key.number] = StoredExchange(key: key, exchange: kept)
                }
                return key.number < last
            }
            return numbers.map { found[$0] }
        }
    }
}
