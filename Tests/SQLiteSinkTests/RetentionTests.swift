// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSystem
import TestSupport
import Testing

@testable import SQLiteSink

@Suite struct RetentionTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private func write(
        _ numbers: Range<Int>,
        now: Int64 = Exchanges.start,
        batch: Int = 500,
        _ body: (Int) -> String = { Exchanges.text($0) },
        _ change: (inout SQLiteSinkSettings) -> Void
    ) throws {
        let sink = try SQLiteSink(path, at: now, change)
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: batch) {
            _ = try sink.write(
                Exchanges.records(start..<min(start + batch, numbers.upperBound), body: body)
            )
        }
        try sink.close()
    }

    private func count(_ table: String) throws -> Int? {
        Int(try Shell.query(path, "SELECT count(*) FROM \(table)"))
    }

    @Test func keepsTheNewest() throws {
        try write(0..<5000) {
            $0.retention.count = 700
            $0.mergeCount = 1000
        }
        #expect(
            try Shell.query(path, "SELECT count(*), min(seq), max(seq) FROM exchanges")
                == "700|4301|5000"
        )
        #expect(try count("bodies") == 700)
        try write(5000..<5001) {
            $0.retention.count = 10
            $0.mergeCount = 1
        }
        #expect(try count("exchanges") == 10)
        #expect(try count("paths") == 1)
        // The next merge removes these bodies from the index.
        try write(5001..<5002) {
            $0.retention.count = 10
            $0.mergeCount = 1
        }
        #expect(try count("body_index") == 11)
        #expect(try Shell.query(path, "PRAGMA integrity_check") == "ok")
    }

    @Test func usedBodiesAreKept() throws {
        try write(0..<3000, { Exchanges.text($0 % 3 == 0 ? -1 : $0) }) {
            $0.retention.count = 100
            $0.inlineBodyMax = 200
        }
        #expect(
            try Shell.query(
                path,
                """
                SELECT count(*), count(b.id), (SELECT count(*) FROM bodies)
                  FROM exchanges e JOIN bodies b ON b.id = e.response_body
                """
            ) == "100|100|\(100 - 100 / 3 + 1)"
        )
        #expect(
            try Shell.run("find '\(path)-bodies' -type f | wc -l")
                == Shell.query(path, "SELECT count(*) FROM body_files")
        )
    }

    @Test func removedBodyIsStoredAgain() throws {
        let sink = try SQLiteSink(path) { $0.retention.count = 10 }
        for _ in 0..<2 {
            _ = try sink.write(Exchanges.records(0..<1) { _ in Exchanges.text(-1) })
        }
        for start in stride(from: 1, to: 4001, by: 1000) {
            _ = try sink.write(Exchanges.records(start..<start + 1000) { Exchanges.text($0) })
        }
        _ = try sink.write(Exchanges.records(5000..<5001) { _ in Exchanges.text(-1) })
        try sink.close()
        #expect(
            try Shell.query(path, "SELECT response_body FROM traffic ORDER BY seq DESC LIMIT 1")
                == Exchanges.text(-1)
        )
    }

    @Test func oldExchangesAreRemoved() throws {
        try write(0..<2000, now: Exchanges.start + 1500) { $0.retention.age = Microseconds(500) }
        #expect(try Shell.query(path, "SELECT count(*), min(seq) FROM exchanges") == "1000|1001")
        try write(0..<0, now: Exchanges.start + 10_000_000) {
            $0.retention.age = Microseconds(500)
        }
        #expect(try count("exchanges") == 0)
        #expect(try count("bodies") == 0)
        #expect(try count("hosts") == 0)
    }

    @Test(arguments: [65_536, 200])
    func spaceIsBounded(inline: Int) throws {
        let limit = 1 << 19
        try write(0..<4000) {
            $0.retention.bytes = limit
            $0.inlineBodyMax = inline
        }
        let used = try #require(
            Int(
                try Shell.query(
                    path,
                    """
                    SELECT (p.page_count - f.freelist_count) * 8192
                      + (SELECT coalesce(sum(size), 0) FROM body_files)
                      FROM pragma_page_count p, pragma_freelist_count f
                    """
                )
            )
        )
        #expect(used <= limit)
        #expect(used > limit / 2)
        let size = try #require(try FileSystem.status(of: path)?.size)
        #expect(size < 4 * limit)
    }

    @Test(arguments: [Int64.max, -1])
    func damagedSizesDoNotCount(size: Int64) throws {
        try write(0..<10) { $0.inlineBodyMax = 200 }
        #expect(try Shell.execute(path, "UPDATE bodies SET size = \(size)") == "")
        try write(10..<20) {
            $0.inlineBodyMax = 200
            $0.retention.bytes = 1 << 30
        }
        #expect(try count("exchanges") == 20)
        try write(20..<21) {
            $0.inlineBodyMax = 200
            $0.retention.bytes = 1 << 30
            $0.retention.count = 5
        }
        #expect(try count("exchanges") == 5)
        #expect(try Shell.run("find '\(path)-bodies' -type f | wc -l") == "5")
    }

    @Test func indexesOnBodiesFollowRetention() throws {
        let query = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'exchanges_by_%_body'"
        try write(0..<10) { _ in }
        #expect(try Shell.query(path, query) == "0")
        try write(10..<20) { $0.retention.count = 5 }
        #expect(try Shell.query(path, query) == "2")
        #expect(try count("bodies") == 5)
        try write(20..<30) { _ in }
        #expect(try Shell.query(path, query) == "0")
    }
}
