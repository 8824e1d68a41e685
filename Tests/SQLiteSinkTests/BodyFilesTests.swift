// SPDX-License-Identifier: MIT

import TaplineCrypto
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import SQLiteSink

@Suite struct BodyFilesTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private func files() throws -> Int {
        try #require(Int(try Shell.run("find '\(path)-bodies' -type f | wc -l")))
    }

    @Test(arguments: [10, 1100])
    func aSyncCoversFiles(_ count: Int) throws {
        let sink = try SQLiteSink(path) { $0.inlineBodyMax = 200 }
        _ = try sink.write(Exchanges.records(0..<count) { Exchanges.text($0, bytes: 201) })
        try sink.sync()
        _ = try sink.write(Exchanges.records(count..<count + 1) { Exchanges.text($0, bytes: 201) })
        try Shell.run("rm -r '\(path)-bodies'/*")
        try sink.sync()
        try sink.close()
        #expect(try Shell.query(path, "SELECT count(*) FROM exchanges") == "\(count + 1)")
    }

    @Test func largeBodiesAreStoredAsFiles() throws {
        let sink = try SQLiteSink(path) { $0.inlineBodyMax = 200 }
        _ = try sink.write(Exchanges.records(0..<6) { Exchanges.text($0 % 3, bytes: 201) })
        try sink.close()
        #expect(try files() == 3)
        let name = try Shell.query(
            path,
            """
            SELECT f.path FROM traffic t JOIN body_files f ON f.id = t.response_body_id
              WHERE t.seq = 5
            """
        )
        #expect(try Shell.run("cat '\(path)-bodies/\(name)'") == Exchanges.text(1, bytes: 201))
        #expect(
            try Shell.run("sha256sum < '\(path)-bodies/\(name)'").prefix(64)
                == name.split(separator: "/").last ?? ""
        )
    }

    @Test func openingRemovesOrphans() throws {
        let sink = try SQLiteSink(path) { $0.inlineBodyMax = 200 }
        _ = try sink.write(Exchanges.records(0..<2) { Exchanges.text($0) })
        try sink.close()
        let group = path + "-bodies/aa"
        let orphan = "\(group)/aa\(String(repeating: "0", count: 62))"
        try FileSystem.makeFolder(group)
        for name in [orphan, orphan + ".part", group + "/notes.txt"] {
            _ = try File(name, for: .replace)
        }
        try SQLiteSink(path).close()
        #expect(try files() == 3)
        #expect(try FileSystem.status(of: group + "/notes.txt") != nil)
        #expect(try FileSystem.status(of: orphan) == nil)
    }

    @Test func failedBatchLeavesNoFile() throws {
        let sink = try SQLiteSink(path) { $0.inlineBodyMax = 200 }
        _ = try sink.write(Exchanges.records(0..<1) { Exchanges.text($0) })
        _ = try Shell.execute(
            path,
            """
            CREATE TRIGGER stop BEFORE INSERT ON exchanges WHEN NEW.seq = 4
              BEGIN SELECT RAISE(ABORT, 'stop'); END
            """
        )
        let records = try Exchanges.records(1..<6) { Exchanges.text($0 / 2) }
        #expect(throws: (any Error).self) { try sink.write(records) }
        #expect(try files() == 2)
        _ = try Shell.execute(path, "DROP TRIGGER stop")
        _ = try sink.write(Exchanges.records(1..<2) { _ in Exchanges.text(0) })
        #expect(try files() == 1)
        #expect(try sink.write(records).duplicates == 1)
        #expect(try files() == 3)
        try sink.close()
    }
}
