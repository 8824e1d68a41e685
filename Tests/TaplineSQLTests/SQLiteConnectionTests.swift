// SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import TaplineSQL
import TestSupport
import Testing

@Suite struct SQLiteConnectionTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("t.db")
    }

    private func open(
        _ mode: SQLiteOptions.Mode = .create,
        timeout: Duration = .milliseconds(50)
    ) throws -> SQLiteConnection {
        try SQLiteConnection(path: path, options: .init(mode: mode, busyTimeout: timeout))
    }

    @Test func createsFilesForTheirOwnerOnly() throws {
        let connection = try open()
        #expect(try connection.setPragma("journal_mode", "wal") == "wal")
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        for name in ["t.db", "t.db-wal", "t.db-shm"] {
            #expect(try mode(of: folder(name)) == "600")
        }
    }

    @Test func keepsPermissionsOfExistingFiles() throws {
        _ = try shell("touch '\(path)'; chmod 640 '\(path)'")
        try open().execute("CREATE TABLE t (a)")
        #expect(try mode(of: path) == "640")
    }

    @Test func opensNamesThatLookSpecial() throws {
        let database = folder("file:x?mode=memory")
        try SQLiteConnection(path: database).execute("CREATE TABLE t (a)")
        #expect(try shell("ls '\(folder.path)'") == "file:x?mode=memory")
    }

    @Test(arguments: ["", "a\0b", "/missing/folder/t.db", "/"])
    func rejectsInvalidPaths(path: String) {
        let error = #expect(throws: SQLiteError.self) { _ = try SQLiteConnection(path: path) }
        #expect(error?.isCannotOpen == true)
    }

    @Test func keepsTheCauseThatTheSystemGives() throws {
        for mode in [SQLiteOptions.Mode.create, .readWrite, .readOnly] {
            let error = #expect(throws: SQLiteError.self) {
                _ = try SQLiteConnection(path: "/missing/t.db", options: .init(mode: mode))
            }
            #expect(error?.systemCode == ENOENT)
        }
        #expect(try open().failure("SELECT")?.systemCode == 0)
    }

    @Test func respectsItsMode() throws {
        for mode in [SQLiteOptions.Mode.readOnly, .readWrite] {
            let error = #expect(throws: SQLiteError.self) { _ = try open(mode) }
            #expect(error?.isCannotOpen == true)
        }
        try open().execute("CREATE TABLE t (a)")
        #expect(try open(.readOnly).failure("INSERT INTO t VALUES (1)")?.isReadOnly == true)
        #expect(try open(.readWrite).failure("INSERT INTO t VALUES (1)") == nil)
    }

    @Test func isReadByTheShell() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE t (a TEXT, b BLOB)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
        try insert.bind(1, text: "it's \"text\"")
        try insert.bind(2, blob: [0xca, 0xfe])
        try insert.run()
        #expect(try shell("sqlite3 '\(path)' 'SELECT a, hex(b) FROM t'") == "it's \"text\"|CAFE")
    }

    @Test func reportsAndWaitsForALockOfAnotherProcess() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE t (a)")
        let other = try Command(
            "(echo 'BEGIN IMMEDIATE; SELECT 1;'; sleep 1; echo 'COMMIT;') | sqlite3 '\(path)'"
        )
        #expect(other.line() == "1")
        #expect(connection.failure("INSERT INTO t VALUES (1)")?.isBusy == true)
        let error = #expect(throws: SQLiteError.self) { try connection.begin() }
        #expect(error?.isBusy == true)
        #expect(!connection.isInTransaction)

        let patient = try open(timeout: .seconds(20))
        #expect(patient.failure("INSERT INTO t VALUES (1)") == nil)
    }

    @Test func readsWhileAnotherWrites() throws {
        let writer = try open()
        try writer.setPragma("journal_mode", "wal")
        try writer.execute("CREATE TABLE t (a)")
        try writer.begin()
        try writer.execute("INSERT INTO t VALUES (1)")
        #expect(try shell("sqlite3 '\(path)' 'SELECT count(*) FROM t'") == "0")
        try writer.commit()
        #expect(try shell("sqlite3 '\(path)' 'SELECT count(*) FROM t'") == "1")
        #expect(try writer.checkpoint(truncating: true))
        #expect(try shell("stat -c %s '\(path)-wal'") == "0")
    }

    @Test(arguments: ["wal", "delete", "memory"])
    func syncsTheLogOfAnyMode(_ mode: String) throws {
        let connection = try open()
        try connection.setPragma("journal_mode", mode)
        try connection.execute("CREATE TABLE t (a)")
        try connection.syncLog()
        try connection.close()
        #expect(throws: SQLiteError.self) { try connection.syncLog() }
    }

    @Test func reportsAFullDatabase() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE t (a BLOB)")
        try connection.setPragma("max_page_count", 8)
        var failure: SQLiteError?
        for _ in 0..<20 where failure == nil {
            failure = connection.failure("INSERT INTO t VALUES (zeroblob(4000))")
        }
        #expect(failure?.isFull == true)
        let kept = try connection.integer("SELECT count(*) FROM t")
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.execute("INSERT INTO t VALUES (zeroblob(40000))")
            }
        }
        #expect(error?.isFull == true)
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM t") == kept)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
    }

    @Test func reportsADamagedFile() throws {
        try open().execute("CREATE TABLE t (a)")
        _ = try shell("printf 'not a database at all' | dd of='\(path)' conv=notrunc 2>&1")
        #expect(try open().failure("SELECT * FROM t")?.isCorrupt == true)
    }

    @Test func isInterruptedFromAnotherThread() throws {
        let connection = try SQLiteConnection()
        let interrupter = connection.interrupter
        // On a separate thread: a task would wait for a pool thread that this and other tests block.
        let finished = DispatchSemaphore(value: 0)
        DispatchQueue(label: "interrupter").async {
            while finished.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
                interrupter.interrupt()
            }
        }
        let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        let failure = connection.failure(endless + "SELECT count(*) FROM n")
        finished.signal()
        #expect(failure?.isInterrupted == true)
        try connection.close()
        interrupter.interrupt()
    }

    @Test func staysOpenWhileStatementsExist() throws {
        let connection = try open()
        var statement: SQLiteStatement? = try connection.prepare("SELECT 1")
        let error = #expect(throws: SQLiteError.self) { try connection.close() }
        #expect(error?.isBusy == true)
        #expect(try statement?.step() == true)
        statement = nil
        try connection.close()
        try connection.close()
        #expect(connection.failure("SELECT 1")?.message == "connection is closed")
        #expect(throws: SQLiteError.self) { _ = try connection.prepare("SELECT 1") }
        #expect(throws: SQLiteError.self) { _ = try connection.checkpoint() }
        #expect(connection.changes == 0)
    }

    @Test func databaseOutlivesItsConnectionInAStatement() throws {
        let statement = try open().prepare("SELECT 5")
        #expect(try statement.step())
        #expect(statement.integer(0) == 5)
    }

    @Test func countsChanges() throws {
        let connection = try SQLiteConnection()
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
        #expect(connection.changes == 3)
        try connection.execute("DELETE FROM t WHERE a > 1")
        #expect(connection.changes == 2)
        #expect(connection.totalChanges == 5)
    }

    @Test func cachesStatements() throws {
        let connection = try SQLiteConnection()
        #expect(try connection.cached("SELECT 1") === connection.cached("SELECT 1"))
        #expect(try connection.cached("SELECT 1") !== connection.cached("SELECT 2"))
    }

    @Test func usesDoubleQuotesForNamesOnly() throws {
        #expect(try SQLiteConnection().failure("SELECT \"text\"") != nil)
    }
}
