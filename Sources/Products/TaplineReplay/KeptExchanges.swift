// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin

/// A sink that keeps the first exchanges in memory.
///
/// **Isolation**: any thread.
final class KeptExchanges: Sendable {
    static let name = "keep"

    private let limit: Int
    private let kept = Mutex<[Exchange]>([])

    init(limit: Int) { self.limit = max(0, limit) }

    /// The exchanges so far, in the order in which they ended.
    var exchanges: [Exchange] { kept.withLock { $0 } }

    /// The plugin of the sink.
    var plugin: SinkPlugin {
        let factory = Factory(store: self)
        return SinkPlugin(
            name: Self.name,
            summary: "Keeps exchanges in memory.",
            options: OptionSchema(),
            build: { _, _ in factory }
        )
    }

    private struct Factory: SinkFactory {
        let store: KeptExchanges

        var staysInMemory: Bool { true }

        func open(_ context: SinkContext) throws -> any Sink { Open(store) }
    }

    private final class Open: Sink {
        private let store: KeptExchanges

        init(_ store: KeptExchanges) { self.store = store }

        func write(_ batch: [Record]) throws -> WriteResult {
            store.kept.withLock { kept in
                kept += batch.prefix(store.limit - kept.count).map(\.exchange)
            }
            return .written
        }
    }
}
