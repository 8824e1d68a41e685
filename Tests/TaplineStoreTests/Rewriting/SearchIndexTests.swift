// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineSQL
import TaplineStoreSchema
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

private let secret = PlainEraser.secret

@Suite("Full-text indexes of other programs in a database that changes")
struct SearchIndexTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
        try Written.database(Exchange.examples(4), at: path)
    }

    private func execute(_ sql: String) throws {
        let database = try SQLiteConnection(path: path)
        try database.execute(sql)
        try database.close()
    }

    private func count(_ table: String) throws -> Int64? {
        try SQLiteConnection(path: path).integer("SELECT count(*) FROM \(table)")
    }

    private func triggers() throws -> Set<String> {
        let database = try SQLiteConnection(path: path)
        let query = try database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        var names: Set<String> = []
        while try query.step() {
            if let name = query.text(0) { names.insert(name) }
        }
        query.reset()
        return names
    }

    @Test("the triggers of the schema stay", arguments: ["note", "tag", "exchange", "seq"])
    func ownTriggers(name: String) throws {
        let page = try Store(path).exchanges(order: .oldestFirst, limit: 10)
        let key = page.exchanges[2].key
        do {
            let editor = try StoreEditor(path)
            try editor.addNote("seen", at: Timestamp(microseconds: 1), to: [key])
            try editor.setTags([("team", "a")], of: [key])
        }
        try execute("CREATE VIRTUAL TABLE \(name) USING fts5(text)")
        #expect(try triggers() == SchemaText.triggers)
        let filter = try Filter("note exists", inStore: true)
        let report = try StoreErasure(path, .exchanges(filter)).run()
        #expect(report.exchanges == 1)
        #expect(report.droppedIndexes == [name])
        #expect(try triggers() == SchemaText.triggers)
        #expect(try count("notes") == 0)
        #expect(try count("tags") == 0)
    }

    @Test("a trigger goes only if it names an index as a whole word")
    func otherTriggers() throws {
        try execute(
            """
            CREATE TABLE words_of_others (text TEXT);
            CREATE VIRTUAL TABLE words USING fts5(text);
            CREATE VIRTUAL TABLE "two words" USING fts5(text);
            INSERT INTO words_of_others VALUES ('\(secret)');
            INSERT INTO words VALUES ('\(secret)');
            INSERT INTO "two words" VALUES ('\(secret)');
            CREATE TRIGGER unrelated AFTER INSERT ON words_of_others BEGIN
              DELETE FROM words_of_others WHERE text = '';
            END;
            CREATE TRIGGER first AFTER INSERT ON words_of_others BEGIN
              INSERT INTO words VALUES (new.text);
            END;
            CREATE TRIGGER second AFTER INSERT ON words_of_others BEGIN
              INSERT INTO "two words" VALUES (new.text);
            END;
            """
        )
        let report = try StoreErasure(path, .values { PlainEraser() }).run()
        #expect(report.droppedIndexes == ["words", "two words"])
        #expect(try triggers() == SchemaText.triggers.union(["unrelated"]))
        #expect(try RawFiles.containing(secret, in: folder.path) == [])
    }

    @Test("indexes of FTS3 are removed, not changed")
    func oldModule() throws {
        try execute(
            """
            CREATE VIRTUAL TABLE old USING fts3(text);
            INSERT INTO old VALUES ('of \(secret)');
            """
        )
        let report = try StoreErasure(path, .values { PlainEraser() }).run()
        #expect(report.droppedIndexes == ["old"])
        #expect(report.places.map(\.place) == [])
        #expect(try RawFiles.containing(secret, in: folder.path) == [])
        #expect(try count("exchanges") == 4)
    }
}
