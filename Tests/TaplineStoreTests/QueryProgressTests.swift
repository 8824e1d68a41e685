// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("A query that is observed")
struct QueryProgressTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a query that is cancelled after some results; returns their numbers.
    private func cancelled(
        _ store: Store,
        _ query: StoreQuery,
        after count: Int
    ) -> [Int64] {
        let progress = QueryProgress()
        var query = query
        query.progress = progress
        var found: [Int64] = []
        #expect(throws: QueryCancelled.self) {
            try store.forEach(query) {
                found.append($0.key.number)
                if found.count == count { progress.cancel() }
            }
        }
        return found
    }

    @Test("ends when it is cancelled, after what it has found", .timeLimit(.minutes(1)))
    func cancel() throws {
        try Written.database(Exchange.examples(20_000), at: folder("traffic.db"))
        let store = try Store(folder("traffic.db"))
        for text in [nil, #"path ~ "7""#] {
            let filter = try text.map { try Filter($0) }
            var all: [Int64] = []
            try store.forEach(StoreQuery(filter, parts: [])) { all.append($0.key.number) }
            for count in [1, 500, 1500] {
                let found = cancelled(store, StoreQuery(filter, parts: []), after: count)
                #expect(found.count >= count)
                #expect(found.count < all.count)
                #expect(found == Array(all.prefix(found.count)))
            }
        }
        let progress = QueryProgress()
        progress.cancel()
        #expect(throws: QueryCancelled.self) {
            _ = try store.count(try Filter(#"path ~ "7""#), progress: progress)
        }
    }

    @Test("gives the first results of what it has read, if it sorts or reads a recording")
    func partial() throws {
        let bytes = try Recorded.bytes(Exchange.examples(3000))
        let store = try Store(try folder.write(bytes, to: "traffic.ndjson"))
        let forward = cancelled(store, StoreQuery(order: .oldestFirst), after: 10)
        #expect(forward.first == 0)
        #expect(forward.count < 3000)
        try Written.database(Exchange.examples(3000), at: folder("traffic.db"))
        let progress = QueryProgress()
        progress.cancel()
        let field = try #require(try FieldReference.list("path").first)
        var query = StoreQuery(sort: StoreSort(field))
        query.progress = progress
        for store in [store, try Store(folder("traffic.db"))] {
            #expect(throws: QueryCancelled.self) {
                try store.forEach(query) { _ in Issue.record("nothing was read") }
            }
        }
    }

    @Test("counts and measures what it has read until it is cancelled")
    func stats() throws {
        let exchanges = Exchange.examples(3000)
        try Written.database(exchanges, at: folder("traffic.db"))
        try folder.write(try Recorded.bytes(exchanges), to: "traffic.ndjson")
        let query = StatsQuery(try Filter("status == 200"))
        for names in [["traffic.db"], ["traffic.ndjson"], ["traffic.db", "traffic.ndjson"]] {
            let set = try StoreSet(names.map { folder($0) })
            let progress = QueryProgress()
            let all = try set.stats(query, progress: progress)
            #expect(all.total.count == 3000 * names.count)
            #expect(progress.part == 1)
            progress.cancel()
            #expect(try set.stats(query, progress: progress).total.count == 0)
        }
    }

    @Test("knows how much of the stores it has read")
    func part() throws {
        let exchanges = Exchange.examples(6000)
        try Written.database(exchanges, at: folder("traffic.db"))
        try folder.write(try Recorded.bytes(exchanges), to: "traffic.ndjson")
        for name in ["traffic.db", "traffic.ndjson"] {
            let store = try Store(folder(name))
            let progress = QueryProgress()
            #expect(try store.count(try Filter(#"path ~ "7$""#), progress: progress) == 600)
            #expect(progress.part == 1, "\(name)")
            var query = StoreQuery(order: .oldestFirst, parts: [])
            query.progress = progress
            var parts: [Double] = []
            try store.forEach(query) { _ in parts.append(progress.part ?? -1) }
            #expect(parts.count == 6000)
            #expect(parts == parts.sorted())
            #expect(parts[0] < 0.5, "\(name)")
        }
        let set = try StoreSet([folder("traffic.db"), folder("traffic.ndjson")])
        let progress = QueryProgress()
        #expect(try set.count(nil, progress: progress) == 12_000)
        #expect(progress.part == 1)
    }

    @Test("has the part of rows that a range ends")
    func extent() throws {
        try Written.database(Exchange.examples(100), at: folder("traffic.db"))
        let reader = try #require(try DatabaseReader(folder("traffic.db")))
        let all = try #require(try RowExtent(of: .all, reader.connection))
        #expect(all.first == 1 && all.last == 100)
        #expect(all.part(after: RowRange(lower: 0, upper: 51), isForward: true) == 0.5)
        #expect(all.part(after: RowRange(lower: 75, upper: 101), isForward: false) == 0.25)
        #expect(all.part(after: .all, isForward: true) == 1)
        let none = RowRange(lower: 200, upper: 300)
        #expect(try RowExtent(of: none, reader.connection) == nil)
    }
}
