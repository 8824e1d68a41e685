// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel

/// Which exchanges this inspector has sent again.
///
/// It is kept in memory, since no index of a store leads from an exchange to those that repeat it,
/// and a search would read the whole store.
///
/// **Isolation**: any thread.
final class ResentExchanges: Sendable {
    /// How many are remembered.
    private static let limit = 10_000

    private struct State {
        var copies: [ExchangeID: [ExchangeID]] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Notes that an exchange repeats another one; ignored once there are too many.
    func note(_ id: ExchangeID, of original: ExchangeID) {
        state.withLock { state in
            guard state.count < Self.limit else { return }
            state.copies[original, default: []].append(id)
            state.count += 1
        }
    }

    /// The exchanges that repeat one, in the order in which they were sent.
    func copies(of original: ExchangeID) -> [ExchangeID] {
        state.withLock { $0.copies[original] ?? [] }
    }
}
