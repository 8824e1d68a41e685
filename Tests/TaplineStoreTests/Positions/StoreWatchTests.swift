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

    @Test("notices what is added to a database, and what is removed")
    func database() throws {
        let path = folder("traffic.db")
        try Written.database(Exchange.examples(10), at: path)
        let watch = StoreWatch(try StoreSet([path]))
        let first = try #require(try watch.look())
        #expect(first.count == 10)
        #expect(first.number == 10)
        #expect(first.parts[0].isGapless)
        #expect(first.first == Exchange.example(0).started)
        #expect(first.last == Exchange.example(9).started)
        #expect(try watch.look() == nil)
        try Written.database([.example(10), .example(11)], at: path)
        let second = try #require(try watch.look())
        #expect(second.count == 12)
        #expect(second.number == 12)
        #expect(second.last == Exchange.example(11).started)
        let connection = try SQLiteConnection(path: path, options: SQLiteOptions(mode: .readWrite))
        try connection.execute("DELETE FROM exchanges WHERE seq < 4")
        let third = try #require(try watch.look())
        #expect(third.count == 9)
        #expect(third.parts[0].first == 4)
        #expect(third.parts[0].isGapless)
        try connection.execute("DELETE FROM exchanges")
        let fourth = try #require(try watch.look())
        #expect(fourth.count == 0)
        #expect(fourth.number == 0)
        #expect(fourth.first == nil)
    }

    @Test("notices what is appended to a recording, and that it was replaced")
    func recording() throws {
        let path = folder("traffic.ndjson")
        try folder.write(Recorded.bytes(Exchange.examples(5)), to: "traffic.ndjson")
        let watch = StoreWatch(try StoreSet([path]))
        let first = try #require(try watch.look())
        #expect(first.count == 5)
        #expect(first.number == 5)
        #expect(try watch.look() == nil)
        try folder.write(Recorded.bytes(Exchange.examples(3)), to: "other.ndjson")
        try File(path, for: .append).write(folder.bytes("other.ndjson").span)
        #expect(try watch.look()?.count == 8)
        try FileSystem.move(folder("other.ndjson"), to: path)
        let replaced = try #require(try watch.look())
        #expect(replaced.count == 3)
        #expect(replaced.number == 3)
    }

    @Test("reads HAR once, and an empty file as no exchanges")
    func har() throws {
        let har = TestFiles.repository + "/Examples/recordings/chromium.har"
        let watch = StoreWatch(try StoreSet([har]))
        #expect(try watch.look()?.count == 38)
        #expect(try watch.look() == nil)
        try folder.write("", to: "empty.ndjson")
        let empty = try #require(try StoreWatch(try StoreSet([folder("empty.ndjson")])).look())
        #expect(empty.count == 0)
        #expect(empty.number == 0)
    }

    @Test("a head is limited to an earlier number")
    func limits() throws {
        let path = folder("traffic.db")
        try Written.database(Exchange.examples(10), at: path)
        let head = try #require(try StoreWatch(try StoreSet([path])).look())
        #expect(head.limited(to: 4).parts[0].last == 4)
        #expect(head.limited(to: 99).parts[0].last == 10)
        #expect(head.limited(to: -5).number == 0)
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
