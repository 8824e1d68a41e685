// SPDX-License-Identifier: MIT

import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import SQLiteSink

@Suite struct DatabaseFileTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    @Test func databaseOfAnotherProgramIsNotChanged() throws {
        _ = try Shell.execute(path, "CREATE TABLE mine (x); INSERT INTO mine VALUES (1)")
        let error = #expect(throws: SinkError.self) { _ = try SQLiteSink(path) }
        #expect(error?.message.contains("another program") == true)
        #expect(try Shell.query(path, "SELECT x FROM mine; PRAGMA journal_mode") == "1\ndelete")
    }

    @Test func newerDatabaseIsRejected() throws {
        try SQLiteSink(path).close()
        _ = try Shell.execute(path, "PRAGMA user_version = 99")
        let error = #expect(throws: SinkError.self) { _ = try SQLiteSink(path) }
        #expect(error?.message.contains("newer version of tapline; found schema 99") == true)
        #expect(try Shell.query(path, "SELECT count(*) FROM exchanges") == "0")
    }

    @Test func damagedFileIsReported() throws {
        try Shell.run("head -c 20000 /dev/urandom > '\(path)'")
        let error = #expect(throws: SinkError.self) { _ = try SQLiteSink(path) }
        #expect(error?.message.contains("damaged or not a database") == true)
        #expect(error?.kind == .passing)
        #expect(try FileSystem.status(of: path)?.size == 20_000)
    }

    @Test func missingFolderIsReported() throws {
        let error = #expect(throws: SinkError.self) {
            _ = try SQLiteSink(folder("none/traffic.db"))
        }
        #expect(error?.message.contains("does not exist") == true)
    }
}
