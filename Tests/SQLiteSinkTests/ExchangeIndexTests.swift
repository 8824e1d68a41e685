// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import SQLiteSink

@Suite struct ExchangeIndexTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private func plan(_ sql: String) throws -> String {
        try Shell.query(path, "EXPLAIN QUERY PLAN \(sql)")
    }

    @Test(arguments: [
        ("SELECT count(*) FROM exchanges WHERE status = 500", "exchanges_by_status"),
        ("SELECT * FROM traffic WHERE status BETWEEN 500 AND 599", "exchanges_by_status"),
        ("SELECT * FROM traffic WHERE state <> 'completed'", "exchanges_by_state"),
        (
            "SELECT * FROM traffic WHERE correlation = 'x'",
            "exchanges_by_correlation (ANY(<expr>) AND correlation=?)"
        ),
        (
            "SELECT * FROM traffic WHERE host = 'shop.test' AND correlation = 'x'",
            "exchanges_by_correlation (ANY(<expr>) AND correlation=?)"
        ),
        (
            "SELECT * FROM exchanges WHERE target = '/a'",
            "exchanges_by_target (ANY(<expr>) AND target=?)"
        ),
        (
            "SELECT * FROM traffic WHERE client = '127.0.0.1:80'",
            "exchanges_by_client (ANY(<expr>) AND client=?)"
        ),
        ("SELECT * FROM traffic WHERE host = 'shop.test'", "exchanges_by_host"),
        (
            "SELECT * FROM traffic WHERE host = 'shop.test' AND template = '/items/{id}'",
            "exchanges_by_host (host=? AND path=?)"
        ),
        ("SELECT * FROM exchanges WHERE id = x'00'", "exchanges_by_id"),
    ])
    func queriesUseTheIndexes(sql: String, index: String) throws {
        let sink = try SQLiteSink(path) {
            $0.indexes += ExchangeIndex.selectable.filter {
                ["target", "client"].contains($0.name)
            }
        }
        _ = try sink.write(Exchanges.records(0..<100).map { $0 })
        try sink.close()
        #expect(try plan(sql).contains(index))
    }

    @Test func configuredIndexesAreCreatedAndOthersDropped() throws {
        let names = """
            SELECT replace(group_concat(name), 'exchanges_by_', '') FROM (SELECT name
              FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'exchanges' ORDER BY name)
            """
        try SQLiteSink(path).close()
        #expect(try Shell.query(path, names) == "correlation,host,id,state,status")
        _ = try Shell.execute(path, "CREATE INDEX mine ON exchanges (reason)")
        try SQLiteSink(path) {
            $0.indexes = ExchangeIndex.selectable.filter { ["host", "duration"].contains($0.name) }
        }.close()
        #expect(try Shell.query(path, names) == "duration,host,id,mine")
        try SQLiteSink(path) { $0.indexes = ExchangeIndex.selectable }.close()
        #expect(
            try Shell.query(
                path,
                "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'exchanges_by_%'"
            )
                == "\(ExchangeIndex.selectable.count + 1)"
        )
    }

    /// Writes rows with random correlation ids, faster than the sink does.
    private func fill(_ count: Int) throws {
        let rows = """
            INSERT OR IGNORE INTO hosts VALUES (1, 'http', 'a.test', 'a.test', 80);
            INSERT OR IGNORE INTO paths VALUES (1, '/');
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO exchanges (seq, id, started, source, state, method, host, path, target,
                version, fields, correlation)
              SELECT i, CAST(char(1) || printf('%015d', i) AS BLOB), i, 'fill', 'completed', 'GET',
                1, 1, '/', 'HTTP/1.1', '{}', lower(hex(randomblob(16))) FROM n
            """
        #expect(try Shell.execute(path, rows).isEmpty)
    }

    /// The pages that a batch of records writes.
    private func pages(_ records: [Record], _ sink: SQLiteSink) throws -> Int {
        _ = try Shell.execute(path, "PRAGMA wal_checkpoint(TRUNCATE)")
        _ = try sink.write(records)
        return Int(try #require(try FileSystem.status(of: path + "-wal")?.size)) / (8192 + 24)
    }

    private func requestID(_ number: Int) -> String {
        String(UInt64(number) &* 0x9E37_79B9_7F4A_7C15, radix: 16)
    }

    private func records(
        _ numbers: Range<Int>,
        hasIDs: Bool = true,
        clients: Int = 0
    ) throws -> [Record] {
        try numbers.map {
            var exchange = Exchanges.make($0)
            exchange.request.fields.append(
                name: hasIDs ? "X-Request-Id" : "X-Forwarded",
                value: requestID($0)
            )
            if $0 < clients { exchange.connection.client = "127.0.0.1:\(40_000 + $0)" }
            return try Exchanges.seal(exchange)
        }
    }

    @Test("random keys write few pages, however many rows there are")
    func randomKeysWriteFewPages() throws {
        try SQLiteSink(path).close()
        try fill(400_000)
        let sink = try SQLiteSink(path)
        let without = try pages(records(0..<1000, hasIDs: false), sink)
        let with = try pages(records(1000..<2000), sink)
        try sink.close()
        #expect(without > 10)
        #expect(with - without < 100)
        let query = "SELECT seq FROM traffic WHERE correlation = '\(requestID(1500))'"
        #expect(try Shell.query(path, query) == "401501")
    }

    @Test("ids of all partitions are found, and are removed with their rows")
    func idsAreRemovedWithTheirRows() throws {
        try SQLiteSink(path).close()
        try fill(70_000)
        let samples = "SELECT correlation FROM exchanges WHERE seq % 9973 = 1"
        let ids = try Shell.query(path, samples).split(separator: "\n")
        #expect(ids.count == 8)
        let list = ids.map { "'\($0)'" }.joined(separator: ",")
        let found = "SELECT count(*) FROM traffic WHERE correlation IN (\(list))"
        #expect(try Shell.query(path, found) == "8")
        let sink = try SQLiteSink(path) { $0.retention.count = 100 }
        _ = try sink.write(records(0..<35_000, hasIDs: false))
        try sink.close()
        #expect(try Shell.query(path, found) == "0")
        for id in ids.prefix(3) {
            #expect(try Shell.run("cat '\(path)'* | grep -caF '\(id)'") == "0")
        }
        #expect(try Shell.query(path, "PRAGMA integrity_check") == "ok")
    }

    @Test("an index of an earlier version is created again")
    func earlierDefinitionIsReplaced() throws {
        let sink = try SQLiteSink(path)
        _ = try sink.write(records(1..<101))
        try sink.close()
        _ = try Shell.execute(
            path,
            """
            DROP INDEX exchanges_by_correlation; DROP TABLE IF EXISTS sqlite_stat1;
            CREATE INDEX exchanges_by_correlation ON exchanges (correlation)
              WHERE correlation IS NOT NULL
            """
        )
        try SQLiteSink(path).close()
        let query = "SELECT seq FROM traffic WHERE correlation = '\(requestID(7))'"
        #expect(try plan(query).contains("(ANY(<expr>) AND correlation=?)"))
        #expect(try Shell.query(path, query) == "7")
        #expect(try Shell.query(path, "SELECT count(*) FROM exchanges") == "100")
    }

    @Test(
        "statistics gathered by ANALYZE lead to an index search or are removed",
        arguments: [(3, 3), (2000, 2000), (2000, 3)]
    )
    func gatheredStatistics(rows: Int, clients: Int) throws {
        let chosen = ExchangeIndex.selectable.filter {
            ["correlation", "target", "client"].contains($0.name)
        }
        let sink = try SQLiteSink(path) { $0.indexes = chosen }
        _ = try sink.write(records(0..<rows, clients: clients))
        try sink.close()
        _ = try Shell.execute(path, "ANALYZE")
        let gathered = "SELECT count(*) FROM sqlite_stat1 WHERE idx = 'exchanges_by_id'"
        #expect(try Shell.query(path, gathered) == "1")
        try SQLiteSink(path) { $0.indexes = chosen }.close()
        #expect(try Shell.query(path, gathered) == (clients == 3 ? "0" : "1"))
        for column in ["correlation", "client"] {
            let plan = try plan("SELECT seq FROM exchanges WHERE \(column) = 'x'")
            #expect(plan.contains("(ANY(<expr>) AND \(column)=?)"))
        }
        let others = "SELECT count(*) FROM sqlite_stat1 WHERE tbl <> 'exchanges'"
        #expect(try Shell.query(path, others) != "0")
    }
}
