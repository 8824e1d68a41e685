// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineStore
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineInspector

@Suite("What people write about exchanges", .timeLimit(.minutes(2)))
struct AnnotationTests {
    let folder: TemporaryFolder
    let database: String
    private let at = Timestamp(microseconds: 1)

    init() throws {
        folder = try TemporaryFolder()
        database = folder("traffic.db")
        try Stored.add(Stored.exchanges, to: database)
    }

    private func id(_ number: Int) -> ExchangeID { Stored.exchanges[number].id }

    /// Changes the database as another process does.
    private func edit(_ number: Int, _ change: (StoreEditor, [StoreKey]) throws -> Void) throws {
        let key = try StoreSet([database]).key(of: id(number))
        try change(try StoreEditor(database), [key])
    }

    @Test("is noticed with the exchanges that it is about, and nothing else is")
    func watch() throws {
        let watch = AnnotationWatch(try StoreSet([database]))
        func next() throws -> [ExchangeID] {
            var found: [ExchangeID] = []
            try blockingWait(for: "a change") {
                found = try watch.look() ?? []
                return !found.isEmpty
            }
            return found
        }
        #expect(try watch.look() == nil)
        try Stored.add([.example(99)], to: database)
        #expect(try watch.look() == nil)
        try edit(3) { try $0.mark($1, as: .red, at: at) }
        #expect(try next() == [id(3)])
        #expect(try watch.look() == nil)
        try edit(3) { try $0.mark($1, as: StoreMark.allCases.last, at: at) }
        try edit(5) { try $0.setTags([(name: "team", value: "pay")], of: $1) }
        var both = Set(try next())
        if both.count == 1 { both.formUnion(try next()) }
        #expect(both == [id(3), id(5)])
        try edit(4) { try $0.addNote("slow", at: at, to: $1) }
        #expect(try next() == [id(4)])
        try edit(4) { try $0.removeNotes(from: $1) }
        #expect(try next() == [id(4)])
        try edit(5) { try $0.setTags([(name: "team", value: nil)], of: $1) }
        #expect(try next() == [id(5)])
    }

    @Test("by another process changes lists, counts and events")
    func otherProcess() throws {
        let browser = try Browser(database)
        let marked = "filter=\("mark == \"red\"".encoded)"
        let tagged = "filter=\("not tag[\"team\"] exists".encoded)"
        let facets = "facets?fields=method&\(marked)"
        #expect(try browser.items(marked) == [])
        #expect(try browser.rows(tagged)["total"].number == 39)
        #expect(try browser.get(facets).json["fields"][0]["values"].list.isEmpty)
        try edit(8) { try $0.mark($1, as: .red, at: at) }
        try blockingWait(for: "the mark") { try browser.items(marked) == [8] }
        let found = try browser.get(facets).json["fields"][0]["values"]
        #expect(found[0]["count"].number == 1)
        try edit(9) { try $0.setTags([(name: "team", value: "x")], of: $1) }
        try blockingWait(for: "the tag") { try browser.rows(tagged)["total"].number == 38 }
        try edit(8) { try $0.mark($1, as: nil, at: at) }
        try blockingWait(for: "no mark") { try browser.items(marked) == [] }
    }

    @Test("in the page shows in the next call")
    func own() throws {
        let browser = try Browser(database)
        let marked = "filter=\("mark == \"red\"".encoded)"
        #expect(try browser.items(marked) == [])
        for number in [8, 12, 20] {
            let path = "exchanges/\(id(number))/mark"
            #expect(try browser.post(path, "{\"mark\":\"red\"}").status == 204)
            #expect(try browser.items(marked).first == number)
        }
        #expect(try browser.items(marked) == [20, 12, 8])
    }

    @Test("only lists that depend on it are built again")
    func depends() throws {
        let browser = try Browser(database)
        let lists = [
            "status >= 500", "note exists", "any contains \"needle\" or tag[\"a\"] == \"b\"",
        ]
        func views() throws -> [String?] {
            try lists.map { try browser.rows("filter=\($0.encoded)")["view"].text }
        }
        let before = try views()
        #expect(try views() == before)
        let note = "{\"text\":\"x\"}"
        #expect(try browser.post("exchanges/\(id(1))/notes", note).status == 204)
        let after = try views()
        #expect(after[0] == before[0] && after[1] != before[1] && after[2] != before[2])
    }
}
