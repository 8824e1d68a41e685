// SPDX-License-Identifier: MIT

import TaplineSQL
import Testing

@Suite struct SQLiteTransactionTests {
    struct Stop: Error {}

    private let connection: SQLiteConnection

    init() throws {
        connection = try SQLiteConnection()
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b UNIQUE)")
    }

    @Test(arguments: [SQLiteConnection.TransactionKind.deferred, .immediate, .exclusive])
    func commits(kind: SQLiteConnection.TransactionKind) throws {
        let result = try connection.transaction(kind) {
            #expect(connection.isInTransaction)
            try connection.execute("INSERT INTO t VALUES (1, 1)")
            return "done"
        }
        #expect(result == "done")
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM t") == 1)
    }

    @Test func rollsBackOnError() throws {
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1, 1)")
                throw Stop()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func rejectsNesting() throws {
        try connection.begin()
        #expect(throws: SQLiteError.self) { try connection.begin() }
        #expect(connection.isInTransaction)
        connection.rollback()
        connection.rollback()
        #expect(!connection.isInTransaction)
    }

    @Test func distinguishesDuplicatesFromOtherViolations() throws {
        try connection.execute("INSERT INTO t VALUES (1, 1)")
        let key = connection.failure("INSERT INTO t VALUES (1, 2)")
        #expect(key?.isConstraint == true)
        #expect(key?.isDuplicate == true)
        #expect(key?.message == "UNIQUE constraint failed: t.a")
        #expect(connection.failure("INSERT INTO t VALUES (2, 1)")?.isDuplicate == true)
        let type = connection.failure("INSERT INTO t VALUES ('x', 3)")
        #expect(type?.isDuplicate == false)
        #expect(type.map { !$0.isBusy && !$0.isFull && !$0.isCorrupt } == true)
    }

    @Test func showsNoBoundValues() throws {
        let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
        for _ in 0..<2 {
            try insert.bind(2, text: "planted-secret")
            try? insert.run()
        }
        try insert.bind(2, text: "planted-secret")
        let error = #expect(throws: SQLiteError.self) { try insert.run() }
        #expect(error.map { "\($0)".contains("planted") } == false)
    }
}

@Suite struct SQLitePragmaTests {
    private let connection: SQLiteConnection

    init() throws {
        connection = try SQLiteConnection()
    }

    @Test func readsAndChangesSettings() throws {
        #expect(try connection.userVersion() == 0)
        try connection.setPragma("user_version", 42)
        #expect(try connection.userVersion() == 42)
        #expect(try connection.pragma("user_version") == "42")
        try connection.setPragma("synchronous", "off")
        #expect(try connection.integer("PRAGMA synchronous") == 0)
        #expect(try connection.pragma("no_such_pragma") == nil)
    }

    @Test(arguments: ["", "a b", "x;DROP TABLE t", "journal_mode=wal", "é", "'"])
    func acceptsOnlyWords(word: String) {
        #expect(throws: SQLiteError.self) { _ = try connection.pragma(word) }
        #expect(throws: SQLiteError.self) { try connection.setPragma("synchronous", word) }
    }

    @Test func findsTables() throws {
        try connection.execute("CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t")
        #expect(try connection.hasTable("t"))
        #expect(try connection.hasTable("v"))
        #expect(try !connection.hasTable("w"))
    }
}
