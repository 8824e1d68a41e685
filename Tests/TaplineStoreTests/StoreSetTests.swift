// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineQuery
import TaplineSystem
import TaplineTesting
import Testing
import TestSupport

@testable import TaplineStore

@Suite("Several stores")
struct StoreSetTests {
    let folder: TemporaryFolder

    /// Three stores that share thirty exchanges in turn, and files that are none.
    init() throws {
        folder = try TemporaryFolder()
        let all = Exchange.examples(30)
        func third(_ number: Int) -> [Exchange] {
            all.indices.filter { $0 % 3 == number }.map { all[$0] }
        }
        try Written.database(third(0).reversed(), at: folder("a.db"))
        try folder.write(try Recorded.bytes(third(1)), to: "b.ndjson")
        try folder.write(try Recorded.bytes(third(2), .har, .gzip), to: "c.har.gz")
        try folder.write("# Notes", to: "README.md")
        try folder.write("", to: "empty")
        try FileSystem.makeFolder(folder("more"))
    }

    private func ids(_ stores: StoreSet, _ query: StoreQuery) throws -> [ExchangeID] {
        var found: [ExchangeID] = []
        try stores.forEach(query) { found.append($0.exchange.id) }
        return found
    }

    @Test("are ordered by start time")
    func order() throws {
        let stores = try StoreSet([folder("a.db"), folder("b.ndjson"), folder("c.har.gz")])
        let expected = Exchange.examples(30).map(\.id)
        #expect(try ids(stores, StoreQuery(order: .oldestFirst)) == expected)
        #expect(try ids(stores, StoreQuery()) == expected.reversed())
        #expect(try ids(stores, StoreQuery(limit: 4)) == expected.suffix(4).reversed())
        let key = try stores.key(of: expected[16])
        #expect(try ids(stores, StoreQuery(after: key, limit: 2)) == [expected[15], expected[14]])
        #expect(try stores.count() == 30)
        #expect(try stores.count(try Filter("path == \"/items/4\"")) == 1)
        let error = #expect(throws: StoreError.self) {
            _ = try stores.key(of: ExchangeID(high: 1, low: 1))
        }
        #expect(error?.code == .unknownID)
    }

    @Test("give whole exchanges, from rows as well as from records")
    func whole() throws {
        let stores = try StoreSet([folder("a.db"), folder("b.ndjson")])
        var found: [Exchange] = []
        try stores.forEach(StoreQuery(order: .oldestFirst)) { found.append($0.exchange) }
        let expected = Exchange.examples(30).enumerated().filter { $0.offset % 3 < 2 }
        #expect(found == expected.map(\.element))
    }

    @Test("give every copy of an exchange, also if the results do not fit into memory")
    func copies() throws {
        let all = Exchange.examples(10)
        try folder.write(try Recorded.bytes(all), to: "d.ndjson")
        try folder.write(try Recorded.bytes(all + all), to: "e.ndjson")
        let stores = try StoreSet([folder("d.ndjson"), folder("e.ndjson")])
        let copies = all.flatMap { Array(repeating: $0.id, count: 3) }
        for query in [StoreQuery(order: .oldestFirst), StoreQuery(limit: 20)] {
            // A pass gives one exchange, a few, or all of them.
            for budget in [1, 20_000, Selection.budget] {
                var found: [ExchangeID] = []
                try stores.forEach(query, budget: budget) { found.append($0.exchange.id) }
                let expected = query.order == .oldestFirst ? copies : copies.reversed()
                #expect(found == Array(expected.prefix(query.limit ?? .max)), "\(budget)")
            }
        }
    }

    /// Stores that share most of twelve exchanges; of three, `changed.db` has copies with another
    /// status, and the recording has two of them twice.
    private func overlapping() throws -> [String: String] {
        let all = Exchange.examples(12)
        let changed = [1, 5, 9].map { number in
            var exchange = all[number]
            exchange.response?.status = 500 + number
            return exchange
        }
        try Written.database(Array(all[0..<8]), at: folder("first.db"))
        try folder.write(try Recorded.bytes(Array(all[3...] + all[5...6])), to: "copy.ndjson")
        try Written.database(changed + [all[2], all[6]], at: folder("changed.db"))
        return ["a": folder("first.db"), "b": folder("copy.ndjson"), "c": folder("changed.db")]
    }

    @Test(
        "are read in pages after ids, which show each copy of an exchange once",
        arguments: ["ab", "ba", "abc", "bca", "cab", "cba"]
    )
    func pages(names: String) throws {
        struct Row: Equatable {
            let id: ExchangeID
            let number: Int64
            let status: Int?

            init(_ found: StoredExchange) {
                id = found.key.id
                number = found.key.number
                status = found.exchange.response?.status
            }
        }
        let paths = try overlapping()
        let stores = try StoreSet(names.compactMap { paths[String($0)] })
        let status = try FieldReference.list("status")[0]
        let none = try FieldReference.list("error")[0]
        let queries = [
            StoreQuery(), StoreQuery(order: .oldestFirst), StoreQuery(sort: StoreSort(status)),
            StoreQuery(sort: StoreSort(status, isDescending: true)),
            StoreQuery(sort: StoreSort(none)), StoreQuery(try Filter("status < 505")),
            StoreQuery(try Filter("status < 505"), sort: StoreSort(status)),
        ]
        for (number, query) in queries.enumerated() {
            var whole: [Row] = []
            try stores.forEach(query) { whole.append(Row($0)) }
            if query.filter == nil { #expect(try stores.count() == whole.count) }
            for limit in 1...whole.count {
                var paged: [Row] = []
                var page = query
                page.limit = limit
                page.endsBetweenIDs = true
                while paged.count < whole.count {
                    let before = paged.count
                    try stores.forEach(page) { paged.append(Row($0)) }
                    guard paged.count > before, let last = paged.last else { break }
                    if paged.count < whole.count { #expect(paged.count - before >= limit) }
                    page.after = try stores.key(of: last.id)
                }
                #expect(paged == whole, "query \(number), pages of \(limit)")
                // Nothing follows the last page.
                try stores.forEach(page) { _ in Issue.record("query \(number), \(limit)") }
            }
        }
    }

    @Test("are cut at the limit, also between copies, unless the page is continued after an id")
    func limit() throws {
        let paths = try overlapping()
        let stores = try StoreSet(["a", "b"].compactMap { paths[$0] })
        var query = StoreQuery(order: .oldestFirst, limit: 4)
        #expect(try ids(stores, query).count == 4)
        query.endsBetweenIDs = true
        #expect(try ids(stores, query).count == 5)
        query.limit = 0
        #expect(try ids(stores, query).isEmpty)
    }

    @Test("are found in a folder by their content, and by patterns")
    func names() throws {
        #expect(
            try StoreFiles.resolve(folder.path)
                == [folder("a.db"), folder("b.ndjson"), folder("c.har.gz")]
        )
        #expect(try StoreFiles.resolve(folder("[ab].*")) == [folder("a.db"), folder("b.ndjson")])
        #expect(try StoreFiles.resolve(folder("*.pcap")) == [])
        #expect(try StoreSet([folder.path]).count() == 30)
    }

    @Test("must exist, and standard input is given once")
    func wrong() throws {
        for (names, text) in [
            ([folder("none.db")], "there is no store"), ([folder("*.x")], "no file matches"),
            ([folder("more")], "there is no store"), (["-", "-"], "'-' is given twice"),
        ] {
            let error = #expect(throws: StoreError.self) { _ = try StoreSet(names) }
            #expect(error?.description.contains(text) == true)
        }
    }
}
