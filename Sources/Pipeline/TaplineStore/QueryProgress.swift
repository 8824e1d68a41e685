// SPDX-License-Identifier: MIT

internal import Synchronization

/// Reports the progress of a query and cancels it.
///
/// **Isolation**: any thread.
package final class QueryProgress: Sendable {
    private struct State {
        /// The number of the store that is being read, from 0.
        var store = 0
        var stores = 1
        /// The part of this store that was read; `nil` if its size is unknown.
        var part: Double?
        var bytes = 0
    }

    private let isEnding = Atomic<Bool>(false)
    private let state = Mutex(State())

    /// Creates the progress of a query that has not begun.
    package init() {}

    /// Ends the query: it passes on what it has found, and throws `QueryCancelled`.
    package func cancel() { isEnding.store(true, ordering: .relaxed) }

    /// Whether the query is to end.
    package var isCancelled: Bool { isEnding.load(ordering: .relaxed) }

    /// The part of the stores that was searched, from 0 to 1; `nil` if it is unknown.
    package var part: Double? {
        state.withLock { state in
            state.part.map { (Double(state.store) + $0) / Double(max(state.stores, 1)) }
        }
    }

    /// How many bytes of a recording were read.
    package var bytes: Int { state.withLock { $0.bytes } }

    // MARK: For stores

    /// Ends the query with an error if it was cancelled.
    func check() throws(QueryCancelled) { if isCancelled { throw QueryCancelled() } }

    /// Notes that a store is read next.
    func begin(_ store: Int, of stores: Int) {
        state.withLock { state in
            state.store = store
            state.stores = stores
            state.part = 0
        }
    }

    /// Notes the part of the current store that was read.
    func reach(_ part: Double?, bytes: Int = 0) {
        state.withLock { state in
            state.part = part
            state.bytes = bytes
        }
    }
}

/// A query was cancelled; what it had found was passed on.
package struct QueryCancelled: Error {
    /// Creates the error.
    package init() {}
}
