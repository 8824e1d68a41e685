// SPDX-License-Identifier: MIT

internal import TaplineModel

/// What is added to stores while other processes write, in the order of writing.
///
/// A database is asked whether it has changed, which takes microseconds; of a recording in NDJSON,
/// what was appended is read, also after the file was replaced by a new one.
///
/// **Isolation**: one thread at a time, which also uses the stores.
package final class StoreFollower {
    private let parts: [any FollowedStore]
    private let newest: Int
    private var hasBegun = false

    /// Prepares to follow stores.
    ///
    /// - Parameters:
    ///   - parts: The stores.
    ///   - newest: How many of the exchanges that are there already come first.
    init(_ parts: [any FollowedStore], newest: Int) {
        self.parts = parts
        self.newest = newest
    }

    /// Calls a closure with each match that was added since the last call; the first time, with the
    /// newest ones that are there already, the oldest of them first.
    ///
    /// - Parameter body: Receives the exchanges; if it throws, those of this call are lost.
    /// - Throws: `StoreError` if a store cannot be read, or the error of the closure.
    package func next(_ body: (StoredExchange) throws -> Void) throws {
        guard hasBegun else {
            hasBegun = true
            if parts.count == 1 { return try parts[0].begin(newest: newest, body) }
            var found: [StoredExchange] = []
            for part in parts { try part.begin(newest: newest) { found.append($0) } }
            found.sort { StoreOrder.oldestFirst.places($0.key, before: $1.key) }
            for exchange in found.suffix(newest) { try body(exchange) }
            return
        }
        for part in parts { try part.next(atMost: .max, body) }
    }
}

/// One of the stores that a follower reads.
protocol FollowedStore: AnyObject {
    /// Calls a closure with the newest matches that are there already, the oldest first; if the
    /// query has a key, with all matches after it.
    func begin(newest: Int, _ body: (StoredExchange) throws -> Void) throws
    /// Calls a closure with matches that were added since the last call: all of them, or at least
    /// so many that a caller with a limit has to ask again.
    func next(atMost limit: Int, _ body: (StoredExchange) throws -> Void) throws
}
