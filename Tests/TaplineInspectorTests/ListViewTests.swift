// SPDX-License-Identifier: MIT

import Dispatch
import TaplineModel
import TaplineQuery
import TaplineStore
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineInspector

@Suite("A list", .timeLimit(.minutes(2)))
struct ListViewTests {
    let folder: TemporaryFolder
    let names: [String]

    init() throws {
        folder = try TemporaryFolder()
        try Stored.add(Exchange.examples(3000), to: folder("traffic.db"))
        names = [folder("traffic.db")]
    }

    private func head() throws -> StoreHead {
        try #require(try StoreWatch(try StoreSet(names)).look())
    }

    private func opened() throws -> OpenStores { OpenStores(try Stored.publish(names)) }

    private func view(_ filter: String) throws -> ListView {
        ListView("v", try Filter(filter), nil, generation: 1) { _ in }
    }

    @Test("is built once for a head")
    func builds() throws {
        let view = try view("path ~ \"7$\"")
        let head = try head()
        let job = try #require(view.extended(to: head))
        #expect(view.extended(to: head) == nil)
        let before = try view.slice(0..<5, through: 3000, within: .zero)
        #expect(!before.isComplete && before.positions.isEmpty)
        job(try opened())
        #expect(view.extended(to: head) == nil)
        let after = try view.slice(0..<2, through: 3000, within: .zero)
        #expect(after.isComplete && after.total == 300)
        #expect(after.positions.map(\.number) == [2998, 2988])
        #expect(view.count == 300)
    }

    @Test("ends when it is cancelled, and goes on only if that is asked for")
    func cancels() throws {
        let view = try view("path ~ \"7$\"")
        let head = try head()
        let job = try #require(view.extended(to: head))
        view.cancel()
        job(try opened())
        let slice = try view.slice(0..<5000, through: 3000, within: .zero)
        #expect(slice.isCancelled && !slice.isComplete && slice.total < 300)
        #expect(view.extended(to: head) == nil)
        try Stored.add([.example(3007)], to: names[0])
        #expect(view.extended(to: try self.head()) == nil)
        let next = try #require(view.extended(to: try self.head(), again: true))
        next(try opened())
        #expect(try view.slice(0..<1, through: .max, within: .zero).total == 301)
    }

    @Test("reports an error, and tries again")
    func fails() throws {
        let view = try view("status == 200")
        let head = try head()
        let job = try #require(view.extended(to: head))
        job(OpenStores(CurrentStores()))
        #expect(throws: APIError.self) { try view.slice(0..<1, through: 3000, within: .zero) }
        let again = try #require(view.extended(to: head))
        again(try opened())
        #expect(try view.slice(0..<1, through: 3000, within: .zero).total == 3000)
    }

    @Test("a reader waits for the part that it wants, not for all")
    func waits() throws {
        let view = try view("status == 200")
        let job = try #require(view.extended(to: try head()))
        let current = try Stored.publish(names)
        DispatchQueue.global().async { job(OpenStores(current)) }
        let slice = try view.slice(0..<10, through: 3000, within: .seconds(60))
        #expect(slice.positions.first?.number == 3000)
        #expect(slice.positions.count == 10)
    }

    @Test("has its matches for statistics once it is complete, if they are few")
    func candidates() throws {
        let filter = try Filter("path ~ \"7$\"")
        let view = ListView("v", filter, nil, generation: 1) { _ in }
        let head = try head()
        let job = try #require(view.extended(to: head))
        #expect(view.candidates(for: filter, among: head.count) == nil)
        job(try opened())
        var query = StatsQuery(try Filter("path ~ \"[37]$\""))
        query.candidates = view.candidates(for: filter, among: head.count)
        #expect(try StoreSet(names).stats(query).total.count == 300)
        // Rows that the list has not looked at are searched.
        try Stored.add([.example(3003), .example(3004)], to: names[0])
        #expect(try StoreSet(names).stats(query).total.count == 301)
        let all = try self.view("status == 200")
        let second = try #require(all.extended(to: head))
        second(try opened())
        #expect(all.candidates(for: try Filter("status == 200"), among: head.count) == nil)
    }

