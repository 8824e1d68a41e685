// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin

/// A sink that keeps the ended exchanges of a test, cleaned by the stages.
final class EndedExchanges: SinkFactory {
    private let ended = Mutex<[Exchange]>([])

    /// The ended exchanges, in the order in which they began.
    var all: [Exchange] {
        ended.withLock { $0 }.sorted { ($0.started, $0.id) < ($1.started, $1.id) }
    }

    var batchDelay: Microseconds { Microseconds(5_000) }

    func open(_ context: SinkContext) throws -> any Sink { Writer(self) }

    private final class Writer: Sink {
        private let list: EndedExchanges

        init(_ list: EndedExchanges) { self.list = list }

        func write(_ batch: [Record]) throws -> WriteResult {
            list.ended.withLock { $0 += batch.map(\.exchange) }
            return .written
        }
    }
}
