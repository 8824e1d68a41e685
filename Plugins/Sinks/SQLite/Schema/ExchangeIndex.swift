// SPDX-License-Identifier: MIT

internal import TaplineSQL

/// An index on the exchanges, enabled by an option.
struct ExchangeIndex: Sendable, Equatable {
    /// The name in the configuration.
    let name: String
    private let columns: String
    private let condition: String?
    /// The index's row of `sqlite_stat1`, if the planner needs one.
    private let statistics: String?

    private init(
        _ name: String,
        _ columns: String,
        where condition: String? = nil,
        statistics: String? = nil
    ) {
        self.name = name
        self.columns = columns
        self.condition = condition
        self.statistics = statistics
    }

    /// An index on a column whose keys come in random order and are looked up by value.
    ///
    /// In an index on the column alone, each row dirties a page of its own once the index has more
    /// pages than a transaction has rows. Here the key begins with the number of a partition of
    /// 65,536 rows. New keys all go to the last partition, whose few hundred pages stay in the
    /// cache and are written once for each transaction. Earlier partitions change only when
    /// retention removes their rows, which it does in order of `seq`.
    ///
    /// A search visits each partition in turn (a skip-scan, https://sqlite.org/optoverview.html
    /// section 6), which takes about 10 µs. SQLite chooses it only if `sqlite_stat1` has a row that
    /// says how many rows a partition has; that row is written here, as for 2^20 exchanges.
    private static func partitioned(
        _ column: String,
        where condition: String? = nil
    ) -> ExchangeIndex {
        ExchangeIndex(
            column,
            "seq >> 16, \(column)",
            where: condition,
            statistics: "1048576 65536 1"
        )
    }

    static let standard = [
        ExchangeIndex("host", "host, path"),
        ExchangeIndex("status", "status", where: "status IS NOT NULL"),
        ExchangeIndex("state", "state", where: "state <> 'completed'"),
        partitioned("correlation", where: "correlation IS NOT NULL"),
    ]

    static let selectable =
        standard + [
            ExchangeIndex("path", "path, host"),
            partitioned("target"),
            ExchangeIndex("method", "method"),
            ExchangeIndex("started", "started"),
            ExchangeIndex("duration", "total_us", where: "total_us IS NOT NULL"),
            ExchangeIndex("request_size", "request_size", where: "request_size IS NOT NULL"),
            ExchangeIndex("response_size", "response_size", where: "response_size IS NOT NULL"),
            partitioned("client", where: "client IS NOT NULL"),
            ExchangeIndex("server", "server", where: "server IS NOT NULL"),
            ExchangeIndex("source", "source"),
            ExchangeIndex("error", "error_code", where: "error_code IS NOT NULL"),
        ]

    /// Finds the users of a body: kept if retention removes bodies with their exchanges.
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

    /// Creates the configured indexes that are missing or differ in definition, and drops Tapline's
    /// other indexes.
    ///
    /// Indexes created by others are kept. Requires a transaction.
    /// - Returns: The changes.
    static func synchronize(
        _ wanted: [ExchangeIndex],
        in connection: SQLiteConnection
    ) throws -> [String] {
        let present = try definitions(in: connection)
        var changes: [String] = []
        for index in selectable + bodies {
            let definition = present[index.indexName]
            if let definition, !wanted.contains(index) || definition != index.definition {
                try connection.execute("DROP INDEX \(index.indexName)")
                changes.append("dropped \(index.indexName)")
            }
            if wanted.contains(index), definition != index.definition {
                try connection.execute(index.definition)
                changes.append("made \(index.indexName)")
            }
        }
        try writeStatistics(of: wanted, in: connection)
        return changes
    }

    /// The indexes of the database and the statements that created them.
    private static func definitions(in connection: SQLiteConnection) throws -> [String: String] {
        var definitions: [String: String] = [:]
        let query = try connection.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'index'"
        )
        while try query.step() { definitions[query.text(0) ?? ""] = query.text(1) ?? "" }
        return definitions
    }

    /// Writes the rows of `sqlite_stat1` that the planner needs.
    ///
    /// Statistics gathered by ANALYZE are kept if they have the same effect. Statistics gathered
    /// while the database was small would make each search read the whole table once it is large;
    /// then all statistics of the table are removed.
    private static func writeStatistics(
        of indexes: [ExchangeIndex],
        in connection: SQLiteConnection
    ) throws {
        let indexes = indexes.filter { $0.statistics != nil }
        guard !indexes.isEmpty else { return }
        if try !connection.hasTable("sqlite_stat1") {
            // Creates the table and gathers nothing: ANALYZE skips the tables of SQLite itself.
            try connection.execute("ANALYZE sqlite_schema")
        }
        var present: [String: String] = [:]
        let query = try connection.prepare("SELECT idx, stat FROM sqlite_stat1 WHERE idx NOT NULL")
        while try query.step() { present[query.text(0) ?? ""] = query.text(1) ?? "" }
        query.reset()
        if indexes.contains(where: { present[$0.indexName].map(isOfSmallTable) ?? false }) {
            try connection.execute("DELETE FROM sqlite_stat1 WHERE tbl = 'exchanges'")
            present.removeAll()
        }
        let insertion = try connection.prepare(
            "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('exchanges', ?1, ?2)"
        )
        for index in indexes where present[index.indexName] == nil {
            try insertion.bind(1, text: index.indexName)
            try insertion.bind(2, text: index.statistics ?? "")
            try insertion.run()
        }
    }

    /// Returns whether statistics give partitions too few rows for a skip-scan.
    private static func isOfSmallTable(_ statistics: String) -> Bool {
        let numbers = statistics.split(separator: " ").map { Int($0) ?? 0 }
        return numbers.count < 2 || numbers[1] < 1024
    }
}
