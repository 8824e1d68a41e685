// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineQuery
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("A recording as a store")
struct RecordingStoreTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func paths(_ store: Store, _ query: StoreQuery) throws -> [String] {
        var found: [String] = []
        try store.forEach(query) { found.append($0.exchange.request.target.description) }
        return found
    }

    @Test(
        "is recognized by its content",
        arguments: Recorded.Format.allCases,
        [nil, .gzip, .zstd] as [ContentCoding?]
    )
    func formats(format: Recorded.Format, coding: ContentCoding?) throws {
        let exchanges = Exchange.examples(30)
        let bytes = try Recorded.bytes(exchanges, format, coding)
        let store = try Store(try folder.write(bytes, to: "traffic"))
        #expect(try store.count() == 30)
        #expect(try store.count(try Filter("path ~ \"5$\"")) == 3)
        let all = try store.exchanges(order: .oldestFirst, limit: 100).exchanges
        #expect(all.map(\.exchange.id) == exchanges.map(\.id))
        #expect(all.map(\.key.number) == Array(0..<30))
        let newest = try store.exchanges(limit: 3)
        #expect(newest.exchanges.map(\.exchange.id) == exchanges.suffix(3).reversed().map(\.id))
        let next = try store.exchanges(after: newest.next, limit: 100)
        #expect(next.exchanges.map(\.exchange.id) == exchanges.dropLast(3).reversed().map(\.id))
        #expect(next.next == nil)
    }

    @Test("reduces results to the parts that are asked for")
    func parts() throws {
        let bytes = try Recorded.bytes([.whole(1)])
        let store = try Store(try folder.write(bytes, to: "traffic"))
        let found = try store.exchanges(limit: 1, parts: [.tags]).exchanges[0].exchange
        #expect(found.tags.count == 2)
        #expect(found.response?.body.bytes.isEmpty == true)
    }

    @Test("shows what comes before the end of a truncated file")
    func cutOff() throws {
        for format in Recorded.Format.allCases {
            let bytes = try Recorded.bytes(Exchange.examples(5), format)
            var warnings: [String] = []
            let path = try folder.write(Array(bytes.dropLast(60)), to: "traffic")
            let store = try Store(path) { warnings.append($0) }
            let query = StoreQuery(order: .newestFirst)
            #expect(try paths(store, query) == ["/items/3", "/items/2", "/items/1", "/items/0"])
            #expect(store.problems == 1)
            #expect(warnings.count == 1)
            // Reading again reports nothing twice.
            #expect(try store.count() == 4)
            #expect(store.problems == 1)
        }
    }

    @Test("skips broken records")
    func broken() throws {
        var text = String(decoding: try Recorded.bytes(Exchange.examples(2)), as: UTF8.self)
        text += "{\"v\":1}\n" + text
        var warnings: [String] = []
        let store = try Store(try folder.write(text, to: "traffic")) { warnings.append($0) }
        #expect(try store.count() == 4)
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("traffic:3: missing key 'request'") == true)
    }

    @Test("is rejected if it is something else", arguments: ["hello", "<html>", "[1,2]", "SQLite"])
    func other(text: String) throws {
        let store = try Store(try folder.write(text, to: "other"))
        let error = #expect(throws: StoreError.self) { _ = try store.count() }
        #expect(error?.code == .notStore)
    }

    @Test("is empty if the file is")
    func empty() throws {
        let store = try Store(try folder.write("", to: "empty"))
        #expect(try store.count() == 0)
        #expect(try store.exchanges(limit: 5).exchanges.isEmpty)
    }

    @Test("is read once if it is a pipe")
    func pipe() throws {
        let path = folder("pipe")
        let bytes = try Recorded.bytes(Exchange.examples(3))
        try folder.write(bytes, to: "traffic")
        _ = try command("mkfifo", [path])
        _ = try command("sh", ["-c", "(cat '\(folder("traffic"))' > '\(path)') > /dev/null &"])
        let store = try Store(path)
        #expect(try paths(store, StoreQuery(limit: 2)) == ["/items/2", "/items/1"])
        let error = #expect(throws: StoreError.self) { _ = try store.count() }
        #expect(error?.code == .notRepeatable)
    }
}

@Suite("A selection of exchanges")
struct SelectionTests {
    private func key(_ number: Int64) -> StoreKey {
        StoreKey(
            number: number,
            started: Timestamp(microseconds: 0),
            id: ExchangeID(high: 0, low: 0)
        )
    }

    @Test("has the first ones in order, whatever the order in which they are added")
    func first() {
        var selection = Selection(limit: 10) { $0.number < $1.number }
        for number in 0..<5000 { selection.add(.init(key(Int64(number * 7919 % 5000)), store: 0)) }
        #expect(selection.finish().map(\.key.number) == Array(0..<10))
        #expect(!selection.isCut)
    }

    @Test("has no gaps if the memory is too small for all")
    func cut() {
        var random = Random(seed: 20)
        for _ in 0..<50 {
            let count = Int64.random(in: 1...3000, using: &random)
            let limit = Int.random(in: 1...4000, using: &random)
            let numbers = (0..<count).shuffled(using: &random)
            var found: [Int64] = []
            var passes = 0
            var isCut = true
            while isCut, found.count < limit {
                var selection = Selection(limit: limit - found.count, budget: 10_000) {
                    $0.number > $1.number
                }
                let end = found.last ?? .max
                for number in numbers where number < end {
                    selection.add(.init(key(number), store: 0))
                }
                found += selection.finish().map(\.key.number)
                isCut = selection.isCut
                passes += 1
            }
            #expect(found == Array((0..<count).reversed().prefix(limit)))
            #expect(passes > 1 || count < 400 || limit < 100)
        }
    }
}
