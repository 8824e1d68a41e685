// SPDX-License-Identifier: MIT

internal import TaplineCrypto
package import TaplineModel
internal import TaplineQuery
internal import TaplineSQL
internal import TaplineStoreSchema

extension DatabaseRewrite {
    /// Returns what an erasure of exchanges would remove.
    func preview(_ filter: Filter) throws -> ErasureReport {
        var report = ErasureReport()
        try scan(StoreQuery(filter, parts: [])) { key, _ in report.removed(key.id) }
        report.addProblems(reader.problems.take().count)
        return report
    }

    /// Removes the exchanges that match a filter; requires exclusive access.
    func erase(_ filter: Filter) throws -> ErasureReport {
        var report = ErasureReport()
        var numbers: [Int64] = []
        try scan(StoreQuery(filter, order: .oldestFirst, parts: [])) { key, _ in
            numbers.append(key.number)
            report.removed(key.id)
        }
        report.addProblems(reader.problems.take().count)
        if let textIndex = try dropTextIndex() { report.dropped(index: textIndex) }
        let indexes = try SearchIndexes(connection)
        try change { bodies in
            if !numbers.isEmpty { try indexes.drop(&report) }
            try remove(numbers, bodies)
            if !numbers.isEmpty { try indexes.restore() }
        }
        try finish()
        return report
    }

    /// Removes the full-text index next to the database, which has content of exchanges.
    ///
    /// - Returns: The path of its file; `nil` if there was none.
    func dropTextIndex() throws -> String? {
        try naming {
            let hadMarker = try TextIndexMarker.remove(connection)
            let hadFile = try TextIndexFile.remove(of: path)
            return hadMarker || hadFile ? TextIndexFile.path(of: path) : nil
        }
    }

    /// Runs a transaction that changes bodies, then removes the files that it made obsolete.
    func change<Result>(_ body: (BodyTable) throws -> Result) throws -> Result {
        let bodies = BodyTable(connection, path)
        let result = try transaction {
            let result = try body(bodies)
            beforeCommit()
            return result
        }
        isChanged = true
        if bodies.hasObsoleteFiles || isExclusive {
            try transaction {
                try bodies.removeObsoleteFiles()
                if isExclusive { try bodies.removeOrphans() }
            }
        }
        return result
    }

    /// Removes exchanges, and the bodies and names that no other exchange uses; requires a
    /// transaction.
    func remove(_ numbers: [Int64], _ bodies: BodyTable) throws {
        guard !numbers.isEmpty else { return }
        let removal = try connection.cached(
            "DELETE FROM exchanges WHERE seq = ?1 RETURNING id, request_body, response_body"
        )
        let ended = try connection.cached("DELETE FROM active WHERE id = ?1")
        var used: Set<Int64> = []
        for number in numbers {
            defer { removal.reset() }
            try removal.bind(1, integer: number)
            guard try removal.step() else { continue }
            let id = removal.blob(0)
            for column: Int32 in 1...2 where removal.type(column) == .integer {
                used.insert(removal.integer(column))
            }
            _ = try removal.step()
            try ended.bind(1, blob: id.span)
            try ended.run()
        }
        try bodies.removeUnused(among: used)
        for (table, column) in [("hosts", "host"), ("paths", "path")] {
            try connection.execute(
                "DELETE FROM \(table) WHERE id NOT IN (SELECT DISTINCT \(column) FROM exchanges)"
            )
        }
    }

    // MARK: Retention

    /// Removes the oldest exchanges until the limits hold, as the retention of the sink does.
    ///
    /// - Parameters:
    ///   - limits: The limits.
    ///   - now: The current time.
    /// - Returns: How many exchanges were removed, and how many are left.
    /// - Throws: `StoreError`; nothing is removed then.
    package func prune(
        _ limits: PruneLimits,
        now: Timestamp
    ) throws -> (removed: Int, left: Int) {
        try change { bodies in
            let before = try count()
            try remove(try surplus(limits, now, of: before).sorted(), bodies)
            if let bytes = limits.bytes {
                while let surplus = try excess(over: bytes) {
                    try remove(try oldest(surplus).sorted(), bodies)
                }
            }
            let left = try count()
            return (before - left, left)
        }
    }

