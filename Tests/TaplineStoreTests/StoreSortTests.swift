// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineSQL
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("A sorted query")
struct StoreSortTests {
    private static let fields = [
        "id", "started", "duration", "status", "request.size", "response.size", "source", "client",
        "server", "error", "method", "host", "port", "path", "route", "url", "status_class",
        #"tag["team"]"#, "request.body", #"response.header["content-length"]"#,
    ]

    private let folder: TemporaryFolder
    private let exchanges = Varied.exchanges(300, seed: 20)

    init() throws { folder = try TemporaryFolder() }

    private func sort(_ text: String, descending: Bool = false) throws -> StoreSort {
        StoreSort(try #require(try FieldReference.list(text).first), isDescending: descending)
    }

    /// The same exchanges in a database with all indexes, in one with few, and in a recording.
    private func stores() throws -> [Store] {
        try Written.database(exchanges, at: folder("indexed.db"), Written.addIndexes)
        try Written.database(exchanges, at: folder("plain.db"))
        try folder.write(try Recorded.bytes(exchanges), to: "traffic.ndjson")
        return try ["indexed.db", "plain.db", "traffic.ndjson"].map { try Store(folder($0)) }
    }

    /// What a store should return, sorted in memory by insertion.
    private func expected(
        _ store: Store,
        _ filter: Filter?,
        _ sort: StoreSort
    ) throws -> [Int64] {
        var all: [(number: Int64, value: FilterValue?)] = []
        try store.forEach(StoreQuery(filter, order: .oldestFirst)) {
            all.append((number: $0.key.number, value: sort.field.value(in: $0.exchange)))
        }
        if sort.isDescending { all.reverse() }
        // The standard library's sort is stable (SE-0372 documents it for Swift 5.8 and later).
        let present = all.filter { $0.value != nil }.sorted {
            sort.isDescending
                ? Self.isLess($1.value, $0.value) : Self.isLess($0.value, $1.value)
        }
        return (present + all.filter { $0.value == nil }).map(\.number)
    }

    private static func isLess(_ left: FilterValue?, _ right: FilterValue?) -> Bool {
        switch (left, right) {
        case (.text(let left)?, .text(let right)?): left.lexicographicallyPrecedes(right)
        case (.whole(let left)?, .whole(let right)?): left < right
        default: false
        }
    }

    @Test(
        "has the same order in databases and recordings, page after page",
        arguments: fields,
        [false, true]
    )
    func order(field: String, descending: Bool) throws {
        let sort = try sort(field, descending: descending)
        for store in try stores() {
            for text in [nil, "status >= 400", #"path ~ "users""#, #"host == "api.test""#] {
                let filter = try text.map { try Filter($0) }
                let wanted = try expected(store, filter, sort)
                var found: [Int64] = []
                var key: StoreKey?
                repeat {
                    let page = try store.exchanges(
                        matching: filter,
                        sort: sort,
                        after: key,
                        limit: 130,
                        parts: []
                    )
                    found += page.exchanges.map(\.key.number)
                    key = page.next
                } while key != nil
                #expect(found == wanted, "\(store.path) \(text ?? "")")
            }
        }
    }

    @Test("continues after an exchange that is given by its id")
    func continued() throws {
        let sort = try sort("duration", descending: true)
        for store in try stores() {
            let all = try store.exchanges(sort: sort, limit: 1000).exchanges
            #expect(all.count == 300)
            let key = try #require(try store.key(of: all[120].key.id))
            #expect(key.value == nil)
            let rest = try store.exchanges(sort: sort, after: key, limit: 5).exchanges
            #expect(rest.map(\.key) == all[121..<126].map(\.key))
            #expect(rest.map(\.exchange) == all[121..<126].map(\.exchange))
        }
    }

    @Test("over several stores is ordered by value, then by start and id")
    func several() throws {
        _ = try stores()
        let other = Varied.exchanges(50, seed: 9).map { exchange in
            var exchange = exchange
            exchange.id = ExchangeID(high: exchange.id.high &+ 1, low: exchange.id.low)
            return exchange
        }
        try folder.write(try Recorded.bytes(other), to: "other.ndjson")
        let set = try StoreSet([folder("plain.db"), folder("other.ndjson")])
        let sort = try sort("response.size")
        var all: [StoredExchange] = []
        try set.forEach(StoreQuery(sort: sort)) { all.append($0) }
        #expect(all.count == 350)
        let sizes = all.map { $0.exchange.response?.body.size }
        let present = sizes.compactMap { $0 }
        #expect(present == present.sorted())
        #expect(sizes.prefix(present.count).allSatisfy { $0 != nil })
        for (left, right) in zip(all, all.dropFirst()) where left.key.value == right.key.value {
            #expect((left.key.started, left.key.id) < (right.key.started, right.key.id))
        }
        var rest: [ExchangeID] = []
        let key = try set.key(of: all[200].key.id)
        try set.forEach(StoreQuery(sort: sort, after: key, limit: 20, parts: [])) {
            rest.append($0.key.id)
        }
        #expect(rest == all[201..<221].map(\.key.id))
    }

    @Test("uses an index that has the order, or that finds few rows")
    func strategies() throws {
        let stores = try stores()
        #expect(stores.count == 3)
        let cases: [(String, String?, String, String)] = [
            ("indexed.db", nil, "duration", "index exchanges_by_duration"),
            ("indexed.db", nil, "started", "index exchanges_by_started"),
            ("indexed.db", nil, "error", "index exchanges_by_error"),
            ("indexed.db", #"path ~ "x""#, "id", "index exchanges_by_id"),
            ("indexed.db", #"host == "api.test""#, "duration", "filter"),
            ("indexed.db", nil, "client", "pass"), ("indexed.db", nil, "method", "pass"),
            ("plain.db", nil, "duration", "pass"), ("plain.db", nil, "status", "index"),
        ]
        for (name, text, field, wanted) in cases {
            let store = try #require(try DatabaseStore(folder(name)) { _ in })
            let sort = try sort(field)
            let query = StoreQuery(try text.map { try Filter($0) }, sort: sort)
            let rows = RowQuery(query, schema: store.reader.schema)
            let strategy = try store.strategy(of: SortedQuery(query, sort, rows))
            let found =
                switch strategy {
                case .filterIndex: "filter"
                case .sortedIndex(let index): "index \(index.name)"
                case .pass: "pass"
                }
            #expect(found.hasPrefix(wanted), "\(name) \(field): \(found)")
        }
    }

    @Test("orders numbers in JSON as numbers, before texts")
    func json() throws {
        let bodies = [
            #"{"n":10}"#, #"{"n":9}"#, #"{"n":"b"}"#, "{}", #"{"n":-1.5}"#, #"{"n":"a"}"#,
        ]
        let exchanges = bodies.enumerated().map { Exchange.example($0, body: $1) }
        try Written.database(exchanges, at: folder("json.db"))
        let sort = try sort(#"response.json["$.n"]"#)
        let found = try Store(folder("json.db")).exchanges(sort: sort, limit: 9).exchanges
        #expect(found.map(\.key.number) == [5, 2, 1, 6, 3, 4])
    }

    @Test("keeps what it has sorted for the next pages, until the database changes")
    func kept() throws {
        let path = folder("plain.db")
        try Written.database(exchanges, at: path)
        let store = try #require(try DatabaseStore(path) { _ in })
        let sort = try sort("method")
        let filter = try Filter("status >= 200")
        func page(_ filter: Filter?, after key: StoreKey?) throws -> [StoreKey] {
            var keys: [StoreKey] = []
            let query = StoreQuery(filter, sort: sort, after: key, limit: 20, parts: [])
            try store.scan(query) { key, _ in keys.append(key) }
            return keys
        }
        let first = try page(filter, after: nil)
        let rows = RowQuery(StoreQuery(filter, sort: sort), schema: store.reader.schema)
        var query = SortedQuery(StoreQuery(filter, sort: sort, after: first[9]), sort, rows)
        let version = try store.reader.currentDataVersion()
        let kept = try #require(store.sortedKeys)
        #expect(kept.isWhole)
        #expect(kept.keys(for: query, version: version)?.prefix(10) == first[10...])
        #expect(kept.keys(for: query, version: version + 1) == nil)
        let other = StoreQuery(try Filter("status >= 300"), sort: sort, after: first[9])
        query = SortedQuery(other, sort, rows)
        #expect(kept.keys(for: query, version: version) == nil)
        let second = try page(filter, after: first.last)
        #expect(Set(first + second).count == 40)
        // A change of the database is seen by the next page.
        let connection = try SQLiteConnection(path: path)
        try connection.execute("UPDATE exchanges SET method = 'A' WHERE seq = 299")
        try connection.close()
        #expect(try page(nil, after: nil).first?.number == 299)
    }

    @Test("does not keep what it has found before the database changed")
    func changed() throws {
        let path = folder("indexed.db")
        try Written.database(exchanges, at: path, Written.addIndexes)
        let store = try #require(try DatabaseStore(path) { _ in })
        let sort = try sort("duration")
        let query = StoreQuery(try Filter(#"host == "api.test""#), sort: sort, limit: 5)
        let wanted = RowColumns(usedBy: [sort.field.field])
        let rowQuery = RowQuery(query, schema: store.reader.schema, wanted: wanted)
        var state = SortedQuery(query, sort, rowQuery)
        guard case .filterIndex(let rows, let version) = try store.strategy(of: state) else {
            Issue.record("the index is not used")
            return
        }
        let connection = try SQLiteConnection(path: path)
        try connection.execute("DELETE FROM exchanges WHERE seq = \(rows[0].number)")
        try connection.close()
        var count = 0
        try store.sortFew(rows, version, &state) { _, _ in count += 1 }
        #expect(count == 5)
        let kept = try #require(store.sortedKeys)
        #expect(kept.keys(for: state, version: version) != nil)
        let current = try store.reader.currentDataVersion()
        #expect(kept.keys(for: state, version: current) == nil)
    }
}
