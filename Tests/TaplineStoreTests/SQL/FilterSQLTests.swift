// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineSQL
import TestSupport
import Testing

@testable import TaplineStore

/// A filter means the same in memory and in SQL.
@Suite struct FilterSQLTests {
    private static let count = Rounds.count(3000, long: 100_000)

    @Test(arguments: [10_000, 3])
    func memoryAndSQLAgree(pathTemplates: Int) throws {
        var random = Random(seed: UInt64(pathTemplates))
        let exchanges = try (0..<200).map { try RandomExchange.make($0, &random) }
        let store = try SQLStore(exchanges, pathTemplates: pathTemplates)
        var rows = 0
        var decided = 0
        var failures = 0
        for _ in 0..<Self.count / 2 {
            let text = RandomFilter.make(&random, depth: 3)
            let filter = try parse(text)
            let condition = RowCondition(filter)
            let (found, undecided) = try store.matches(condition)
            rows += exchanges.count
            decided += exchanges.count - undecided
            let expected = store.matches(inMemory: filter)
            guard found != expected else { continue }
            let missing = Set(expected).subtracting(found).sorted().prefix(3)
            let extra = Set(found).subtracting(expected).sorted().prefix(3)
            Issue.record("\(text): SQL lacks \(missing) and has \(extra), seed \(pathTemplates)")
            failures += 1
            if failures == 10 { break }
        }
        // SQL decides most rows, so the test is not one of the residue only.
        #expect(decided * 10 > rows * 6)
    }

    @Test(arguments: [
        #"status >= 500"#, #"host == "h.test""#, #"method in ["GET", "POST"]"#,
        #"duration > 250ms and port == 443"#, #"client == "10.0.0.1:1""#, #"error exists"#,
        #"started > now - 15m"#, #"state != "completed""#, #"correlation == "a""#,
        #"not (status_class == "2xx" or request.size > 1MiB)"#, #"source like "pro*""#,
        #"id == "01930000-0000-7003-8000-000000000001""#, #"request.body exists"#,
        "note exists", #"note contains "a" and mark in ["red", "star"]"#, #"not mark like "r*""#,
    ])
    func columnsNeedNoResidue(text: String) throws {
        let condition = RowCondition(try parse(text))
        #expect(condition.residue == nil)
        #expect(condition.certainty == "1")
    }

    @Test(arguments: [
        (#"host == "h.test""#, "exchanges_by_host"),
        (#"status == 503 and path ~ "a""#, "exchanges_by_status"),
        (#"status >= 500 and any contains "x""#, "exchanges_by_status"),
        (#"state == "failed""#, "exchanges_by_state"),
        (#"correlation == "a""#, "exchanges_by_correlation"),
        (#"id in ["01930000-0000-7003-8000-000000000001"]"#, "exchanges_by_id"),
        (#"mark == "red""#, "INTEGER PRIMARY KEY (rowid=?)"),
        (#"note ~ "a" and any contains "b""#, "INTEGER PRIMARY KEY (rowid=?)"),
    ])
    func indexesAreUsed(text: String, index: String) throws {
        let store = try SQLStore([])
        let condition = RowCondition(try parse(text))
        let plan = try store.connection.prepare(
            "EXPLAIN QUERY PLAN SELECT e.seq FROM exchanges e WHERE \(condition.sql)"
        )
        try condition.bind(to: plan)
        var lines: [String] = []
        while try plan.step() { lines.append(plan.text(3) ?? "") }
        #expect(lines.contains { $0.contains(index) }, "\(lines)")
    }

    @Test func noValueIsSpliced() throws {
        let condition = RowCondition(
            try parse(
                #"""
                host == "'; DROP TABLE exchanges; --" and any contains "planted?1"
                and tag["planted"] == "planted" and request.header["planted"] like "*planted*a*"
                and status == 31337 and query["planted"] exists
                """#
            )
        )
        for part in ["DROP", "planted", "31337", "'; "] {
            #expect(!condition.sql.contains(part))
            #expect(!condition.certainty.contains(part))
        }
        #expect(try SQLStore([]).matches(condition).positions.isEmpty)
    }

    @Test func constantsAreFolded() throws {
        #expect(RowCondition(try parse(#"env["NONE"] exists and status == 1"#)).isNever)
        let always = RowCondition(try parse(#"env["E"] == "a" or path ~ "a""#))
        #expect(always.sql == "1")
        #expect(always.residue == nil)
    }

    /// SQLite limits the depth of expressions, the parser's stack, the text and the parameters.
    @Test func filtersAtTheLimitsCompile() throws {
        let store = try SQLStore([])
        let fields = ["status == 5", #"any contains "a""#, #"tag["a"] != "b""#, "duration > 1ms"]
        for field in fields {
            for word in [" and ", " or "] {
                let wide = Array(repeating: field, count: 3000).joined(separator: word)
                _ = try store.matches(RowCondition(try parse(wide)))
            }
            var deep = field
            for level in 0..<48 {
                deep = level % 2 == 0 ? "(not \(deep) or port == 1)" : "(port == 2 and \(deep))"
            }
            _ = try store.matches(RowCondition(try parse(deep)))
            var leaning = field
            for level in 0..<90 {
                leaning = "(\(leaning)\(level % 2 == 0 ? " or " : " and ")port == 1)"
            }
            _ = try store.matches(RowCondition(try parse(leaning)))
        }
        let values = Array(repeating: #""a""#, count: 15_000).joined(separator: ",")
        _ = try store.matches(RowCondition(try parse("source in [\(values)]")))
    }

    @Test func templatesOfAnOlderSchemaAreLeftToMemory() throws {
        let filter = try parse(#"route == "/users/{id}""#)
        #expect(RowCondition(filter, schema: 1).sql == "1")
        #expect(RowCondition(filter, schema: 1).residue != nil)
        let notes = RowCondition(try parse("note exists"), schema: 2)
        #expect(!notes.sql.contains("notes n"))
        #expect(notes.residue != nil)
        #expect(RowCondition(filter).sql.contains("template"))
    }
}
