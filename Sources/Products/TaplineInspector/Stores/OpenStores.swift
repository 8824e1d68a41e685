// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineStore

/// Which files the stores are, counted: a file that takes the place of another one is opened again.
final class StoreGeneration: Sendable {
    private let number = Atomic<Int>(0)

    var current: Int { number.load(ordering: .relaxed) }

    func advance() { number.wrappingAdd(1, ordering: .relaxed) }
}

/// The stores as one thread has them open.
///
/// **Isolation**: its thread.
final class OpenStores {
    private let names: [String]
    private let generation: StoreGeneration
    private var opened: (stores: StoreSet, generation: Int)?

    init(_ names: [String], _ generation: StoreGeneration) {
        self.names = names
        self.generation = generation
    }

    /// Returns the stores; opens them if that has not been possible yet, or files were replaced.
    func stores() throws -> StoreSet {
        let current = generation.current
        if let opened, opened.generation == current { return opened.stores }
        opened = nil
        let stores = try StoreSet(names)
        opened = (stores, current)
        return stores
    }
}
