// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineSQL
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

private let secret = PlainEraser.secret

@Suite("What people wrote about exchanges that change")
struct AnnotationRewriteTests {
    let folder: TemporaryFolder
    let path: String

    /// Ten exchanges; those with numbers 2 and 3 have notes and tags, and there is a saved filter.
    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
        try Written.database(Exchange.examples(10), at: path)
        let keys = try stored(path).map(\.key)
        let editor = try StoreEditor(path)
        let at = Timestamp(microseconds: 1)
        try editor.addNote("seen \(secret)", by: "of \(secret)", at: at, to: [keys[2]])
        try editor.mark([keys[2]], as: .star, at: at)
        try editor.addNote("note-that-goes", at: at, to: [keys[3]])
        try editor.setTags([("team", "a"), (secret, secret)], of: [keys[3]])
        try editor.save(try SavedFilter(name: "mine", text: "path contains \"\(secret)\""))
        try editor.save(try SavedFilter(name: "of-\(secret)", text: "status == 200"))
        try editor.save(try SavedFilter(name: "x-\(secret)", text: "status == 404"))
    }

    private func stored(_ path: String) throws -> [StoredExchange] {
        try Store(path).exchanges(order: .oldestFirst, limit: 100).exchanges
    }

    private func count(_ table: String) throws -> Int64? {
        try SQLiteConnection(path: path).integer("SELECT count(*) FROM \(table)")
    }

    @Test("values are erased from notes, tags and saved filters")
    func values() throws {
        let report = try StoreErasure(path, .values { PlainEraser() }).run()
        let places = report.places.map(\.place)
        for place in ["notes.text", "notes.author", "tags.name", "tags.value", "filters.text"] {
            #expect(places.contains(place), "\(place)")
        }
        #expect(try RawFiles.containing(secret, in: folder.path) == [])
        let found = try stored(path).map(\.exchange)
        #expect(found[2].extra?.notes.map(\.text) == ["seen [erased]", ""])
        #expect(found[2].extra?.notes.map(\.mark) == ["", "star"])
        #expect(found[3].tags["team"] == "a")
        #expect(found[3].tags["[erased]"] == "[erased]")
        let filters = try Store(path).savedFilters()
        #expect(filters.first { $0.name == "mine" }?.text == "path contains \"[erased]\"")
        #expect(filters.count == 3)
    }

    @Test("two names that become equal are kept once")
    func equalNames() throws {
        let keys = try stored(path).map(\.key)
        do {
            let editor = try StoreEditor(path)
            try editor.setTags([("aaaa1", "1"), ("bbbb2", "2")], of: [keys[5]])
            try editor.save(try SavedFilter(name: "aaaa1", text: "status == 1"))
            try editor.save(try SavedFilter(name: "bbbb2", text: "status == 2"))
        }
        let report = try StoreErasure(path, .values { PlainEraser(["aaaa1", "bbbb2"]) }).run()
        #expect(report.joinedNames.map(\.place) == ["filters", "tags"])
        #expect(report.joinedNames.map(\.count) == [1, 1])
        #expect(try stored(path)[5].exchange.tags["[erased]"] == "1")
        let names = try Store(path).savedFilters().map(\.name)
        #expect(names.filter { $0 == "[erased]" }.count == 1)
        #expect(try RawFiles.containing("bbbb2", in: folder.path) == [])
    }

    @Test("notes and tags go with their exchanges")
    func removal() throws {
        let filter = try Filter("note exists", inStore: true)
        let report = try StoreErasure(path, .exchanges(filter)).run()
        #expect(report.exchanges == 2)
        #expect(try count("notes") == 0)
        #expect(try count("tags") == 0)
        #expect(try RawFiles.containing("note-that-goes", in: folder.path) == [])
        #expect(try count("filters") == 3)
        let now = Timestamp(microseconds: 0)
        let keys = try stored(path).map(\.key)
        try StoreEditor(path).addNote("old", at: now, to: [keys[0], keys[7]])
        _ = try DatabaseRewrite(path, .shared).prune(PruneLimits(count: 1), now: now)
        #expect(try count("notes") == 1)
    }

    @Test("notes, tags and saved filters survive a replacement of all exchanges")
    func replacement() throws {
        let before = try stored(path)
        let other = folder("fresh.tmp")
        try Written.database(before.map(\.exchange), at: other)
        try DatabaseRewrite(path, .exclusive).replaceContent(with: other)
        let after = try stored(path)
        #expect(after.map(\.exchange) == before.map(\.exchange))
        #expect(after.map(\.key.number) == before.map(\.key.number))
        #expect(try count("notes") == 3)
        #expect(try count("filters") == 3)
    }

    @Test("a replacement upgrades a database of an older schema", arguments: [1, 2])
    func upgrade(version: Int) throws {
        let old = folder("old.db")
        let other = folder("fresh.tmp")
        try OldDatabase.write(version, at: old)
        let before = try stored(old).map(\.exchange)
        try #require(before[1].extra?.notes.count == 2)
        try Written.database(before, at: other)
        try DatabaseRewrite(old, .exclusive).replaceContent(with: other)
        #expect(try stored(old).map(\.exchange) == before)
        #expect(try SQLiteConnection(path: old).userVersion() == 3)
    }
}
