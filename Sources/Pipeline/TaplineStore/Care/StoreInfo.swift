// SPDX-License-Identifier: MIT

package import TaplineModel
internal import TaplineSQL
internal import TaplineSystem

/// What a database contains, and how much space it takes, in bytes.
package struct StoreInfo: Sendable {
    /// The tables that take space.
    package enum Kind: String, CaseIterable, Sendable {
        case rows
        case bodies
        case indexes
        case annotations = "notes, tags and filters"
        case other
    }

    /// What is stored of the requests to one host.
    package struct Host: Sendable, Equatable {
        /// Scheme and authority, as sent.
        package let name: [UInt8]
        package let exchanges: Int
        /// Targets, fields, messages and everything else that rows have, except bodies.
        package let heads: Int
        /// Kept bodies; one that several exchanges have is counted for each of them.
        package let bodies: Int
    }

    /// The version of the schema.
    package internal(set) var schema = 0
    package internal(set) var exchanges = 0
    /// When the first exchange began; `nil` if there is none.
    package internal(set) var first: Timestamp?
    /// When the last exchange began; `nil` if there is none.
    package internal(set) var last: Timestamp?
    /// The size of the database without its log.
    package internal(set) var database = 0
    /// The part of the database that is free; compacting removes it.
    package internal(set) var free = 0
    package internal(set) var log = 0
    /// The number and size of the bodies that are files.
    package internal(set) var files = (count: 0, bytes: 0)
    /// The full-text index next to the database, without a check of its content; `nil` if there is
    /// none.
    package internal(set) var textIndex: TextIndex.Status?
    /// The size by kind; empty if SQLite was built without the table `dbstat`.
    package internal(set) var kinds: [(kind: Kind, bytes: Int)] = []
    /// The hosts, largest first.
    package internal(set) var hosts: [Host] = []
}

extension StoreCare {
    /// Measures the database; reads all of it.
    ///
    /// - Returns: The sizes.
    /// - Throws: `StoreError` if the database cannot be read.
    package func info() throws -> StoreInfo {
        var info = StoreInfo()
        try reader.snapshot {
            let connection = reader.connection
            func number(_ sql: String) throws(SQLiteError) -> Int {
                Int(clamping: try connection.integer(sql) ?? 0)
            }
            func moment(_ sql: String) throws(SQLiteError) -> Timestamp? {
                try connection.integer(sql).map { Timestamp(microseconds: $0) }
            }
            info.schema = reader.schema
            info.exchanges = try number("SELECT count(*) FROM exchanges")
            info.first = try moment("SELECT min(started) FROM exchanges")
            info.last = try moment("SELECT max(started) FROM exchanges")
            let page = try number("PRAGMA page_size")
            info.database = page * (try number("PRAGMA page_count"))
            info.free = page * (try number("PRAGMA freelist_count"))
            info.kinds = try kinds()
            info.hosts = try hosts()
        }
        info.log = (try? FileSystem.status(of: path + "-wal"))?.size ?? 0
        try forEachFile { path, _, _ in
            guard let status = try FileSystem.status(of: path) else { return }
            info.files.count += 1
            info.files.bytes = info.files.bytes.addingClamped(status.size)
        }
        info.textIndex = try TextIndex.status(path)
        return info
    }

    /// The size of each kind (https://sqlite.org/dbstat.html).
    private func kinds() throws -> [(kind: StoreInfo.Kind, bytes: Int)] {
        guard
            let query = try? reader.connection.prepare(
                """
                SELECT d.name, s.type, d.pgsize FROM dbstat d
                  LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE
                """
            )
        else { return [] }
        var sizes: [StoreInfo.Kind: Int] = [:]
        while try query.step() {
            let kind: StoreInfo.Kind =
                switch (query.text(0) ?? "", query.text(1)) {
                case ("exchanges", _): .rows
                case ("bodies", _): .bodies
                case ("notes", _), ("tags", _), ("filters", _): .annotations
                case ("body_index", _), (_, "index"?): .indexes
                default: .other
                }
            sizes[kind] = (sizes[kind] ?? 0).addingClamped(Int(clamping: query.integer(2)))
        }
        return StoreInfo.Kind.allCases.compactMap { kind in
            sizes[kind].map { (kind: kind, bytes: $0) }
        }
    }

    private func hosts() throws -> [StoreInfo.Host] {
        func bytes(_ column: String) -> String { "ifnull(length(CAST(e.\(column) AS BLOB)), 0)" }
        func body(_ column: String) -> String {
            """
            CASE typeof(e.\(column)) WHEN 'integer'
              THEN ifnull((SELECT size FROM bodies WHERE id = e.\(column)), 0)
              ELSE \(bytes(column)) END
            """
        }
        // The size in a damaged row may be any number; 'sum' would overflow.
        let heads = ["target", "tags", "fields", "extra"].map(bytes).joined(separator: " + ")
        let query = try reader.connection.prepare(
            """
            SELECT h.scheme, h.authority, g.exchanges, g.heads, g.bodies FROM (
              SELECT e.host AS host, count(*) AS exchanges, total(\(heads)) AS heads,
                  total(\(body("request_body")) + \(body("response_body"))) AS bodies
                FROM exchanges e GROUP BY e.host
              ) g LEFT JOIN hosts h ON h.id = g.host
              ORDER BY g.heads + g.bodies DESC, g.host
            """
        )
        var hosts: [StoreInfo.Host] = []
        while try query.step() {
            let scheme = query.blob(0)
            hosts.append(
                StoreInfo.Host(
                    name: (scheme.isEmpty ? [] : scheme + Array("://".utf8)) + query.blob(1),
                    exchanges: Int(clamping: query.integer(2)),
                    heads: Int(clamping: query.integer(3)),
                    bodies: Int(clamping: query.integer(4))
                )
            )
        }
        return hosts
    }
}
