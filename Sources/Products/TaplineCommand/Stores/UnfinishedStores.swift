// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineCommandLine
internal import TaplineStoreSchema
internal import TaplineSystem

/// The new stores that a command is writing; a signal that ends the process removes them first.
final class UnfinishedStores: Sendable {
    private let paths = Mutex<Set<String>>([])

    /// Runs a closure, during which signals remove the stores that it adds.
    static func removedBySignals<Result>(
        _ body: (UnfinishedStores) throws -> Result
    ) rethrows -> Result {
        let stores = UnfinishedStores()
        let signals = Signals(beforeEnding: { stores.removeAll() })
        defer { signals.end() }
        return try body(stores)
    }

    func add(_ path: String) { paths.withLock { _ = $0.insert(path) } }

    /// Ends watching a store, which is complete or removed.
    func remove(_ path: String) { paths.withLock { _ = $0.remove(path) } }

    private func removeAll() {
        for path in paths.withLock({ $0 }) { Self.removeFiles(of: path) }
    }

    /// Removes all files of a store, if there are any.
    static func removeFiles(of path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileSystem.remove(path + suffix) }
        try? BodyFiles(database: path).removeAll()
    }
}
