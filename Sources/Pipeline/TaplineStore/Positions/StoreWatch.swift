// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL
internal import TaplineSystem

/// Notices what other processes add to stores, or change in them.
///
/// A database is asked for `PRAGMA data_version`, which takes microseconds; of a recording, the size
/// is compared, and what was appended is read.
///
/// **Isolation**: one thread at a time, which also uses the stores.
package final class StoreWatch {
    private let stores: StoreSet
    private let parts: [any WatchedStore]
    /// What each store had, copies included.
    private var found: [StoreHead.Part]?
    /// Whether a change was found that no head has yet, since copies could not be found.
    private var isStale = true

    /// Prepares to watch the stores of a set.
    package init(_ stores: StoreSet) {
        self.stores = stores
        parts = stores.stores.map { store in
            switch store.content {
            case .database(let database): WatchedDatabase(database)
            case .recording(let recording): WatchedRecording(store.path, recording)
            }
        }
    }

    /// Returns what the stores have now; `nil` if nothing has changed since the last call.
    ///
    /// - Throws: `StoreError` if a store cannot be read; the next call tries again.
    package func look() throws -> StoreHead? {
        var found: [StoreHead.Part] = []
        for (number, part) in parts.enumerated() {
            let change = try part.look()
            isStale = isStale || change != nil
            found.append(change ?? self.found?[number] ?? StoreHead.Part())
        }
        guard isStale else { return nil }
        self.found = found
        try stores.findCopies()
        isStale = false
        for (number, store) in stores.stores.enumerated() {
            let copies = store.copies(through: found[number].last)
            found[number].count = max(found[number].count - copies, 0)
        }
        return StoreHead(parts: found)
    }
}

/// One of the stores that a watch looks at.
private protocol WatchedStore: AnyObject {
    /// Returns what the store has; `nil` if it has not changed since the last call.
    func look() throws -> StoreHead.Part?
}

private final class WatchedDatabase: WatchedStore {
    /// How long the number of exchanges is not counted again if others are removed between them.
    private static let recountTime: Int64 = 10_000_000

    private let store: DatabaseStore
    private var version: Int64?
    private var part: StoreHead.Part?
    private var counted: Int64 = 0

    init(_ store: DatabaseStore) { self.store = store }

    func look() throws -> StoreHead.Part? {
        let version = try store.reader.currentDataVersion()
        guard version != self.version else { return nil }
        let now = SteadyClock.microseconds
        let isOld = now - counted > Self.recountTime
        let found = try store.head(after: isOld ? nil : part)
        if found.isCounted { counted = now }
        part = found.part
        self.version = version
        return found.part
    }
}

extension DatabaseStore {
    /// Finds out what the database has.
    ///
    /// - Parameter known: What it had; only what was added since is counted then.
    /// - Returns: What it has, and whether all exchanges were counted.
    /// - Throws: `StoreError` if the database cannot be read.
    func head(
        after known: StoreHead.Part?
    ) throws -> (part: StoreHead.Part, isCounted: Bool) {
        try reader.snapshot {
            let connection = reader.connection
            var part = StoreHead.Part()
            guard let extent = try RowExtent(of: .all, connection) else { return (part, true) }
            part.first = extent.first
            part.last = extent.last
            func started(_ number: Int64) throws(SQLiteError) -> Timestamp {
                let query = try connection.cached("SELECT started FROM exchanges WHERE seq = ?1")
                defer { query.reset() }
                try query.bind(1, integer: number)
                return Timestamp(microseconds: try query.step() ? query.integer(0) : 0)
            }
            part.times = (try started(part.first), try started(part.last))
            // Numbers grow; fewer than before means that others were removed.
            if let known, known.count > 0, known.first == part.first, known.last <= part.last {
                let added = RowRange(lower: known.last, upper: .max)
                part.count = known.count + (try count(added, connection))
                return (part, false)
            }
            let query = try connection.cached("SELECT count(*) FROM exchanges")
            defer { query.reset() }
            part.count = try query.step() ? Int(clamping: query.integer(0)) : 0
            return (part, true)
        }
    }

    private func count(
        _ range: RowRange,
        _ connection: SQLiteConnection
    ) throws(SQLiteError) -> Int {
        let query = try connection.cached(
            "SELECT count(*) FROM exchanges e WHERE \(RowRange.condition(after: 0))"
        )
        defer { query.reset() }
        try range.bind(to: query, after: 0)
        return try query.step() ? Int(clamping: query.integer(0)) : 0
    }
}

private final class WatchedRecording: WatchedStore {
    private let path: String
    private let store: RecordingStore
    private var status: FileStatus?
    private var part = WatchedRecording.empty
    private var follower: FollowedRecording?
    /// Whether nothing can be appended to the recording, as to HAR.
    private var isWhole = false

    init(_ path: String, _ store: RecordingStore) {
        self.path = path
        self.store = store
    }

    private static var empty: StoreHead.Part {
        var part = StoreHead.Part()
        part.base = 1
        return part
    }

    func look() throws -> StoreHead.Part? {
        let found = try FileSystem.status(of: path)
        if let status, let found {
            let isSame = status.isSameFile(as: found)
            if isSame, status.size == found.size { return nil }
            if !isSame || found.size < status.size { forget() }
        }
        if !isWhole { try follow() }
        if isWhole { try readAll() }
        status = found
        return part
    }

    /// Begins again, since another file has taken the place of the one that was read.
    private func forget() {
        follower = nil
        part = Self.empty
        isWhole = false
    }

    /// Reads what was appended.
    private func follow() throws {
        do throws(StoreError) {
            if follower == nil { follower = try store.follow(StoreQuery(parts: [])) }
        } catch {
            guard error.code == .notFollowed else { throw error }
            isWhole = true
            return
        }
        do {
            try follower?.next(atMost: .max) { try add($0.key, counts: store.counts($0.key.id)) }
        } catch let error as StoreError where error.code == .notFollowed {
            isWhole = true
        }
    }

    private func readAll() throws {
        part = Self.empty
        try store.readAll { key, _ in
            try add(key, counts: store.counts(key.id))
            return true
        }
    }

    private func add(_ key: StoreKey, counts: Bool) {
        if part.times == nil { part.first = key.number }
        part.last = key.number
        if counts { part.count += 1 }
        part.times = (part.times?.first ?? key.started, key.started)
    }
}
