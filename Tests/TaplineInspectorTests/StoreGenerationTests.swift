// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineStore
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineInspector

@Suite("Files that take the place of the stores", .timeLimit(.minutes(3)))
struct StoreGenerationTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String, _ count: Int) throws -> String {
        try Stored.add(Exchange.examples(count), to: folder(name))
        return folder(name)
    }

    @Test("a call has the same stores and heads until it ends")
    func pinned() throws {
        let current = try Stored.publish([try path("a.db", 20)])
        let open = OpenStores(current)
        open.beginCall()
        let first = try open.opened()
        try Stored.publish([try path("b.db", 5)], in: current)
        let second = try open.opened()
        #expect(second.generation === first.generation)
        #expect(try open.stores().count(nil) == 20)
        #expect(second.generation.heads.current.number == 20)
        open.beginCall()
        #expect(try open.opened().generation.number == first.generation.number + 1)
        #expect(try open.stores().count(nil) == 5)
    }

    @Test("a head of former files is refused, whichever number it has")
    func heads() throws {
        let current = try Stored.publish([try path("a.db", 20)])
        #expect(try current.current().heads.head(20).number == 20)
        try Stored.publish([try path("b.db", 30)], in: current)
        let heads = try current.current().heads
        #expect(heads.current.number == 51)
        #expect(heads.current.head.count == 30)
        for number in [0, 5, 20] as [Int64] {
            #expect(throws: APIError.self) { try heads.head(number) }
        }
        #expect(try heads.head(31).head.parts[0].last == 10)
        current.fail(StoreStatus(StoreSetMissing.error(folder("c.db"))))
        #expect(throws: APIError.self) { try current.current() }
        try Stored.publish([try path("d.db", 1)], in: current)
        #expect(try current.current().heads.current.number == 53)
    }

    @Test("files that were not published yet are not opened")
    func unpublished() throws {
        let name = try path("a.db", 20)
        let current = try Stored.publish([name])
        try FileSystem.move(try path("b.db", 5), to: name)
        let open = OpenStores(current)
        let error = #expect(throws: APIError.self) { try open.opened() }
        #expect(error?.status == 503 && error?.retryAfter == 1)
        #expect(current.takeWantedLook())
        #expect(!current.takeWantedLook())
    }

    @Test("a recording that became shorter is another one, although it has grown before")
    func shortened() throws {
        let lines = (0..<3).map { number in
            #"{"v":1,"request":{"method":"GET","url":"http://a.test/\#(number)"}}"# + "\n"
        }
        let name = try folder.write(lines[0], to: "a.ndjson")
        let generation = try Stored.publish([name]).current()
        let file = try File(name, for: .append)
        try file.write(Array(lines.joined().utf8).span)
        #expect(try generation.isInPlace())
        try file.truncate(to: lines[0].utf8.count * 2)
        #expect(try !generation.isInPlace())
    }

    @Test("are shown by a head that the page knows to be another one")
    func replacedHead() throws {
        let name = try path("a.db", 20)
        let browser = try Browser(name)
        #expect(try browser.items("count=1") == [19])
        try FileSystem.move(try path("b.db", 30), to: name)
        try blockingWait(for: "the other file") {
            try browser.get("info").json["count"].number == 30
        }
        let old = try browser.get("rows?head=20")
        #expect(old.status == 409)
        #expect(try old.json["error"]["code"].text == "replaced")
        let id = Exchange.examples(1)[0].id
        #expect(try browser.get("locate?id=\(id)&head=20").status == 409)
        let rows = try browser.rows("count=2")
        #expect(rows["head"].number == 51)
        #expect(rows["total"].number == 30)
    }

    @Test("never mix with former ones, and never break a call, however often they are replaced")
    func stress() throws {
        // Each file has exchanges of its own, so that a row shows where it is from.
        let all = Exchange.examples(400)
        let sizes = [1, 60, 7, 90, 3, 40]
        try FileSystem.makeFolder(folder("stores"))
        func fill(_ number: Int) throws {
            let start = number % 4 * 100
            let size = sizes[number % sizes.count]
            let names = number % 3 == 0 ? ["a", "b"] : ["a"]
            for (offset, name) in names.enumerated() {
                let part = Array(all[start + offset * size / 2..<start + size])
                guard !part.isEmpty else { continue }
                try Stored.add(part, to: folder("next"))
                try FileSystem.move(folder("next"), to: folder("stores/\(name).db"))
            }
            if names.count == 1 { try FileSystem.remove(folder("stores/b.db")) }
        }
        try fill(0)
        let browser = try Browser(folder("stores"))
        let isOver = Atomic(false)
        let answers = Mutex<[Int: Int]>([:])
        let asking = try (0..<3).map { thread in
            try DedicatedThread.start {
                var queries = ["count=200", "sort=path&count=200", "filter=status%3E0&head=3"]
                queries.swapAt(0, thread)
                while !isOver.load(ordering: .relaxed) {
                    for query in queries {
                        guard let answer = try? browser.get("rows?\(query)") else { continue }
                        answers.withLock { $0[answer.status, default: 0] += 1 }
                        let rows = (try? answer.json["rows"].list) ?? []
                        let hundreds = Set(
                            rows.compactMap { $0["path"].text?.split(separator: "/").last }
                                .compactMap { Int($0) }.map { $0 / 100 }
                        )
                        #expect(hundreds.count <= 2, "\(hundreds)")
                        #expect([200, 404, 409, 503].contains(answer.status), "\(answer.text)")
                    }
                }
            }
        }
        for number in 1..<25 {
            try fill(number)
            // Until some calls have seen it.
            let before = answers.withLock { $0.values.reduce(0, +) }
            blockingWait(for: "calls") { answers.withLock { $0.values.reduce(0, +) } > before + 3 }
        }
        isOver.store(true, ordering: .relaxed)
        for thread in asking { thread.join() }
        #expect(answers.withLock { $0[200] ?? 0 } > 0)
        try blockingWait(for: "a list of the last files") {
            try browser.get("rows?count=1").status == 200
        }
    }

    @Test("what the stores are and what is wrong with them is sent to pages, and calls say it too")
    func states() throws {
        let name = try path("a.db", 20)
        let browser = try Browser(name)
        #expect(try browser.items("count=1") == [19])
        let events = try browser.events()
        try events.read(until: "event: head")
        #expect(!events.text.contains("event: state"))
        try FileSystem.move(name, to: folder("away.db"))
        try events.read(until: "event: state\ndata: {\"state\":\"missing\",\"message\":\"")
        let rows = try browser.get("rows")
        #expect(rows.status == 503)
        #expect(rows.field("Retry-After") == "1")
        #expect(try rows.json["error"]["code"].text == "missing")
        events.forget()
        try FileSystem.move(folder("away.db"), to: name)
        try events.read(until: "event: state\ndata: {\"state\":\"ok\"}")
        try blockingWait(for: "rows") { try browser.get("rows?count=1").status == 200 }
        #expect(try browser.get("rows?head=20").status == 409)
    }
}

/// The error of a store that does not exist.
private enum StoreSetMissing {
    static func error(_ path: String) -> any Error {
        do throws(StoreError) {
            _ = try StoreSet([path])
            return APIError.beingRead
        } catch {
            return error
        }
    }
}
