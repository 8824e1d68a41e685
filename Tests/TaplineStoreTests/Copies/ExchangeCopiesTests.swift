// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineQuery
import TaplineSQL
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("Copies of exchanges in several databases")
struct ExchangeCopiesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(
        _ names: String...,
        lookupCost: Int = CopyChanges.lookupCost
    ) throws -> StoreSet {
        let copies = ExchangeCopies(lookupCost: lookupCost)
        return try StoreSet(names.map { folder($0) }, countingOnce: copies)
    }

    private func numbers(_ set: StoreSet, _ query: StoreQuery) throws -> [Int] {
        var found: [Int] = []
        try set.forEach(query) { found.append(try Self.number($0.exchange)) }
        return found
    }

    /// The number of an example.
    private static func number(_ exchange: Exchange) throws -> Int {
        try #require(Int(exchange.request.target.description.dropFirst("/items/".count)))
    }

    /// What every question says: the numbers of all exchanges, each once.
    private func expect(_ set: StoreSet, has expected: [Int], _ comment: Comment? = nil) throws {
        #expect(try numbers(set, StoreQuery(order: .oldestFirst)) == expected, comment)
        let newest = Array(expected.reversed().prefix(3))
        #expect(try numbers(set, StoreQuery(limit: 3)) == newest, comment)
        let duration = StoreSort(try FieldReference.list("started")[0], isDescending: true)
        let sorted = try numbers(set, StoreQuery(sort: duration))
        #expect(sorted == expected.reversed(), comment)
        #expect(try set.count() == expected.count, comment)
        // SQLite decides the first filter, memory the second one, and an index finds the third one.
        for text in ["duration < 1h", #"path ~ "^/items""#, #"host == "shop.test""#] {
            #expect(try set.count(try Filter(text)) == expected.count, comment)
        }
        for fields in ["status", "status,id"] {
            let stats = StatsQuery(nil, by: try StatsField.list(fields))
            #expect(try set.stats(stats).total.count == expected.count, comment)
        }
        let head = try #require(try StoreWatch(set).look())
        #expect(head.count == expected.count, comment)
        let positions = try set.positions(matching: nil, sort: nil, in: head)
        let found = (0..<positions.count).map { positions[$0] }
        let rows = try set.exchanges(at: found, []).compactMap { $0?.exchange }
        #expect(try rows.map(Self.number) == expected.reversed(), comment)
        var listed = 0
        for store in 0..<set.count {
            try set[store].forEachNumber(matching: nil, after: .min, through: .max) {
                listed += $0.count
            }
        }
        #expect(listed == expected.count, comment)
    }

    @Test("count once where databases share no exchange, some, or all of them")
    func overlaps() throws {
        try Written.database(Exchange.examples(10), at: folder("a.db"))
        try Written.database((10..<20).map { .example($0) }, at: folder("b.db"), Written.addIndexes)
        let some = (5..<15).reversed().map { Exchange.example($0) }
        try Written.database(some, at: folder("c.db"), Written.addIndexes)
        try expect(try open("a.db", "b.db"), has: Array(0..<20))
        try expect(try open("a.db", "c.db"), has: Array(0..<15))
        try expect(try open("a.db", "a.db"), has: Array(0..<10))
        try expect(try open("b.db", "c.db", "a.db"), has: Array(0..<20))
        #expect(try StoreSet([folder("a.db"), folder("c.db")]).count() == 20)
    }

    @Test("are those of the first database, whichever has the exchange as a filter wants it")
    func first() throws {
        let changed = (0..<3).map { Exchange.example($0, status: 503) }
        try Written.database(Exchange.examples(2), at: folder("a.db"))
        try Written.database(changed, at: folder("b.db"))
        let filter = try Filter("status == 503")
        let set = try open("a.db", "b.db")
        #expect(try numbers(set, StoreQuery(filter)) == [2])
        #expect(try set.count(filter) == 1)
        #expect(try open("b.db", "a.db").count(filter) == 3)
        let prefix = try #require(IDPrefix(changed[1].id.description))
        #expect(try set.exchange(with: prefix).exchange.response?.status == 200)
        // The place of a copy that does not count is none from which a page continues.
        var page = StoreQuery(sort: StoreSort(try FieldReference.list("status")[0]), limit: 1)
        page.endsBetweenIDs = true
        var found: [Int] = []
        while let last = try numbers(set, page).last, found.count < 4 {
            found.append(last)
            page.after = try set.key(of: Exchange.example(last).id)
        }
        #expect(found == [0, 1, 2])
    }

    @Test("are found again after any database has changed", arguments: [0, CopyChanges.lookupCost])
    func model(lookupCost: Int) throws {
        var random = Random(seed: UInt64(lookupCost) + 1)
        let names = ["a.db", "b.db", "c.db"]
        let sinks = try names.map { try Written.open(folder($0)) }
        let connections = try names.map { try SQLiteConnection(path: folder($0)) }
        var model = names.map { _ in Set<Int>() }
        let set = try open("a.db", "b.db", "c.db", lookupCost: lookupCost)
        // Another thread's set, which shares what is known.
        let other = try StoreSet(names.map { folder($0) }, countingOnce: set.copies)
        for step in 0..<10 {
            let store = random.below(3)
            if random.below(3) == 0 {
                let removed = model[store].filter { _ in random.below(2) == 0 }
                for number in removed {
                    let delete = try connections[store].cached(
                        "DELETE FROM exchanges WHERE id = ?1"
                    )
                    let id = Exchange.example(number).id.bytes
                    try delete.bind(1, blob: id.span)
                    try delete.run()
                }
                model[store].subtract(removed)
            } else {
                let added = Set((0..<random.below(12)).map { _ in random.below(40) })
                    .subtracting(model[store]).shuffled(using: &random)
                _ = try sinks[store].write(added.map { try Written.seal(.example($0)) })
                model[store].formUnion(added)
            }
            let expected = model.reduce(into: Set<Int>()) { $0.formUnion($1) }.sorted()
            try expect(step % 3 == 0 ? other : set, has: expected, "step \(step)")
        }
        for sink in sinks { try sink.close() }
        for connection in connections { try connection.close() }
    }

    @Test("give way to the next copy when retention has removed the first one")
    func retention() throws {
        for name in ["a.db", "b.db", "c.db"] {
            try Written.database(Exchange.examples(10), at: folder(name))
        }
        let set = try open("a.db", "b.db", "c.db", lookupCost: 0)
        try expect(set, has: Array(0..<10))
        func remove(_ numbers: ClosedRange<Int>, from name: String) throws {
            let connection = try SQLiteConnection(path: folder(name))
            try connection.execute(
                "DELETE FROM exchanges WHERE seq BETWEEN \(numbers.lowerBound) AND "
                    + "\(numbers.upperBound)"
            )
            try connection.close()
        }
        try remove(1...5, from: "a.db")
        try expect(set, has: Array(0..<10))
        let key = try set.key(of: Exchange.example(2).id)
        #expect(try set.position(of: key)?.store == 1)
        try remove(1...3, from: "b.db")
        try remove(1...2, from: "c.db")
        try expect(set, has: Array(2..<10))
        // Numbers begin again, with other rows.
        try remove(0...100, from: "a.db")
        try Written.database((20..<31).map { .example($0) }, at: folder("a.db"))
        try expect(set, has: Array(2..<10) + Array(20..<31))
    }

    @Test("count once in databases of different schemas")
    func schemas() throws {
        for version in 1...3 { try OldDatabase.write(version, at: folder("\(version).db")) }
        let set = try open("2.db", "1.db", "3.db")
        #expect(try set.count() == 3)
        #expect(try set.stats(StatsQuery(nil, by: StatsField.list("route"))).total.count == 3)
        var rows = 0
        try set.forEach(StoreQuery()) { _ in rows += 1 }
        #expect(rows == 3)
        #expect(try open("3.db", "1.db", "2.db").count() == 3)
    }

    @Test("are given once by a follower, from the database that has them first")
    func followed() throws {
        let names = ["a.db", "b.db", "c.db"]
        let sinks = try names.map { try Written.open(folder($0)) }
        func write(_ numbers: [Int], to store: Int) throws {
            _ = try sinks[store].write(numbers.map { try Written.seal(.example($0)) })
        }
        try write([0, 1, 2], to: 0)
        try write([1, 2, 3], to: 1)
        let set = try open("a.db", "b.db", "c.db")
        let follower = try set.follow(StoreQuery(), newest: 3)
        func next() throws -> [Int] {
            var found: [Int] = []
            try follower.next { found.append(try Self.number($0.exchange)) }
            return found
        }
        #expect(try next() == [1, 2, 3])
        try write([4, 5], to: 2)
        #expect(try next() == [4, 5])
        // Delivered again, to databases before and after the first one, also at the same time.
        try write([4, 6], to: 0)
        try write([6, 5, 7], to: 1)
        try write([7, 0], to: 2)
        #expect(try next() == [6, 7])
        #expect(try next() == [])
        var random = Random(seed: 7)
        var given = Set(0..<8)
        var model = [Set([0, 1, 2, 4, 6]), Set([1, 2, 3, 5, 6, 7]), Set([0, 4, 5, 7])]
        for _ in 0..<15 {
            for store in 0..<3 {
                let added = Set((0..<4).map { _ in random.below(60) }).subtracting(model[store])
                try write(added.sorted(), to: store)
                model[store].formUnion(added)
            }
            let all = model.reduce(into: Set<Int>()) { $0.formUnion($1) }
            #expect(try next().sorted() == all.subtracting(given).sorted())
            given = all
            #expect(try set.count() == all.count)
        }
        for sink in sinks { try sink.close() }
    }

    @Test("do not include records of recordings, which a plan says")
    func recordings() throws {
        try Written.database(Exchange.examples(4), at: folder("a.db"))
        try Written.database((3..<6).map { .example($0) }, at: folder("b.db"))
        try folder.write(try Recorded.bytes(Exchange.examples(2)), to: "c.ndjson")
        let set = try open("a.db", "b.db", "c.ndjson")
        #expect(try set.count() == 8)
        let steps = try set.explain(StoreQuery()).map { plan in
            plan.steps.filter { $0.label == "copies" }.map(\.text)
        }
        #expect(
            steps == [
                ["no row has an id of an earlier database"],
                ["1 row has an id of an earlier database, and is left out"],
                ["each record counts, also if a database has its id"],
            ]
        )
        let single = try open("a.db").explain(StoreQuery())
        #expect(single[0].steps.allSatisfy { $0.label != "copies" })
    }
}
