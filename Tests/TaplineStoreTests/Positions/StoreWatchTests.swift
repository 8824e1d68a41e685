// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSQL
import TaplineSystem
import TaplineTesting
import Testing
import TestSupport

@testable import TaplineStore

@Suite("A watch of stores")
struct StoreWatchTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What a watch notices: the number of exchanges, the head's number, and whether there are gaps.
    private func look(_ watch: StoreWatch) throws -> String {
        guard let head = try watch.look() else { return "nothing" }
        let gaps = head.parts.contains { !$0.isGapless } ? " with gaps" : ""
        return "\(head.count) up to \(head.number)\(gaps)"
    }

    private func open(_ path: String) throws -> StoreWatch { StoreWatch(try StoreSet([path])) }

    @Test("notices what is added to a database, and what is removed")
    func database() throws {
        let path = folder("traffic.db")
        try Written.database(Exchange.examples(10), at: path)
        let watch = try open(path)
        #expect(try look(watch) == "10 up to 10")
        #expect(try look(watch) == "nothing")
        try Written.database([.example(10), .example(11)], at: path)
        #expect(try look(watch) == "12 up to 12")
        let connection = try SQLiteConnection(path: path, options: SQLiteOptions(mode: .readWrite))
        try connection.execute("DELETE FROM exchanges WHERE seq < 4")
        #expect(try look(watch) == "9 up to 12")
        try connection.execute("DELETE FROM exchanges WHERE seq = 6")
        #expect(try look(try open(path)) == "8 up to 12 with gaps")
        try connection.execute("DELETE FROM exchanges")
        #expect(try look(watch) == "0 up to 0")
    }

    @Test("knows when the first and the last exchange began")
    func times() throws {
        let path = folder("traffic.db")
        try Written.database(Exchange.examples(10), at: path)
        let head = try open(path).look()
        #expect(head?.first == Exchange.example(0).started)
        #expect(head?.last == Exchange.example(9).started)
        let limited = head?.limited(to: 4).parts.first?.last
        #expect(limited == 4)
        let whole = head?.limited(to: 99).number
        #expect(whole == 10)
        let none = head?.limited(to: -5).number
        #expect(none == 0)
    }

    @Test("notices what is appended to a recording, and that it was replaced")
    func recording() throws {
        let path = folder("traffic.ndjson")
        try folder.write(Recorded.bytes(Exchange.examples(5)), to: "traffic.ndjson")
        let watch = try open(path)
        #expect(try look(watch) == "5 up to 5")
        #expect(try look(watch) == "nothing")
        let others = try Recorded.bytes(Exchange.examples(3))
        try File(path, for: .append).write(others.span)
        #expect(try look(watch) == "8 up to 8")
        try folder.write(others, to: "other.ndjson")
        try FileSystem.move(folder("other.ndjson"), to: path)
        #expect(try look(watch) == "3 up to 3")
    }

    @Test("counts a record of several recordings once")
    func recordedCopies() throws {
        let names = ["a.ndjson", "b.ndjson"]
        for name in names { try folder.write(Recorded.bytes(Exchange.examples(5)), to: name) }
        let stores = try StoreSet(
            names.map { folder($0) },
            countingOnce: ExchangeCopies(),
            comparesRecordings: true
        )
        let watch = StoreWatch(stores)
        #expect(try watch.look()?.parts.map(\.count) == [5, 0])
        let more = try Recorded.bytes(Exchange.examples(7))
        try File(folder("b.ndjson"), for: .append).write(more.span)
        #expect(try watch.look()?.parts.map(\.count) == [5, 2])
        try File(folder("a.ndjson"), for: .append).write(more.span)
        let head = try #require(try watch.look())
        #expect(head.parts.map(\.count) == [10, 2] && head.parts.map(\.last) == [11, 11])
        let positions = try stores.positions(matching: nil, sort: nil, in: head)
        #expect(positions.count == 12)
    }

    @Test("reads HAR once, and an empty file as no exchanges")
    func har() throws {
        let watch = try open(TestFiles.repository + "/Examples/recordings/chromium.har")
        #expect(try look(watch) == "38 up to 38")
        #expect(try look(watch) == "nothing")
        try folder.write("", to: "empty.ndjson")
        #expect(try look(try open(folder("empty.ndjson"))) == "0 up to 0")
    }

    @Test("exchanges that are in progress are those of the last run that is not over")
    func unfinished() throws {
        let path = folder("traffic.db")
        try Written.database(Exchange.examples(1), at: path)
        let stores = try StoreSet([path])
        #expect(try stores.unfinished(limit: 10).isEmpty)
        let connection = try SQLiteConnection(path: path, options: SQLiteOptions(mode: .readWrite))
        try connection.execute(
            """
            INSERT INTO runs (id, opened) VALUES (100, 1), (101, 2);
            INSERT INTO active VALUES
              (x'01000000000000000000000000000001', 100, 's', 1, 'GET', 'http', 'lost.test', NULL),
              (x'01000000000000000000000000000002', 101, 's', 2, 'GET', 'http', 'a.test', NULL),
              (x'01000000000000000000000000000003', 101, 's', 3, 'POST', 'https', 'b.test', 8443);
            """
        )
        let found = try stores.unfinished(limit: 10)
        #expect(found.map(\.host) == ["b.test", "a.test"])
        #expect(found.first?.port == 8443)
        #expect(found.first?.method == "POST")
        #expect(try stores.unfinished(limit: 1).count == 1)
        try connection.execute("UPDATE runs SET closed = 3 WHERE id = 101")
        #expect(try stores.unfinished(limit: 10).isEmpty)
    }
}
