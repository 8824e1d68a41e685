// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSQL
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

private let secret = PlainEraser.secret

@Suite("Erasing values in tables of other programs")
struct ForeignTableTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
        try Written.database(Exchange.examples(2), at: path)
    }

    private func erase(
        _ secrets: [String] = [secret],
        after sql: String
    ) throws -> SQLiteConnection {
        let database = try SQLiteConnection(path: path)
        try database.execute(sql)
        try database.close()
        _ = try StoreErasure(path, .values { PlainEraser(secrets) }).run()
        for text in secrets { #expect(try RawFiles.containing(text, in: folder.path) == []) }
        return try SQLiteConnection(path: path)
    }

    @Test("A column may have the name of the row number")
    func rowNumbers() throws {
        let database = try erase(
            after: """
                CREATE TABLE one (ROWID TEXT, value TEXT);
                INSERT INTO one VALUES ('a', '\(secret)'), ('a', 'x'), ('b', 'of \(secret)');
                CREATE TABLE two (rowid TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
                INSERT INTO two VALUES ('a', '\(secret)'), ('b', 'x');
                """
        )
        #expect(
            try database.text("SELECT group_concat(value) FROM one") == "[erased],x,of [erased]"
        )
        #expect(try database.text("SELECT group_concat(value) FROM two") == "[erased],x")
    }

    @Test("All names of the row number may be columns, and rows without a key")
    func hiddenRowNumbers() throws {
        let database = try erase(
            after: """
                CREATE TABLE one (
                  rowid TEXT COLLATE NOCASE, _rowid_, oid, value TEXT COLLATE NOCASE,
                  made TEXT AS (value || '!')
                );
                INSERT INTO one VALUES
                  ('a', NULL, 1.5, '\(secret)'), ('A', NULL, 1.5, '\(secret) too'),
                  ('a', NULL, 1.5, '\(secret)'), ('a', NULL, 1.5, 'x'), (NULL, x'00', NULL, NULL);
                CREATE TABLE two (rowid, _rowid_, oid, id TEXT PRIMARY KEY, value TEXT);
                INSERT INTO two VALUES
                  (1, 1, 1, NULL, '\(secret)'), (1, 1, 1, NULL, 'x'), (1, 1, 1, 'a', '\(secret)');
                """
        )
        #expect(
            try database.text(
                "SELECT group_concat(rowid || '=' || value, ' ') FROM one WHERE rowid IS NOT NULL"
            ) == "a=[erased] A=[erased] too a=[erased] a=x"
        )
        let values = try database.text("SELECT group_concat(value, ' ') FROM two")
        #expect(values == "[erased] x [erased]")
    }

    @Test("Generated columns change with those that they are made of")
    func generated() throws {
        let database = try erase(
            after: """
                CREATE TABLE made (
                  text TEXT,
                  kept TEXT AS ('kept ' || text) STORED,
                  shown TEXT AS ('shown ' || text)
                );
                INSERT INTO made VALUES ('\(secret)');
                """
        )
        #expect(
            try database.text("SELECT kept || ', ' || shown FROM made")
                == "kept [erased], shown [erased]"
        )
    }

    @Test("Values that must differ and become equal get a number")
    func unique() throws {
        let database = try erase(
            ["aaaa1", "bbbb2", "cccc3"],
            after: """
                CREATE TABLE numbered (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
                INSERT INTO numbered VALUES (7, 'aaaa1'), (8, 'bbbb2'), (9, 'x'), (10, 'cccc3');
                CREATE TABLE keyed (name TEXT PRIMARY KEY) WITHOUT ROWID;
                INSERT INTO keyed VALUES ('aaaa1'), ('bbbb2'), ('cccc3');
                """
        )
        let numbered = try database.text("SELECT group_concat(name, ' ') FROM numbered NOT INDEXED")
        #expect(numbered == "[erased] [erased]-8 x [erased]-10")
        let keyed = try database.text("SELECT group_concat(name, ' ') FROM keyed")
        #expect(keyed == "[erased] [erased]-2 [erased]-3")
    }
}
