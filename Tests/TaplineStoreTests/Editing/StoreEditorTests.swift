// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineSQL
import TaplineStoreSchema
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("An edited database")
struct StoreEditorTests {
    let folder: TemporaryFolder
    let path: String
    private let now = Timestamp(microseconds: 1_763_647_380_123_456)

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private func keys(_ store: Store, _ filter: String? = nil) throws -> [StoreKey] {
        let filter = try filter.map { try Filter($0, inStore: true) }
        var keys: [StoreKey] = []
        try store.forEach(StoreQuery(filter, order: .oldestFirst, parts: [])) {
            keys.append($0.key)
        }
        return keys
    }

    private func numbers(_ filter: String) throws -> [Int64] {
        try keys(try Store(path), filter).map(\.number)
    }

    private func exchange(_ number: Int64) throws -> Exchange {
        let page = try Store(path).exchanges(order: .oldestFirst, limit: 100)
        return try #require(page.exchanges.first { $0.key.number == number }).exchange
    }

    @Test("has the notes that were added, also in filters")
    func notes() throws {
        try Written.database(Exchange.examples(5), at: path)
        let editor = try StoreEditor(path)
        let store = try editor.store()
        let all = try keys(store)
        #expect(try editor.addNote("why \"503\"?", by: "Ann", at: now, to: [all[1]]) == 1)
        #expect(try editor.addNote("because", at: now, to: Array(all[1...2])) == 2)
        #expect(
            try exchange(2).extra?.notes == [
                ExchangeNote(text: "why \"503\"?", author: "Ann", at: now),
                ExchangeNote(text: "because", at: now),
            ]
        )
        #expect(try numbers("note contains \"why\"") == [2])
        #expect(try numbers("note == \"because\"") == [2, 3])
        #expect(try numbers("note ~ \"^w\" or path == \"/items/4\"") == [2, 5])
        #expect(try numbers("not note exists") == [1, 4, 5])
        #expect(try store.count(try Filter("note exists", inStore: true)) == 2)
        #expect(try editor.mark([all[1]], as: .red, at: now) == 1)
        #expect(try editor.removeNotes(from: all) == 5)
        #expect(try exchange(2).extra?.notes == [ExchangeNote(mark: "red", at: now)])
        #expect(try exchange(3).extra == nil)
        // What is removed in the meantime is left out.
        let gone = StoreKey(number: 4, started: all[3].started, id: ExchangeID(high: 1, low: 1))
        #expect(try editor.addNote("a", at: now, to: [gone, all[0]]) == 1)
        #expect(try numbers("note exists") == [1])
    }

    @Test("has one star and one colour for each exchange")
    func marks() throws {
        try Written.database(Exchange.examples(3), at: path)
        let editor = try StoreEditor(path)
        let all = try keys(try editor.store())
        for mark in [StoreMark.red, .star, .blue, .star] {
            #expect(try editor.mark(Array(all.prefix(2)), as: mark, at: now) == 2)
        }
        #expect(try exchange(1).extra?.notes.map(\.mark) == ["blue", "star"])
        #expect(try numbers("mark == \"star\"") == [1, 2])
        #expect(try numbers("mark == \"red\"") == [])
        #expect(try numbers("mark like \"bl*\" and path ~ \"1$\"") == [2])
        try editor.mark([all[0]], as: nil, at: now)
        #expect(try numbers("mark exists") == [2])
        #expect(try exchange(1).extra == nil)
    }

    @Test("has the tags that people set instead of those that were captured")
    func tags() throws {
        var exchanges = Exchange.examples(4)
        exchanges[0].tags = ["team": "a", "zone": "b"]
        exchanges[1].tags = ["team": "a"]
        try Written.database(exchanges, at: path)
        let editor = try StoreEditor(path)
        let all = try keys(try editor.store())
        #expect(try editor.setTags([("team", nil), ("new", "1")], of: Array(all.prefix(3))) == 3)
        #expect(try editor.setTags([("team", "c")], of: [all[1]]) == 1)
        #expect(try exchange(1).tags == ["zone": "b", "new": "1"])
        #expect(try exchange(2).tags["team"] == "c")
        #expect(try exchange(3).tags == ["new": "1"])
        #expect(try exchange(4).tags.isEmpty)
        #expect(try numbers("tag[\"team\"] exists") == [2])
        #expect(try numbers("tag[\"new\"] == \"1\" and not tag[\"team\"] == \"c\"") == [1, 3])
        try editor.setTags([("zone", "x"), ("zone", nil), ("new", nil)], of: all)
        #expect(try exchange(1).tags.isEmpty)
        #expect(try exchange(3).tags.isEmpty)
    }

    @Test("has at most as many tags as NDJSON, together with captured ones")
    func tagCounts() throws {
        var exchanges = Exchange.examples(2)
        for number in 0..<24 { exchanges[0].tags["c\(number)"] = "1" }
        try Written.database(exchanges, at: path)
        let editor = try StoreEditor(path)
        let all = try keys(try editor.store())
        let tags = (0..<1001).map { (name: "t\($0)", value: String?("")) }
        let error = #expect(throws: StoreError.self) { try editor.setTags(tags, of: all) }
        #expect(error?.code == .badValue)
        #expect(error?.description.contains("expected at most 1024") == true)
        #expect(try exchange(1).tags.count == 24)
        #expect(try exchange(2).tags.isEmpty)
        // Exactly as many, of which one replaces a captured tag, and one takes its place.
        var fitting = Array(tags.dropLast())
        fitting.append((name: "c0", value: "2"))
        try editor.setTags(fitting, of: all)
        try editor.setTags([("t0", nil), ("t1000", "x")], of: all)
        #expect(throws: StoreError.self) { try editor.setTags([("more", "x")], of: all) }
        #expect(try exchange(1).tags.count == 1024)
        #expect(try exchange(2).tags.count == 1001)
        try editor.setTags([("more", "x")], of: [all[1]])
    }

    @Test("keeps filters under names")
    func filters() throws {
        try Written.database(Exchange.examples(1), at: path)
        let editor = try StoreEditor(path)
        #expect(try !editor.save(SavedFilter(name: "slow", text: "duration > 1s")))
        #expect(try !editor.save(SavedFilter(name: "bad", text: "status >= 500")))
        #expect(try editor.save(SavedFilter(name: "slow", text: "duration > 2s")))
        let expected = try [
            SavedFilter(name: "bad", text: "status >= 500"),
            SavedFilter(name: "slow", text: "duration > 2s"),
        ]
        #expect(try StoreSet([path]).savedFilters() == expected)
        #expect(try editor.forgetFilter("bad"))
        #expect(try !editor.forgetFilter("bad"))
        #expect(try Store(path).savedFilters() == Array(expected.dropFirst()))
        for name in ["", "a b", "@a", String(repeating: "a", count: 65)] {
            #expect(throws: StoreError.self) { _ = try SavedFilter(name: name, text: "a") }
        }
    }

    @Test("of an older schema is upgraded by the first change only", arguments: [1, 2])
    func upgrade(version: Int) throws {
        try OldDatabase.write(version, at: path)
        let editor = try StoreEditor(path)
        // It stays open while the schema changes.
        let store = try editor.store()
        let starred = try Filter("mark == \"star\"", inStore: true)
        #expect(try store.count(starred) == 1)
        #expect(try editor.connection.userVersion() == Int64(version))
        #expect(try store.savedFilters().isEmpty)
        try editor.mark(try keys(store), as: .star, at: now)
        #expect(try editor.connection.userVersion() == SchemaText.version)
        #expect(try store.count(starred) == 3)
        let notes = try exchange(2).extra?.notes ?? []
        #expect(notes.map(\.text) == ["why?", ""])
        #expect(notes.map(\.mark) == ["red", "star"])
        #expect(try Store(path).exchanges(limit: 9).exchanges.count == 3)
    }

    @Test("refuses what it cannot store")
    func values() throws {
        try Written.database(Exchange.examples(1), at: path)
        let editor = try StoreEditor(path)
        let all = try keys(try editor.store())
        let long = String(repeating: "a", count: StoreEditor.maxText + 1)
        let changes: [() throws -> Void] = [
            { try editor.addNote("", at: now, to: all) },
            { try editor.addNote(long, at: now, to: all) },
            { try editor.setTags([("a", "b"), ("", "c")], of: all) },
            { try editor.setTags([("a", "b"), ("correlation", "c")], of: all) },
            { try editor.setTags([("a", long)], of: all) },
            { try editor.save(SavedFilter(name: "a", text: long)) },
        ]
        for change in changes {
            let error = #expect(throws: StoreError.self) { try change() }
            #expect(error?.code == .badValue)
        }
        #expect(try exchange(1).tags.isEmpty)
    }

    @Test("must be a database of the sink, of this version, that nobody locks")
    func refused() throws {
        try folder.write(try Recorded.bytes(Exchange.examples(2)), to: "traffic.ndjson")
        try folder.write("", to: "empty")
        for name in ["traffic.ndjson", "empty"] {
            let error = #expect(throws: StoreError.self) { _ = try StoreEditor(folder(name)) }
            #expect(error?.code == .notDatabase)
            #expect(error?.description.contains("is not a database of the sink") == true)
        }
        for (name, code) in [("none.db", StoreError.Code.missing), ("-", .notDatabase)] {
            let path = name == "-" ? name : folder(name)
            let error = #expect(throws: StoreError.self) { _ = try StoreEditor(path) }
            #expect(error?.code == code)
        }
        try SQLiteConnection(path: folder("other.db")).execute("CREATE TABLE t (a)")
        let foreign = #expect(throws: StoreError.self) { _ = try StoreEditor(folder("other.db")) }
        #expect(foreign?.code == .foreign)
        try Written.database(Exchange.examples(1), at: path)
        let connection = try SQLiteConnection(path: path)
        try connection.setPragma("user_version", 99)
        let newer = #expect(throws: StoreError.self) { _ = try StoreEditor(path) }
        #expect(newer?.code == .newer)
    }

    @Test("is smaller after compacting, and contains the same")
    func compaction() throws {
        try Written.database(Exchange.examples(2000), at: path)
        let connection = try SQLiteConnection(path: path)
        try connection.execute("DELETE FROM exchanges WHERE seq > 100")
        try connection.close()
        let editor = try StoreEditor(path)
        let result = try editor.compact()
        #expect(result.isLogEmpty)
        #expect(result.after < result.before)
        #expect(try Store(path).count() == 100)
        #expect(try StoreCare(path).info().free == 0)
    }
}
