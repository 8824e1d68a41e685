// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineModel
internal import TaplineSQL

/// Removes the oldest exchanges, and the bodies that no exchange uses.
///
/// Exchanges are removed in the order in which they were written, a few at a time as new ones
/// arrive: a step removes at most twice the number added since the last step, or 1,024. So an
/// exchange is removed at the latest when its age has passed since it was written.
///
/// **Isolation**: within a transaction.
final class Retention {
    /// The number of rows between two steps.
    static let stride = 256
    /// How many exchanges a step may remove, even if fewer rows were added.
    static let smallestStep = 1024

    private let limits: RetentionLimits
    private let connection: SQLiteConnection
    private let bodies: BodyStore
    private var rows: Int64 = 0
    private var added = 0

    init(_ limits: RetentionLimits, _ connection: SQLiteConnection, _ bodies: BodyStore) throws {
        self.limits = limits
        self.connection = connection
        self.bodies = bodies
        try reload()
    }

    /// Counts the rows and bytes.
    func reload() throws {
        guard !limits.isEmpty else { return }
        rows = try connection.integer("SELECT count(*) FROM exchanges") ?? 0
        if limits.bytes != nil { try bodies.measureFiles() }
    }

    /// Runs a step when enough rows have been added, or at once.
    func enforce(added count: Int, now: Timestamp, atOnce: Bool = false) throws {
        guard !limits.isEmpty else { return }
        rows += Int64(count)
        added += count
        guard atOnce || added >= Retention.stride else { return }
        var left = max(added * 2, Retention.smallestStep)
        while left > 0 {
            let removed = try remove(atMost: left, now)
            if removed == 0 { break }
            left -= removed
        }
        added = 0
    }

    /// Removes exchanges that exceed the limits; returns the number of rows removed.
    ///
    /// The space they free is known only afterwards.
    private func remove(atMost limit: Int, _ now: Timestamp) throws -> Int {
        let excess = try self.excess()
        let cutoff = limits.age.map { now.microseconds.subtractingReportingOverflow($0.count) }
        let oldest = cutoff.map { $0.overflow ? Int64.min : $0.partialValue } ?? Int64.min
        let query = try connection.cached(
            """
            SELECT seq, started, request_body, response_body FROM exchanges ORDER BY seq LIMIT ?1
            """
        )
        defer { query.reset() }
        try query.bind(1, integer: Int64(limit))
        var last: Int64?
        var used: Set<Int64> = []
        var count: Int64 = 0
        while try query.step() {
            guard count < excess || query.integer(1) < oldest else { break }
            last = query.integer(0)
            count += 1
            for column: Int32 in 2...3 where query.type(column) == .integer {
                used.insert(query.integer(column))
            }
        }
        query.reset()
        guard let last else { return 0 }
        let removal = try connection.cached("DELETE FROM exchanges WHERE seq <= ?1")
        try removal.bind(1, integer: last)
        try removal.run()
        rows -= count
        for body in used.sorted() { try bodies.removeUnused(body) }
        return Int(count)
    }

    /// How many of the oldest exchanges exceed the limits on number and size.
    private func excess() throws -> Int64 {
        var excess: Int64 = 0
        if let count = limits.count { excess = rows - Int64(count) }
        if let bytes = limits.bytes {
            let pages = try pragma("page_count") - pragma("freelist_count")
            let used = pages * (try pragma("page_size")) + bodies.fileBytes
            if used > Int64(bytes) {
                // A page is free only when it is empty, so the target is below the limit.
                let share = Double(used - Int64(bytes) / 16 * 15) / Double(used)
                excess = max(excess, Int64(Double(rows) * share) + 1)
            }
        }
        return excess
    }

    private func pragma(_ name: String) throws -> Int64 {
        let query = try connection.cached("PRAGMA \(name)")
        defer { query.reset() }
        return try query.step() ? query.integer(0) : 0
    }
}
