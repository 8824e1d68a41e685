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
    /// Whether an exchange that several databases have is given once.
    private let countsOnce: Bool
    private var hasBegun = false

    /// Prepares to follow stores.
    ///
    /// - Parameters:
    ///   - parts: The stores.
    ///   - newest: How many of the exchanges that are there already come first.
    ///   - countsOnce: Whether an exchange that several databases have is given once.
    init(_ parts: [any FollowedStore], newest: Int, countsOnce: Bool = false) {
        self.parts = parts
        self.newest = newest
        self.countsOnce = countsOnce
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
            for (number, part) in parts.enumerated() {
                try part.begin(newest: newest) {
                    if try isFirst($0, of: number) { found.append($0) }
                }
            }
            found.sort { StoreOrder.oldestFirst.places($0.key, before: $1.key) }
            for exchange in found.suffix(newest) { try body(exchange) }
            return
        }
        for (number, part) in parts.enumerated() {
            try part.next(atMost: .max) { if try isFirst($0, of: number) { try body($0) } }
        }
    }

    /// Returns whether an exchange counts: whether no other store had it when it was read last.
    private func isFirst(_ exchange: StoredExchange, of part: Int) throws -> Bool {
        guard countsOnce, parts[part].isCompared else { return true }
        for (number, other) in parts.enumerated() where number != part {
            if try other.hasRead(exchange.key.id) { return false }
        }
        return true
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
    /// Whether its exchanges are compared with those of other stores, which databases are.
    var isCompared: Bool { get }
    /// Returns whether an exchange is among those that were read, matching or not.
    func hasRead(_ id: ExchangeID) throws -> Bool
}
