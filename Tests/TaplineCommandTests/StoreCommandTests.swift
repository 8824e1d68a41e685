// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineModel
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("tapline store")
struct StoreCommandTests {
    let folder: TemporaryFolder
    let database: String

    init() async throws {
        folder = try TemporaryFolder()
        database = folder("traffic.db")
        var exchanges = (0..<20).map { Exchange.example($0) }
        exchanges[0].request.authority = "a\u{1B}[31m.test"
        exchanges[1].response?.body = Body(Array(repeating: 0x61, count: 100_000))
        try await StoredTraffic.write(exchanges, toDatabase: database)
    }

    @Test("shows sizes by kind and host")
    func info() async {
        let outcome = await tapline("store", "info", database)
        #expect(outcome.code == .success, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        func value(_ name: String) -> String? {
            lines.first { $0.hasPrefix(name) }?.dropFirst(28).description
        }
        #expect(value("schema") == "3")
        #expect(value("exchanges") == "20")
        #expect(value("body files") == "97.6 KiB in 1 file")
        #expect(value("  rows")?.hasSuffix("KiB") == true)
        #expect(lines.contains { $0.hasPrefix("        19 ") && $0.hasSuffix("http://shop.test") })
        #expect(!outcome.output.contains("\u{1B}"))
        let one = await tapline("store", "info", database, "--hosts=1")
        #expect(one.output.contains("1 other host\n"))
        let none = await tapline("store", "info", database, "--hosts=0")
        #expect(!none.output.contains("shop.test"))
    }

    @Test("writes sizes as JSON")
    func json() async {
        let outcome = await tapline("store", "info", database, "--format=json")
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("{\"schema\":3,\"exchanges\":20,\"from\":\"2026-"))
        #expect(outcome.output.contains("\"body_files\":{\"count\":1,\"bytes\":100000}"))
        #expect(outcome.output.contains("\"kinds\":{\"rows\":"))
        #expect(outcome.output.contains("{\"host\":\"http://shop.test\",\"exchanges\":19,"))
        #expect(outcome.output.contains("{\"host\":\"http://a\\u001b[31m.test\",\"exchanges\":1,"))
        #expect(outcome.output.hasSuffix("}]}\n"))
    }

    @Test("verifies rows, bodies and files")
    func verify() async throws {
        let sound = await tapline("store", "verify", database)
        #expect(sound.code == .success, "\(sound.errors)")
        #expect(sound.output.isEmpty)
        #expect(sound.errors == "checked 20 exchanges, 1 body and 1 body file: no problems\n")
        let bodies = "\(database)-bodies"
        let group = try #require(try FileSystem.names(in: bodies).first)
        let name = try #require(try FileSystem.names(in: "\(bodies)/\(group)").first)
        try FileSystem.remove("\(bodies)/\(group)/\(name)")
        let damaged = await tapline("store", "verify", database)
        #expect(damaged.code == .failure)
        #expect(damaged.output.contains("its file is missing or has another size"))
        #expect(damaged.errors.contains("1 problem\n"))
    }

    @Test("names backups, and what a killed command has left", arguments: ["info", "verify"])
    func leftovers(action: String) async throws {
        let names = ["traffic.db.17.tmp", "traffic.db.17.tmp-wal", "traffic.db.backup-shm"]
        for name in names { try folder.write("x", to: name) }
        try FileSystem.makeFolder(folder("traffic.db.18.tmp-bodies"))
        for name in ["other.db.17.tmp", "traffic.db-journal.txt", "traffic.dbx.backup"] {
            try folder.write("x", to: name)
        }
        let outcome = await tapline("store", action, database)
        #expect(outcome.code == .success, "\(outcome.errors)")
        let warnings = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("warning") }
        #expect(warnings.count == 4, "\(outcome.errors)")
        for name in ["17.tmp", "17.tmp-wal", "18.tmp-bodies"] {
            let text = "'\(database).\(name)' is left from a command"
            #expect(warnings.contains { $0.contains(text) })
        }
        #expect(warnings.contains { $0.contains("'\(database).backup-shm' belongs to a backup") })
    }

    @Test("compacts")
    func compact() async {
        let outcome = await tapline("store", "compact", database)
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("compacted from "))
        #expect(await tapline("query", database, "--count").output == "20\n")
    }

    @Test("mentions the full-text index")
    func textIndex() async throws {
        let built = await tapline("index", database, "--bodies")
        #expect(built.code == .success, "\(built.errors)")
        let info = await tapline("store", "info", database)
        let row = info.output.split(separator: "\n").first { $0.hasPrefix("full-text index  ") }
        #expect(row?.hasSuffix(" KiB, trigrams, covers all exchanges") == true, "\(info.output)")
        let json = await tapline("store", "info", database, "--format=json")
        #expect(json.output.contains(#""text_index":{"kind":"trigrams","bytes":"#))
        #expect(json.output.contains(#","condition":"valid","missing":0},"hosts":"#))
        let checked = "checked 20 exchanges, 1 body, 1 body file and the full-text index"
        #expect(await tapline("store", "verify", database).errors == "\(checked): no problems\n")
        let compacted = await tapline("store", "compact", database)
        #expect(compacted.errors.hasSuffix(") was not changed; it covers all exchanges\n"))
        let start = Array(try TestFiles.bytes(of: "\(database)-index").prefix(20_000))
        try File("\(database)-index", for: .replace).write(start.span)
        let damaged = await tapline("store", "verify", database)
        #expect(damaged.code == .failure)
        #expect(damaged.errors == "\(checked): 1 problem\n")
        #expect(damaged.output.contains("-index' is damaged; build it again\n"))
    }

    @Test(
        "rejects wrong arguments",
        arguments: [
            (["store", "inf"], "'store' needs STORE"),
            (["store", "inf", "x"], "unknown action 'inf'; expected info, verify, compact"),
            (["store", "verify", "x", "--hosts=1"], "'--hosts' has no effect on 'store verify'"),
            (["store", "info", "x", "--hosts=-1"], "wrong value of '--hosts'; found '-1'"),
        ]
    )
    func wrong(words: [String], message: String) async {
        let outcome = await tapline(words: words)
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("needs a database")
    func unsuitable() async throws {
        try folder.write("{}", to: "traffic.ndjson")
        for action in ["info", "verify", "compact"] {
            let recording = await tapline("store", action, folder("traffic.ndjson"))
            #expect(recording.code == .failure)
            #expect(recording.errors.contains("is not a database of the sink 'sqlite'"))
            let missing = await tapline("store", action, folder("none.db"))
            #expect(missing.code == .failure)
            #expect(missing.errors.contains("there is no file"))
        }
    }
}
