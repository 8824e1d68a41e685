// SPDX-License-Identifier: MIT

import TaplineModel
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
        ("SELECT * FROM traffic WHERE correlation = 'x'", "exchanges_by_correlation"),
        ("SELECT * FROM traffic WHERE host = 'shop.test'", "exchanges_by_host"),
        (
            "SELECT * FROM traffic WHERE host = 'shop.test' AND template = '/items/*'",
            "exchanges_by_host (host=? AND path=?)"
        ),
        ("SELECT * FROM exchanges WHERE id = x'00'", "exchanges_by_id"),
    ])
    func queriesUseThem(sql: String, index: String) throws {
        let sink = try SQLiteSink(path)
        _ = try sink.write(Exchanges.records(0..<100).map { $0 })
        try sink.close()
        #expect(try plan(sql).contains(index))
    }

    @Test func wantedOnesAreMadeOthersDropped() throws {
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
}
