// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineSQL
import TaplineSystem
import TaplineTesting
import Testing
import TestSupport

@testable import TaplineStore

@Suite("Positions of exchanges")
struct StorePositionsTests {
    let folder: TemporaryFolder
    let database: String
    let recording: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder("traffic.db")
        recording = folder("traffic.ndjson")
        try Written.database(Self.exchanges, at: database)
        try folder.write(Recorded.bytes(Self.exchanges), to: "traffic.ndjson")
    }

    private static let exchanges: [Exchange] = (0..<3000).map { number in
        var exchange = Exchange.example(number, status: number % 7 == 0 ? 500 : 200)
        exchange.timing.total = Microseconds(Int64(number * 7919 % 3001))
        if number % 100 == 3 { exchange.response = nil }
        return exchange
    }

    private func numbers(
        _ path: String,
        _ filter: String?,
        after lower: Int64 = .min,
        through upper: Int64 = .max
    ) throws -> [Int64] {
        var found: [Int64] = []
        try Store(path).forEachNumber(
            matching: filter.map { try Filter($0) },
            after: lower,
            through: upper
        ) { found += $0 }
        return found
    }

    @Test(
        "are those of a query, by a scan, by an index and in memory",
        arguments: [
            nil, "status == 500", "path ~ \"9$\"", "response.body contains \"ok\"",
            "status == 500 and path ~ \"7$\"", "id == \"01931234-0000-7000-8000-000000000000\"",
        ]
    )
    func query(_ filter: String?) throws {
        let store = try Store(database)
        var expected: [Int64] = []
        let query = StoreQuery(try filter.map { try Filter($0) }, parts: [])
        try store.forEach(query) { expected.append($0.key.number) }
        #expect(try numbers(database, filter) == expected)
        #expect(try numbers(recording, filter) == expected.reversed().map { $0 - 1 })
        let part = expected.filter { $0 > 100 && $0 <= 900 }
        #expect(try numbers(database, filter, after: 100, through: 900) == part)
    }

    @Test("are read in one transaction while they are held, and then anew")
    func held() throws {
        let stores = try StoreSet([database, recording])
        func target() throws -> String? {
            let position = StorePosition(store: 0, number: 2)
            return try stores.exchanges(at: [position], [])[0]?.exchange.request.target.description
        }
        try stores.holdSnapshots()
        try stores.holdSnapshots()
        #expect(try target() == "/items/1")
        let writer = try SQLiteConnection(path: database)
        try writer.execute("UPDATE exchanges SET target = '/changed' WHERE seq = 2")
        #expect(try target() == "/items/1")
        stores.releaseSnapshots()
        #expect(try target() == "/changed")
        try stores.holdSnapshots()
        #expect(try target() == "/changed")
        stores.releaseSnapshots()
        stores.releaseSnapshots()
        #expect(try target() == "/changed")
    }

    @Test("are read again, in any order and more than once")
    func rows() throws {
        let stores = try StoreSet([database, recording])
        let positions = [
            StorePosition(store: 1, number: 5), StorePosition(store: 0, number: 3000),
            StorePosition(store: 0, number: 1), StorePosition(store: 1, number: 5),
            StorePosition(store: 0, number: 3001), StorePosition(store: 1, number: 3000),
            StorePosition(store: 2, number: 1),
        ]
        let found = try stores.exchanges(at: positions, [])
        let paths = found.map { $0?.exchange.request.target.description }
        #expect(paths == ["/items/5", "/items/2999", "/items/0", "/items/5", nil, nil, nil])
        let key = try stores.key(of: Self.exchanges[4].id)
        #expect(try stores.position(of: key) == StorePosition(store: 0, number: 5))
    }

    @Test(
        "are sorted as a sorted query sorts exchanges",
        arguments: ["duration", "status", "path", "host", "started", "content_type"],
        [false, true]
    )
    func sorted(_ field: String, _ isDescending: Bool) throws {
        let sort = StoreSort(try FieldReference.list(field)[0], isDescending: isDescending)
        let filter = try Filter("status == 200 or error exists or not status exists")
        for path in [database, recording] {
            let stores = try StoreSet([path])
            var expected: [Int64] = []
            try stores.forEach(StoreQuery(filter, sort: sort, parts: [])) {
                expected.append($0.key.number)
            }
            let head = try #require(try StoreWatch(stores).look())
            let found = try stores.positions(matching: filter, sort: sort, in: head)
            #expect((0..<found.count).map { found[$0].number } == expected)
        }
    }

    @Test("of several stores are in the order of start times")
    func several() throws {
        let stores = try StoreSet([database, recording])
        let head = try #require(try StoreWatch(stores).look())
        let found = try stores.positions(matching: nil, sort: nil, in: head)
        #expect(found.count == 6000)
        let times = try stores.exchanges(at: (0..<found.count).map { found[$0] }, [])
            .map { $0?.key.started.microseconds ?? 0 }
        #expect(times == times.sorted(by: >))
        #expect(found.firstIndex(of: found[17]) == 17)
        #expect(found.firstIndex(of: StorePosition(store: 0, number: 99_999)) == nil)
    }

    @Test("end when they are cancelled")
    func cancelled() throws {
        let progress = QueryProgress()
        progress.cancel()
        for path in [database, recording] {
            #expect(throws: QueryCancelled.self) {
                try Store(path).forEachNumber(
                    matching: try Filter("path ~ \"9$\""),
                    after: .min,
                    through: .max,
                    progress: progress
                ) { _ in }
            }
        }
    }
}
