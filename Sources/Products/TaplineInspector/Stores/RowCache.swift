// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStore

/// The rows of recordings that were read: to read one, all before it have to be read as well.
///
/// **Limits**: 128 MiB; then all of it is dropped.
/// **Isolation**: any thread.
final class RowCache: Sendable {
    private struct State {
        var rows: [StorePosition: StoredExchange] = [:]
        var memory = 0
        var generation = 0
    }

    private static let budget = 128 << 20

    private let state = Mutex(State())

    /// Returns exchanges by their positions, with the parts that rows need.
    ///
    /// - Parameters:
    ///   - positions: The positions.
    ///   - opened: The stores, whose generation the positions belong to.
    /// - Returns: For each position, the exchange; `nil` if it was removed in the meantime.
    /// - Throws: `StoreError` if a store cannot be read.
    func rows(
        at positions: [StorePosition],
        of opened: OpenedStores
    ) throws -> [StoredExchange?] {
        let (stores, generation) = (opened.stores, opened.generation.number)
        let inRecordings = positions.filter { !stores[$0.store].isDatabase }
        guard !inRecordings.isEmpty else {
            return try stores.exchanges(at: positions, JSONWriter.rowParts)
        }
        let known = known(inRecordings, generation)
        var last: [Int: Int64] = [:]
        for position in inRecordings where known[position] == nil {
            last[position.store] = max(last[position.store] ?? 0, position.number)
        }
        var read: [StorePosition: StoredExchange] = [:]
        for (store, number) in last {
            let wanted = Set(inRecordings.filter { $0.store == store }.map(\.number))
            read.merge(try self.read(stores[store], store, through: number, wanted, generation)) {
                $1
            }
        }
        let others = positions.filter { stores[$0.store].isDatabase }
        let found = try stores.exchanges(at: others, JSONWriter.rowParts)
        var rest = found.makeIterator()
        return positions.map { position in
            if stores[position.store].isDatabase { return rest.next() ?? nil }
            return known[position] ?? read[position]
        }
    }

    private func known(
        _ positions: [StorePosition],
        _ generation: Int
    ) -> [StorePosition: StoredExchange] {
        state.withLock { state in
            // A call that began earlier may still read the former files.
            if state.generation < generation { state = State(generation: generation) }
            guard state.generation == generation else { return [:] }
            var found: [StorePosition: StoredExchange] = [:]
            for position in positions { found[position] = state.rows[position] }
            return found
        }
    }

    /// Reads a recording up to a number, and keeps what it reads.
    private func read(
        _ store: Store,
        _ index: Int,
        through last: Int64,
        _ wanted: Set<Int64>,
        _ generation: Int
    ) throws -> [StorePosition: StoredExchange] {
        var found: [StorePosition: StoredExchange] = [:]
        var batch: [(StorePosition, StoredExchange)] = []
        // One more than is wanted would be read to find out whether there are others.
        let limit = Int(clamping: last)
        var query = StoreQuery(order: .oldestFirst, parts: JSONWriter.rowParts)
        query.limit = limit == .max ? nil : limit + 1
        try store.forEach(query) { stored in
            let position = StorePosition(store: index, number: stored.key.number)
            let row = stored.reduced(to: JSONWriter.rowParts)
            if wanted.contains(stored.key.number) { found[position] = row }
            batch.append((position, row))
            if batch.count >= 512 { keep(&batch, generation) }
        }
        keep(&batch, generation)
        return found
    }

    private func keep(_ batch: inout [(StorePosition, StoredExchange)], _ generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            for (position, row) in batch where state.rows[position] == nil {
                state.memory += row.exchange.memory + MemoryLayout<StoredExchange>.stride
                state.rows[position] = row
            }
            if state.memory > Self.budget { state = State(generation: generation) }
        }
        batch = []
    }
}
