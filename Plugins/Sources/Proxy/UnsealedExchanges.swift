// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// Exchanges that have ended and wait to be sealed.
///
/// Stages may take tens of milliseconds for a large body. If many such exchanges end at once, each
/// turn of the loop seals them for a few milliseconds only, so that it can serve its connections in
/// between.
///
/// **Isolation**: the worker's thread.
struct UnsealedExchanges {
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

    /// The time budget of a turn; the exchange that exceeds it is the last one of the turn.
    private let limit: Microseconds
    private var turn: Int64 = 0
    private var spent = Microseconds(0)
    /// The bytes that are kept of the exchanges that wait.
    private(set) var bytes = 0
    /// The exchanges that wait: first `older` from its end, then `newer` from its beginning.
    private var older: [Ended] = []
    private var newer: [Ended] = []

    init(limit: Microseconds) {
        self.limit = limit
    }

    /// Whether no exchange waits.
    var isEmpty: Bool { older.isEmpty && newer.isEmpty }

    /// Returns whether the turn of the loop that began at `turn` may seal another exchange.
    mutating func hasTime(in turn: Int64) -> Bool {
        if turn != self.turn {
            self.turn = turn
            spent = Microseconds(0)
        }
        return spent < limit
    }

    /// Adds the time that sealing an exchange has taken.
    mutating func spend(_ time: Microseconds) {
        spent = Microseconds(spent.count &+ time.count)
    }

    mutating func append(_ ended: Ended) {
        bytes += ended.kept
        ended.memory.share.waits(ended.kept)
        newer.append(ended)
    }

    /// Removes the exchange that has waited longest.
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