    /// Returns what `prune` would do, and changes nothing.
    ///
    /// - Parameters:
    ///   - limits: The limits.
    ///   - now: The current time.
    /// - Returns: How many exchanges would be removed, and how many would be left; with a limit of
    ///   bytes an estimate by their mean size.
    /// - Throws: `StoreError`.
    package func prunePreview(
        _ limits: PruneLimits,
        now: Timestamp
    ) throws -> (removed: Int, left: Int) {
        try naming {
            try connection.transaction(.deferred) {
                let before = try count()
                var removed = try surplus(limits, now, of: before).count
                if let bytes = limits.bytes { removed = max(removed, try excess(over: bytes) ?? 0) }
                return (removed, before - removed)
            }
        }
    }

    /// The numbers of the exchanges beyond the limits of count and age.
    private func surplus(
        _ limits: PruneLimits,
        _ now: Timestamp,
        of total: Int
    ) throws -> Set<Int64> {
        var numbers: Set<Int64> = []
        if let count = limits.count { numbers = try oldest(total - count) }
        if let age = limits.age {
            let (cutoff, isBeyond) = now.microseconds.subtractingReportingOverflow(age.count)
            if !isBeyond { numbers.formUnion(try started(before: cutoff)) }
        }
        return numbers
    }

    private func count() throws -> Int {
        Int(clamping: try connection.integer("SELECT count(*) FROM exchanges") ?? 0)
    }

    /// The numbers of the exchanges that were written first.
    private func oldest(_ count: Int) throws -> Set<Int64> {
        guard count > 0 else { return [] }
        let query = try connection.cached("SELECT seq FROM exchanges ORDER BY seq LIMIT ?1")
        try query.bind(1, integer: Int64(count))
        return try numbers(query)
    }

    private func started(before cutoff: Int64) throws -> Set<Int64> {
        let query = try connection.cached("SELECT seq FROM exchanges WHERE started < ?1")
        try query.bind(1, integer: cutoff)
        return try numbers(query)
    }

    private func numbers(_ query: SQLiteStatement) throws -> Set<Int64> {
        defer { query.reset() }
        var numbers: Set<Int64> = []
        while try query.step() { numbers.insert(query.integer(0)) }
        return numbers
    }

    /// How many exchanges have to go until a size is reached, by their mean size; `nil` if it is.
    private func excess(over bytes: Int) throws -> Int? {
        let pages =
            (try connection.integer("PRAGMA page_count") ?? 0)
            - (try connection.integer("PRAGMA freelist_count") ?? 0)
        let bodyFiles = BodyFiles(database: path)
        let files = try BodyFileSizes.total(connection) { hash in
            Digest(hash).map { bodyFiles.size(of: $0) } ?? 0
        }
        let used = pages * (try connection.integer("PRAGMA page_size") ?? 0) + files
        let total = try count()
        guard used > Int64(bytes), total > 0 else { return nil }
        // A page is free only when it is empty, so the target is below the limit.
        let share = Double(used - Int64(bytes) / 16 * 15) / Double(used)
        return min(total, Int(Double(total) * share) + 1)
    }
}

/// What a database may keep; `nil` values set no limit.
package struct PruneLimits: Sendable {
    /// The maximum number of exchanges.
    package var count: Int?
    /// How long ago an exchange may have begun.
    package var age: Microseconds?
    /// The maximum size of used pages and body files.
    package var bytes: Int?

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - count: The maximum number of exchanges.
    ///   - age: How long ago an exchange may have begun.
    ///   - bytes: The maximum size of used pages and body files.
    package init(count: Int? = nil, age: Microseconds? = nil, bytes: Int? = nil) {
        self.count = count
        self.age = age
        self.bytes = bytes
    }
}
