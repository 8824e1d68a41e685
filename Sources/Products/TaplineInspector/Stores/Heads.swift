// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineStore

/// Numbers for what the stores had at moments, as the page knows them.
///
/// The number of one database is the position of its last exchange; of a recording, the number of
/// its exchanges. For several stores it is the sum of these, which grows with each of them.
///
/// **Isolation**: any thread.
final class Heads: Sendable {
    private struct State {
        var current: StoreHead?
        /// The heads of several stores, ascending by number.
        var known: [(number: Int64, head: StoreHead)] = []
    }

    /// How many heads of several stores are kept.
    private static let limit = 1024

    private let state = Mutex(State())

    /// The newest head; `nil` if no store could be read yet.
    var current: StoreHead? { state.withLock { $0.current } }

    /// Notes what the stores have now.
    func note(_ head: StoreHead) {
        state.withLock { state in
            state.current = head
            guard head.parts.count > 1 else { return }
            let number = head.number
            // Fewer than before: other files.
            state.known.removeAll { $0.number >= number }
            state.known.append((number, head))
            if state.known.count > Self.limit { state.known.removeFirst() }
        }
    }

    /// Returns the head with a number, or the closest one before it.
    func head(_ number: Int64) -> StoreHead? {
        state.withLock { state in
            guard let current = state.current, number < current.number else {
                return state.current
            }
            guard current.parts.count > 1 else { return current.limited(to: number) }
            return state.known.last { $0.number <= number }?.head ?? state.known.first?.head
                ?? current
        }
    }
}
