// SPDX-License-Identifier: MIT

package import TaplineModel
internal import TaplineSQL
internal import TaplineSystem

/// Notices what people change in the notes, marks and tags of databases, in any process.
///
/// SQLite does not say which tables a transaction has changed. If `PRAGMA data_version` has, the
/// notes and tags are read and compared with the fingerprints of the last time.
///
/// **Limits**: reading takes at most about a twentieth of the time, so that many notes do not slow
/// down an inspector while a program writes exchanges.
///
/// **Isolation**: one thread at a time, which also uses the stores.
package final class AnnotationWatch {
    /// How many ids a change names.
    private static let maxIDs = 1000

    private let parts: [WatchedAnnotations]
    /// What was found before a store could not be read.
    private var pending: [ExchangeID]?

    /// Prepares to watch the databases of a set; the first look finds no change.
    package init(_ stores: StoreSet) {
        parts = stores.stores.compactMap { store in
            guard case .database(let database) = store.content else { return nil }
            return WatchedAnnotations(database)
        }
    }

    /// Returns the exchanges whose annotations have changed since the last call.
    ///
    /// - Returns: The ids, at most 1000; empty if there are more, or if it is not known which
    ///   exchanges have changed; `nil` if there is no change.
    /// - Throws: `StoreError` if a store cannot be read; the next call tries again.
    package func look() throws -> [ExchangeID]? {
        for part in parts {
            guard let ids = try part.look(atMost: Self.maxIDs) else { continue }
            pending = pending.map { Self.joined($0, ids) } ?? ids
        }
        defer { pending = nil }
        return pending
    }

    /// Joins the ids of two stores; empty if those of one are not known.
    static func joined(_ first: [ExchangeID], _ second: [ExchangeID]) -> [ExchangeID] {
        guard !first.isEmpty, !second.isEmpty, first.count + second.count <= maxIDs else {
            return []
        }
        return first + second
    }
}

/// What the notes and tags of a database were, as numbers to compare.
private struct AnnotationFingerprints {
    /// Of how many exchanges there are numbers; of more, only all together are compared.
    static let maxExchanges = 100_000

    private(set) var all = 0
    private(set) var byExchange: [Int64: Int] = [:]
    private(set) var isComplete = true

    /// Adds a row; the order of rows does not matter.
    mutating func add(_ exchange: Int64, _ hasher: consuming Hasher) {
        hasher.combine(exchange)
        let value = hasher.finalize()
        all &+= value
        guard isComplete else { return }
        byExchange[exchange, default: 0] &+= value
        if byExchange.count > Self.maxExchanges {
            isComplete = false
            byExchange = [:]
        }
    }

    /// Returns the exchanges that differ; empty if it is not known which; `nil` if none does.
    func changes(since old: AnnotationFingerprints) -> [Int64]? {
        guard isComplete, old.isComplete else { return all == old.all ? nil : [] }
        var numbers: [Int64] = []
        for (number, value) in byExchange where old.byExchange[number] != value {
            numbers.append(number)
        }
        for number in old.byExchange.keys where byExchange[number] == nil {
            numbers.append(number)
        }
        return numbers.isEmpty ? nil : numbers.sorted()
    }
}

/// The annotations of one database.
private final class WatchedAnnotations {
    /// How many times as long as reading takes, nothing is read after it.
    private static let rest: Int64 = 20

    private let store: DatabaseStore
    private var version: Int64?
    private var known: AnnotationFingerprints?
    /// When the tables may be read again, in microseconds of the steady clock.
    private var earliest: Int64 = 0

    init(_ store: DatabaseStore) { self.store = store }

    func look(atMost limit: Int) throws -> [ExchangeID]? {
        let version = try store.reader.currentDataVersion()
        let start = SteadyClock.microseconds
        guard version != self.version, start >= earliest else { return nil }
        let found = try read()
        let (rest, overflow) = (SteadyClock.microseconds - start)
            .multipliedReportingOverflow(by: Self.rest)
        earliest = start.addingReportingOverflow(overflow ? 0 : rest).partialValue
        let numbers = known.flatMap { found.changes(since: $0) }
        // Empty if there are too many.
        let changed = try numbers.map { try ids(of: $0.count <= limit ? $0[...] : []) }
        self.version = version
        known = found
        return changed
    }

    private func read() throws -> AnnotationFingerprints {
        try store.reader.snapshot {
            var found = AnnotationFingerprints()
            guard store.reader.schema >= Annotations.schema else { return found }
            let notes = try store.reader.connection.cached(
                "SELECT exchange, text, author, mark, at FROM notes"
            )
            defer { notes.reset() }
            while try notes.step() {
                var hasher = Hasher()
                for column in 1...3 as ClosedRange<Int32> { hasher.combine(notes.text(column)) }
                hasher.combine(notes.isNull(4) ? nil : notes.integer(4))
                found.add(notes.integer(0), hasher)
            }
            let tags = try store.reader.connection.cached("SELECT exchange, name, value FROM tags")
            defer { tags.reset() }
            while try tags.step() {
                var hasher = Hasher()
                hasher.combine(tags.text(1))
                hasher.combine(tags.isNull(2) ? nil : tags.text(2))
                found.add(tags.integer(0), hasher)
            }
            return found
        }
    }

    private func ids(of numbers: ArraySlice<Int64>) throws -> [ExchangeID] {
        try store.reader.snapshot {
            let query = try store.reader.connection.cached(
                "SELECT id FROM exchanges WHERE seq = ?1"
            )
            return try numbers.compactMap { number in
                defer { query.reset() }
                try query.bind(1, integer: number)
                return try query.step() ? query.withBlob(0) { ExchangeID(bytes: $0) } : nil
            }
        }
    }
}
