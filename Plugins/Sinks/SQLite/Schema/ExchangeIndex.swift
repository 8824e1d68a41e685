// SPDX-License-Identifier: MIT

internal import TaplineSQL

/// An index on the exchanges that is kept or left out by option.
struct ExchangeIndex: Sendable, Equatable {
    /// The word in the configuration.
    let name: String
    private let columns: String
    private let condition: String?

    private init(_ name: String, _ columns: String, where condition: String? = nil) {
        self.name = name
        self.columns = columns
        self.condition = condition
    }

    static let standard = [
        ExchangeIndex("host", "host, path"),
        ExchangeIndex("status", "status", where: "status IS NOT NULL"),
        ExchangeIndex("state", "state", where: "state <> 'completed'"),
        ExchangeIndex("correlation", "correlation", where: "correlation IS NOT NULL"),
    ]

    static let selectable =
        standard + [
            ExchangeIndex("path", "path, host"),
            ExchangeIndex("target", "target"),
            ExchangeIndex("method", "method"),
            ExchangeIndex("started", "started"),
            ExchangeIndex("duration", "total_us", where: "total_us IS NOT NULL"),
            ExchangeIndex("request_size", "request_size", where: "request_size IS NOT NULL"),
            ExchangeIndex("response_size", "response_size", where: "response_size IS NOT NULL"),
            ExchangeIndex("client", "client", where: "client IS NOT NULL"),
            ExchangeIndex("server", "server", where: "server IS NOT NULL"),
            ExchangeIndex("source", "source"),
            ExchangeIndex("error", "error_code", where: "error_code IS NOT NULL"),
        ]

    /// Who uses a body: kept where bodies have to go with their exchanges.
    static let bodies = [
        ExchangeIndex("request_body", "request_body", where: "typeof(request_body) = 'integer'"),
        ExchangeIndex("response_body", "response_body", where: "typeof(response_body) = 'integer'"),
    ]

    /// The name in the database.
    var indexName: String { "exchanges_by_\(name)" }

    private var definition: String {
        "CREATE INDEX \(indexName) ON exchanges (\(columns))"
            + (condition.map { " WHERE \($0)" } ?? "")
    }

    /// Makes the wanted ones that are missing and drops the others of ours.
    ///
    /// What somebody else has made stays. Says what it changed.
    static func synchronize(
        _ wanted: [ExchangeIndex],
        in connection: SQLiteConnection
    ) throws -> [String] {
        var present: Set<String> = []
        let query = try connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'index'")
        while try query.step() { present.insert(query.text(0) ?? "") }
        query.reset()
        var changes: [String] = []
        for index in selectable + bodies {
            let isThere = present.contains(index.indexName)
            if wanted.contains(index), !isThere {
                try connection.execute(index.definition)
                changes.append("made \(index.indexName)")
            } else if !wanted.contains(index), isThere {
                try connection.execute("DROP INDEX \(index.indexName)")
                changes.append("dropped \(index.indexName)")
            }
        }
        return changes
    }
}
