// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// Exchanges that have ended and wait to be sealed.
///
/// Stages may take tens of milliseconds for a large body. Where many such exchanges end at once, they
/// are sealed for a few milliseconds in each turn of the loop, so that it serves its connections in
/// between.
///
/// **Isolation**: the worker's thread.
struct SealBacklog {
    /// An exchange that waits.
    struct Ended {
        let exchange: Exchange
        let context: ExchangeContext
        /// The bytes that are kept of it.
        let kept: Int
        let memory: ClientMemory

        init(
            _ exchange: consuming Exchange,
            _ context: consuming ExchangeContext,
            _ kept: Int,
            _ memory: ClientMemory
        ) {
            self.exchange = exchange
            self.context = context
            self.kept = kept
            self.memory = memory
        }
    }

    /// How long exchanges are sealed in one turn; the one that passes it is the last.
    private let limit: Microseconds
    private var turn: Int64 = 0
    private var spent = Microseconds(0)
    /// The bytes that are kept of those that wait.
    private(set) var bytes = 0
    /// Those that wait: first `older` from its end, then `newer` from its beginning.
    private var older: [Ended] = []
    private var newer: [Ended] = []

    init(limit: Microseconds) {
        self.limit = limit
    }

    /// Whether nothing waits.
    var isEmpty: Bool { older.isEmpty && newer.isEmpty }

    /// Whether the turn of the loop that began at a time may seal another exchange.
    mutating func hasTime(in turn: Int64) -> Bool {
        if turn != self.turn {
            self.turn = turn
            spent = Microseconds(0)
        }
        return spent < limit
    }

    /// Counts what sealing an exchange has taken.
    mutating func spend(_ time: Microseconds) {
        spent = Microseconds(spent.count &+ time.count)
    }

    mutating func append(_ ended: Ended) {
        bytes += ended.kept
        ended.memory.share.waits(ended.kept)
        newer.append(ended)
    }

    /// Takes out the one that has waited longest.
    mutating func popFirst() -> Ended? {
        if older.isEmpty {
            older = newer.reversed()
            newer = []
        }
        guard let first = older.popLast() else { return nil }
        bytes -= first.kept
        first.memory.share.sealed(first.kept)
        return first
    }
}
