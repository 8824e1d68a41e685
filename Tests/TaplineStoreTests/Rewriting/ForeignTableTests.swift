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

    private func erase(after sql: String) throws -> SQLiteConnection {
        let database = try SQLiteConnection(path: path)
        try database.execute(sql)
        try database.close()
        _ = try StoreErasure(path, .values(PlainEraser())).run()
        #expect(try RawFiles.containing(secret, in: folder.path) == [])
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
}
