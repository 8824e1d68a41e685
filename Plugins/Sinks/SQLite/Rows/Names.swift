// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL

/// Assigns the numbers by which rows refer to hosts and path templates.
final class Names {
    private static let cached = 16_384

    private let connection: SQLiteConnection
    private let maxTemplates: Int
    private var hosts = NameTable(limit: cached)
    private var paths = NameTable(limit: cached)
    private var templates = 0
    private var buffer: [UInt8] = []

    init(_ connection: SQLiteConnection, maxTemplates: Int) throws {
        self.connection = connection
        self.maxTemplates = maxTemplates
        try reload()
    }

    /// Discards the cached names: another process or a rollback may have changed the tables.
    func reload() throws {
        hosts.removeAll()
        paths.removeAll()
        templates = Int(try connection.integer("SELECT count(*) FROM paths") ?? 0)
    }

    /// Removes names that no row uses; requires a transaction.
    func removeUnused() throws {
        for (table, column) in [("hosts", "host"), ("paths", "path")] {
            try connection.execute(
                "DELETE FROM \(table) WHERE id NOT IN (SELECT DISTINCT \(column) FROM exchanges)"
            )
        }
        try reload()
    }

    /// The number of a request's scheme and authority.
    func host(of request: borrowing Request) throws -> Int64 {
        buffer.removeAll(keepingCapacity: true)
        buffer.append(copying: request.scheme.span)
        buffer.append(0)
        buffer.append(copying: request.authority.span)
        let key = buffer
        if let id = hosts.find(key.span) { return id }
        let query = try connection.cached(
            "SELECT id FROM hosts WHERE scheme = ?1 AND authority = ?2"
        )
        try query.bind(1, bytes: request.scheme.span)
        try query.bind(2, bytes: request.authority.span)
        let id = try firstInteger(query) ?? insertHost(of: request)
        hosts.insert(key.span, id)
        return id
    }

    private func insertHost(of request: borrowing Request) throws -> Int64 {
        let insert = try connection.cached(
            "INSERT INTO hosts (scheme, authority, host, port) VALUES (?1, ?2, ?3, ?4)"
        )
        var host = Array(copying: request.host.span)
        for index in host.indices { host[index] = host[index].asciiLowercased }
        defer { insert.reset() }
        try insert.bind(1, bytes: request.scheme.span)
        try insert.bind(2, bytes: request.authority.span)
        try insert.bind(3, bytes: host.span)
        try insert.bind(4, optional: request.port)
        try insert.run()
        return connection.lastInsertRowID
    }

    /// The number of a request's path template.
    func path(of request: borrowing Request) throws -> Int64 {
        PathTemplate.make(
            request.target.span.extracting(request.pathRange),
            into: &buffer
        )
        var template = buffer
        if let id = paths.find(template.span) { return id }
        var known = try findPath(template)
        if known == nil, templates >= maxTemplates {
            template = Array("**".utf8)
            known = try findPath(template)
        }
        let id = try known ?? insertPath(template)
        paths.insert(template.span, id)
        return id
    }

    private func findPath(_ template: [UInt8]) throws -> Int64? {
        let query = try connection.cached("SELECT id FROM paths WHERE template = ?1")
        try query.bind(1, bytes: template.span)
        return try firstInteger(query)
    }

    private func insertPath(_ template: [UInt8]) throws -> Int64 {
        let insert = try connection.cached("INSERT INTO paths (template) VALUES (?1)")
        defer { insert.reset() }
        try insert.bind(1, bytes: template.span)
        try insert.run()
        templates += 1
        return connection.lastInsertRowID
    }

    private func firstInteger(_ query: SQLiteStatement) throws -> Int64? {
        defer { query.reset() }
        return try query.step() ? query.integer(0) : nil
    }
}
