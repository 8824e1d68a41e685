// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("The plan of a query")
struct StorePlanTests {
    private let folder: TemporaryFolder
    private let store: Store

    init() throws {
        folder = try TemporaryFolder()
        try Written.database(Exchange.examples(20), at: folder("traffic.db"), Written.addIndexes)
        store = try Store(folder("traffic.db"))
    }

    private func filter(_ text: String) throws -> Filter {
        try Filter(text, environment: ["TOKEN": "planted"], inStore: true)
    }

    private func lines(_ query: StoreQuery, count: Bool = false) throws -> [String] {
        try store.explain(query, count ? .count : .results).steps.map { "\($0.label): \($0.text)" }
    }

    @Test("says what an index, a scan and memory do")
    func steps() throws {
        let all = try lines(StoreQuery())
        #expect(all.count == 1)
        #expect(all[0].hasPrefix("scan: all rows by number, newest first, on "))
        let text = #"host == "shop.test" and path ~ "^/a""#
        let indexed = try lines(StoreQuery(try filter(text), limit: 20))
        #expect(indexed[0] == "scan: the first rows in order, until there are enough matches")
        #expect(indexed[1].hasPrefix("index: SEARCH e USING "))
        #expect(indexed[1].contains("INDEX exchanges_by_host"))
        #expect(indexed.contains { $0.hasPrefix("sql: ") && $0.contains("= 'shop.test'") })
        #expect(
            indexed.contains(
                #"memory: path ~ "^/a", for every row for which the SQL holds (reads target)"#
            )
        )
        #expect(indexed.last == "results: each match is read again by its number")
        let decided = try lines(StoreQuery(try filter("duration > 1s")), count: true)
        #expect(decided.last == "memory: nothing; SQLite decides every row")
        #expect(decided.contains { $0.contains("e.total_us > 1000000") })
        let never = try lines(StoreQuery(try filter(#"env["NONE"] exists"#)))
        #expect(never == ["strategy: no row can match; none is read"])
    }

    @Test("calls a scan of a whole index a scan")
    func scans() throws {
        let found = try lines(StoreQuery(try filter(#"host contains "shop""#)), count: true)
        #expect(found[0].hasPrefix("index: SEARCH e USING "))
        #expect(found.contains { $0.hasPrefix("scan: SCAN hosts USING COVERING INDEX") })
        #expect(!found.contains { $0.hasPrefix("index: SCAN") })
        #expect(try lines(StoreQuery(), count: true) == ["scan: SQLite counts all rows"])
    }

    @Test("names the index that sorts")
    func sorted() throws {
        let field = try #require(try FieldReference.list("duration").first)
        let indexed = try lines(StoreQuery(sort: StoreSort(field), limit: 5))
        #expect(indexed[0].hasPrefix("index: exchanges_by_duration has the order: SELECT e.seq"))
        let method = try #require(try FieldReference.list("method").first)
        let pass = try lines(StoreQuery(sort: StoreSort(method), limit: 5))
        #expect(pass.last == "memory: the first 5 by method are kept")
    }

    @Test(
        "never shows values that may be secrets",
        arguments: [
            #"request.header["authorization"] == "planted""#, #"any contains "planted""#,
            #"host == env["TOKEN"]"#, #"path ~ "x" and not query["t"] like "*planted*""#,
            #"request.body contains "planted" or tag["x"] in ["planted"]"#,
            #"url == "http://a.test/planted""#, #"method == env["TOKEN"] and path ~ "a""#,
        ]
    )
    func secrets(text: String) throws {
        let shown = try lines(StoreQuery(try filter(text))).joined(separator: "\n")
        #expect(!shown.contains("planted"), "\(shown)")
        #expect(shown.contains("***"), "\(shown)")
    }

    @Test("of recordings and of several stores says what memory does")
    func others() throws {
        try folder.write(try Recorded.bytes(Exchange.examples(3)), to: "a.ndjson")
        let set = try StoreSet([folder("traffic.db"), folder("a.ndjson")])
        let plans = try set.explain(StoreQuery(try filter("status == 200")))
        #expect(plans.map(\.store) == [folder("traffic.db"), folder("a.ndjson")])
        let texts = plans[1].steps.map(\.text)
        #expect(texts.first == "the whole recording, from its start")
        #expect(texts.contains("status == 200"))
        #expect(texts.last == "keys are sorted with those of other stores, by start time")
    }
}
