// SPDX-License-Identifier: MIT

internal import TaplineModel
package import TaplineQuery

extension Store {
    /// Returns the exchanges that are added to the store from now on, as other processes write them.
    ///
    /// An exchange is written when it has completed, failed or been cancelled.
    ///
    /// - Parameters:
    ///   - filter: The condition; `nil` for all exchanges.
    ///   - key: Begins after this exchange instead.
    ///   - parts: The parts that results need to have.
    ///   - interval: How long a reader waits before it asks again whether the store has changed.
    ///   - warn: Receives a message for each part that cannot be read.
    /// - Returns: The exchanges, in the order of writing.
    /// - Throws: `StoreError` if the store cannot be read, or is standard input.
    package func changes(
        matching filter: Filter? = nil,
        after key: StoreKey? = nil,
        parts: StoreParts = .all,
        every interval: Duration = .milliseconds(100),
        warn: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> StoreChanges {
        let start = try key ?? StoreKey(number: lastNumber(), value: SortValue(indexed: nil))
        let query = StoreQuery(filter, after: start, parts: parts)
        return StoreChanges(path: path, query: query, interval: interval, warn: warn)
    }

    /// The number of the last exchange.
    private func lastNumber() throws -> Int64 {
        switch content {
        case .database(let store):
            return try store.reader.lastNumber() ?? .min
        case .recording(let store):
            // Standard input is refused before it is read.
            _ = try store.follow(StoreQuery())
            var last: Int64 = -1
            try store.read { key, _ in
                last = key.number
                return true
            }
            return last
        }
    }
}

/// The exchanges that other processes add to a store.
///
/// Each iterator opens the store for itself and begins at the same place, so several tasks may read
/// the same changes. It asks a database for `PRAGMA data_version`, which takes microseconds, and
/// sleeps in between.
///
/// **Shape**: the sequence ends if its task is cancelled, or after an error.
/// **Limits**: about 256 exchanges are read at a time, and no more before they are consumed.
package struct StoreChanges: AsyncSequence, Sendable {
    package typealias Element = StoredExchange

    fileprivate let path: String
    fileprivate let query: StoreQuery
    fileprivate let interval: Duration
    fileprivate let warn: @Sendable (String) -> Void

    /// Begins to read.
    package func makeAsyncIterator() -> Iterator {
        Iterator(reader: ChangeReader(path, query, warn: warn), interval: interval)
    }

    /// Reads the exchanges in order.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: ChangeReader
        fileprivate let interval: Duration
        /// What was read and not returned yet, the last one first.
        private var page: [StoredExchange] = []
        private var isOver = false

        fileprivate init(reader: ChangeReader, interval: Duration) {
            self.reader = reader
            self.interval = interval
        }

        /// Returns the next exchange, as soon as there is one; `nil` once the task is cancelled.
        package mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> StoredExchange? {
            while !isOver, !Task.isCancelled {
                if let next = page.popLast() { return next }
                do {
                    page = try await read()
                    if page.isEmpty { try await Task.sleep(for: interval) }
                } catch {
                    isOver = true
                    guard error is CancellationError || error is QueryCancelled else { throw error }
                }
            }
            isOver = true
            return nil
        }

        private func read(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> [StoredExchange] {
            let reader = reader
            return try await withTaskCancellationHandler {
                try await reader.page().reversed()
            } onCancel: {
                reader.cancel()
            }
        }
    }
}

/// Reads the changes of a store for one iterator, beside the task that consumes them.
private actor ChangeReader {
    /// How many exchanges are read at a time.
    private static let pageSize = 256

    private let path: String
    private let query: StoreQuery
    private let progress: QueryProgress
    private let warn: @Sendable (String) -> Void
    private var store: (any FollowedStore)?

    init(_ path: String, _ query: StoreQuery, warn: @escaping @Sendable (String) -> Void) {
        self.path = path
        self.warn = warn
        progress = QueryProgress()
        var query = query
        query.progress = progress
        self.query = query
    }

    /// Ends a query that runs now.
    nonisolated func cancel() { progress.cancel() }

    /// Returns the next exchanges, if there are any.
    func page() throws -> [StoredExchange] {
        let followed = try store ?? Store(path, warn: warn).follow(query)
        store = followed
        var found: [StoredExchange] = []
        try followed.next(atMost: Self.pageSize) { found.append($0) }
        return found
    }
}
