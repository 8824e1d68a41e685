// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineModel
internal import TaplineSQL
internal import TaplineStoreSchema
internal import TaplineSystem

/// How much of a database was checked, and how many problems it has.
package struct StoreVerification: Sendable, Equatable {
    /// The rows that were read.
    package internal(set) var exchanges = 0
    /// The bodies whose hash was computed.
    package internal(set) var bodies = 0
    /// The files in the folder of bodies.
    package internal(set) var files = 0
    package internal(set) var problems = 0
    /// What the full-text index is; `nil` if there is none.
    ///
    /// Only a damaged one is a problem.
    package internal(set) var textIndex: TextIndex.Status.Condition?
}

extension StoreCare {
    /// How many problems SQLite reports at most.
    private static let maxReports = 100
    /// How many bodies one transaction reads.
    private static let pageBodies = 256
    /// Files that are newer may belong to a row that a writer has not committed yet.
    private static let settled: Int64 = 60_000_000

    /// Checks the database: the structure of the file, references between rows, each row, the hash
    /// of each body, the files of bodies, and the full-text index.
    ///
    /// A writer may be active at the same time.
    ///
    /// - Parameter report: Receives a message for each problem; of some kinds only the first ones.
    /// - Returns: What was checked.
    /// - Throws: `StoreError` if the database cannot be read at all.
    package func verify(_ report: @escaping (String) -> Void) throws -> StoreVerification {
        var result = StoreVerification()
        func add(_ message: String, count: Int = 1) {
            result.problems += count
            report(message)
        }
        var damage = ""
        func check(_ step: () throws -> Void) throws {
            do {
                try step()
            } catch let error as StoreError where error.code == .damaged {
                // The next step may read other parts, or find the same damage.
                if error.description != damage { add(error.description) }
                damage = error.description
            }
        }
        try check { try verifyStructure { add($0) } }
        try check { try verifyReferences { add($0, count: $1) } }
        try check {
            try verifyRows(report) { rows, problems in
                result.exchanges = rows
                result.problems += problems
            }
        }
        try check { try verifyBodies({ add($0) }, count: { result.bodies = $0 }) }
        try check { result.files = try verifyFiles { add($0) } }
        try check {
            guard let index = try TextIndex.verifiedStatus(path) else { return }
            result.textIndex = index.condition
            guard index.condition == .damaged else { return }
            add("the full-text index '\(index.path)' is damaged; build it again")
        }
        return result
    }

    /// Runs SQLite's own check (https://sqlite.org/pragma.html#pragma_integrity_check).
    private func verifyStructure(_ report: (String) -> Void) throws {
        try reader.snapshot {
            let check = try reader.connection.prepare(
                "PRAGMA integrity_check(\(Self.maxReports))"
            )
            while try check.step() {
                if let text = check.text(0), text != "ok" { report("SQLite: \(text)") }
            }
        }
    }

    /// Finds rows that refer to rows that do not exist.
    private func verifyReferences(_ report: (String, Int) -> Void) throws {
        try reader.snapshot {
            var missing: [[String]: Int] = [:]
            let check = try reader.connection.prepare("PRAGMA foreign_key_check")
            while try check.step() {
                missing[[check.text(0) ?? "", check.text(2) ?? ""], default: 0] += 1
            }
            for column in ["request_body", "response_body"] {
                let count = try reader.connection.integer(
                    """
                    SELECT count(*) FROM exchanges e WHERE typeof(e.\(column)) = 'integer'
                      AND NOT EXISTS (SELECT 1 FROM bodies b WHERE b.id = e.\(column))
                    """
                )
                if let count, count > 0 {
                    missing[["exchanges", "bodies"], default: 0] += Int(clamping: count)
                }
            }
            let sorted = missing.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            for (tables, count) in sorted {
                report(
                    "'\(tables[0])' refers \(count) times to rows of '\(tables[1])' that do not "
                        + "exist",
                    count
                )
            }
        }
    }

    /// Decodes each row without its bodies; `count` receives the numbers of rows and of problems.
    private func verifyRows(
        _ report: @escaping (String) -> Void,
        count: (Int, Int) -> Void
    ) throws {
        guard let store = try DatabaseStore(path, warn: report) else {
            throw StoreError(.damaged, "'\(path)' is no longer a database")
        }
        var rows = 0
        defer { count(rows, store.problems) }
        let query = StoreQuery(order: .oldestFirst, parts: [.tags, .fields, .extra])
        try store.scan(query) { _, _ in rows += 1 }
    }

    /// Compares the hash of each body; `count` receives their number.
    private func verifyBodies(_ report: (String) -> Void, count: (Int) -> Void) throws {
        let bodies = try reader.naming { try StoredBodies(reader.connection, path) }
        let page = try reader.naming {
            try reader.connection.prepare(
                "SELECT id, hash, content IS NULL FROM bodies WHERE id > ?1 ORDER BY id LIMIT ?2"
            )
        }
        var checked = 0
        defer { count(checked) }
        var last = Int64.min
        var isOver = false
        while !isOver {
            try reader.snapshot {
                defer { page.reset() }
                try page.bind(1, integer: last)
                try page.bind(2, integer: Int64(Self.pageBodies))
                isOver = true
                while try page.step() {
                    isOver = false
                    last = page.integer(0)
                    checked += 1
                    let digest = page.withBlob(1) { Digest($0) }
                    guard let bytes = try bodies.read(last) else {
                        report(
                            page.integer(2) != 0
                                ? "body \(last): its file is missing or has another size"
                                : "body \(last) cannot be read"
                        )
                        continue
                    }
                    if SHA256.hash(bytes.span) != digest {
                        report("body \(last) does not match its hash")
                    }
                }
            }
        }
    }

    /// Finds files of bodies that belong to no row.
    private func verifyFiles(_ report: (String) -> Void) throws -> Int {
        let query = try reader.naming {
            try reader.connection.prepare(
                "SELECT 1 FROM bodies WHERE hash = ?1 AND content IS NULL"
            )
        }
        var count = 0
        try forEachFile { path, name, group in
            count += 1
            let isKnown = try reader.snapshot {
                guard name.hasPrefix(group), let digest = BodyFiles.digest(name[...]) else {
                    return false
                }
                defer { query.reset() }
                try query.bind(1, blob: digest.bytes.span)
                return try query.step()
            }
            guard !isKnown, let status = try FileSystem.status(of: path) else { return }
            if status.modified < WallClock.microseconds - Self.settled {
                report("'\(path)' belongs to no row")
            }
        }
        return count
    }
}
