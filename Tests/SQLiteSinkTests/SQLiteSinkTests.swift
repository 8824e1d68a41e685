// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import SQLiteSink

@Suite struct SQLiteSinkTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    @Test func shellReadsWrittenRows() throws {
        let sink = try SQLiteSink(path)
        #expect(try sink.write(Exchanges.records(0..<3) { _ in "hello" }) == .written)
        try sink.close()
        #expect(
            try Shell.query(
                path,
                """
                SELECT id, started, method, url, template, status, duration_ms, response_body
                  FROM traffic WHERE host = 'shop.test' ORDER BY seq LIMIT 1
                """
            )
                == "\(Exchanges.id(0))|2025-11-20T14:03:00.123456Z|GET"
                + "|https://shop.test/items/0|/items/{id}|200|15.5|hello"
        )
        #expect(try Shell.query(path, "SELECT count(*) FROM exchanges") == "3")
        #expect(try Shell.query(path, "PRAGMA integrity_check") == "ok")
        #expect(try Shell.query(path, "PRAGMA journal_mode") == "wal")
        #expect(
            try Shell.query(path, "SELECT direction, position, name, value FROM headers LIMIT 3")
                == "request|0|Host|shop.test\nrequest|1|Accept|*/*\nrequest|0|Host|shop.test"
        )
    }

    @Test func identicalRunInsertsNothing() throws {
        let records = try Exchanges.records(0..<100) { Exchanges.text($0) }
        for run in 0..<2 {
            let sink = try SQLiteSink(path)
            #expect(try sink.write(records).duplicates == run * 100)
            try sink.close()
        }
        let sink = try SQLiteSink(path)
        let mixed = try Exchanges.records(50..<150) { Exchanges.text($0) }
        #expect(try sink.write(mixed + mixed).duplicates == 150)
        try sink.close()
        #expect(
            try Shell.query(path, "SELECT count(*), count(DISTINCT id) FROM exchanges") == "150|150"
        )
        #expect(try Shell.query(path, "SELECT count(*) FROM bodies") == "150")
    }

    @Test func outOfOrderIdsAreFound() throws {
        let records = try Exchanges.records(0..<200)
        let sink = try SQLiteSink(path)
        #expect(try sink.write(records.reversed()) == .written)
        var random = Random(seed: 65)
        #expect(try sink.write(records.shuffled(using: &random)).duplicates == 200)
        try sink.close()
    }

    @Test func filesBelongToTheirOwnerOnly() throws {
        let sink = try SQLiteSink(path) { $0.inlineBodyMax = 100 }
        _ = try sink.write(Exchanges.records(0..<2) { Exchanges.text($0) })
        #expect(
            try Shell.run("cd '\(folder.path)'; find . -type f -printf '%m\\n' | sort | uniq -c")
                .split(separator: " ").map(String.init) == ["5", "600"]
        )
        #expect(try FileSystem.status(of: path + "-bodies")?.permissions == 0o700)
        try sink.close()
    }

    @Test func lockedDatabaseIsATemporaryFailure() throws {
        let sink = try SQLiteSink(path) { $0.busyTimeout = .milliseconds(50) }
        let other = try OpenShell(path)
        try other.run("BEGIN IMMEDIATE")
        let records = try Exchanges.records(0..<10) { Exchanges.text($0) }
        let error = #expect(throws: SinkError.self) { try sink.write(records) }
        #expect(error?.kind == .passing)
        #expect(error?.message == "'\(path)' is locked by another process")
        try other.run("COMMIT")
        #expect(try sink.write(records) == .written)
        try sink.close()
        #expect(try Shell.query(path, "SELECT count(*) FROM exchanges") == "10")
    }

    @Test("a removed database is reported once and created again", arguments: [false, true])
    func createsARemovedDatabaseAgain(withItsFiles: Bool) throws {
        let log = Mutex<[String]>([])
        let lines = Log(component: "sqlite") { entry in
            if entry.level >= .warning { log.withLock { $0.append(entry.message) } }
        }
        let sink = try SQLiteSink(path, log: lines)
        let begun = ActiveExchange(Exchanges.make(100))
        try sink.active(opened: [begun], ended: [])
        _ = try sink.write(Exchanges.records(0..<5))
        try FileSystem.remove(path)
        if withItsFiles { for suffix in ["-wal", "-shm"] { try FileSystem.remove(path + suffix) } }
        for number in 5..<8 { _ = try sink.write(Exchanges.records(number..<number + 1)) }
        try sink.active(opened: [], ended: [Exchanges.id(5)])
        #expect(try Shell.query(path, "SELECT id FROM unfinished") == "\(Exchanges.id(100))")
        try sink.close()
        #expect(try Shell.query(path, "SELECT count(*) FROM exchanges") == "3")
        #expect(try Shell.query(path, "PRAGMA integrity_check") == "ok")
        #expect(log.withLock { $0 } == ["'\(path)' was removed; starting a new file"])
    }

    @Test("a removed folder fails each write, is reported once, and may come back")
    func waitsForItsFolder() throws {
        let log = Mutex<[String]>([])
        let lines = Log(component: "sqlite") { entry in
            if entry.level >= .warning { log.withLock { $0.append(entry.message) } }
        }
        let inner = folder("inner")
        try FileSystem.makeFolder(inner)
        let sink = try SQLiteSink("\(inner)/a.db", log: lines)
        _ = try sink.write(Exchanges.records(0..<5))
        try FileSystem.removeFolder(inner)
        for _ in 0..<3 {
            let error = #expect(throws: SinkError.self) {
                try sink.write(Exchanges.records(5..<8))
            }
            #expect(error?.kind == .passing)
        }
        try FileSystem.makeFolder(inner)
        _ = try sink.write(Exchanges.records(5..<8))
        try sink.close()
        #expect(try Shell.query("\(inner)/a.db", "SELECT count(*) FROM exchanges") == "3")
        #expect(log.withLock { $0 } == ["'\(inner)/a.db' was removed; starting a new file"])
    }

    @Test func reopensAMovedDatabase() throws {
        let sink = try SQLiteSink(path)
        _ = try sink.write(Exchanges.records(0..<5))
        try Shell.run("mv '\(path)' '\(folder("old.db"))'")
        try sink.reopen()
        _ = try sink.write(Exchanges.records(5..<8))
        try sink.close()
        #expect(try Shell.query(path, "SELECT count(*) FROM exchanges") == "3")
    }
}