    @Test("has no matches for the same text at another time, if it says now")
    func candidatesOfNow() throws {
        let text = "path ~ \"7$\" and started < now - 5m"
        let (early, late) = (
            try Filter(text, now: Timestamp(microseconds: 4_000_000_000_000_000)),
            try Filter(text, now: Timestamp(microseconds: 4_000_000_600_000_000))
        )
        let view = ListView("v", early, nil, generation: 1) { _ in }
        let head = try head()
        let job = try #require(view.extended(to: head))
        job(try opened())
        #expect(view.candidates(for: early, among: head.count) != nil)
        #expect(view.candidates(for: late, among: head.count) == nil)
    }

    @Test("the cache drops the lists that were used longest ago")
    func cache() throws {
        let workers = try Workers(1, try Stored.publish(names))
        defer { workers.stop() }
        let cache = ViewCache(workers) { _ in }
        let head = try head()
        func view(_ number: Int) throws -> ListView {
            let key = ViewCache.Key(filter: "\(number)", sort: "", head: nil, generation: 1)
            return try cache.view(key, nil, nil, upTo: head, for: QueryProgress())
        }
        let first = try view(0)
        #expect(try view(0) === first)
        for number in 1...16 { _ = try view(number) }
        #expect(try view(0) !== first)
    }

    @Test("a head of several stores is found by its number")
    func heads() throws {
        try Stored.add(Exchange.examples(10), to: folder("b.db"))
        let stores = try StoreSet(names + [folder("b.db")])
        let watch = StoreWatch(stores)
        let heads = Heads(try #require(try watch.look()))
        #expect(heads.current.number == 3010)
        #expect(try watch.look() == nil)
        try Stored.add([.example(11)], to: folder("b.db"))
        heads.note(try #require(try watch.look()))
        #expect(heads.current.number == 3011)
        #expect(try heads.head(3010).head.parts[1].last == 10)
        #expect(try heads.head(9999).head.parts[1].last == 11)
        #expect(try heads.head(1).number == 3010)
    }

    @Test("ends when the call that asked for it has gone, and is built again for another one")
    func forgotten() throws {
        let view = try view("path ~ \"7$\"")
        let head = try head()
        let job = try #require(view.extended(to: head))
        let call = QueryProgress()
        view.isAsked(by: call)
        view.endIfForgotten(after: 60_000_000)
        let open = try opened()
        call.cancel()
        view.endIfForgotten(after: 60_000_000)
        job(open)
        let slice = try view.slice(0..<5000, through: 3000, within: .zero)
        #expect(!slice.isComplete && !slice.isCancelled && slice.total < 300)
        let again = try #require(view.extended(to: head))
        view.isAsked(by: QueryProgress())
        again(open)
        #expect(try view.slice(0..<1, through: 3000, within: .zero).total == 300)
    }

    @Test("ends when nobody has asked for it for some time")
    func unasked() throws {
        let view = try view("path ~ \"7$\"")
        let job = try #require(view.extended(to: try head()))
        view.isAsked(by: QueryProgress())
        view.endIfForgotten(after: -1)
        job(try opened())
        #expect(try !view.slice(0..<5000, through: 3000, within: .zero).isComplete)
    }

    @Test("is not built from files that have taken the place of its own")
    func replaced() throws {
        let view = try view("status == 200")
        let job = try #require(view.extended(to: try head()))
        let current = try Stored.publish(names)
        try Stored.add(Exchange.examples(5), to: folder("other.db"))
        try Stored.publish([folder("other.db")], in: current)
        job(OpenStores(current))
        let error = #expect(throws: APIError.self) {
            try view.slice(0..<1, through: 3000, within: .zero)
        }
        #expect(error?.code == "replaced")
    }
}
