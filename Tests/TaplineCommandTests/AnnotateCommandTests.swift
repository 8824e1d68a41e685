// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineConfig
import TaplineModel
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("tapline note, mark and tag")
struct AnnotateCommandTests {
    let folder: TemporaryFolder
    let database: String

    /// Twenty exchanges; those with numbers that end in 7 failed.
    init() async throws {
        folder = try TemporaryFolder()
        database = folder("traffic.db")
        try await StoredTraffic.write(StoredTraffic.someFailed(20), toDatabase: database)
    }

    private func count(_ filter: String) async -> String {
        await tapline("query", database, filter, "--count").output
    }

    @Test("write notes to one exchange or to all that match")
    func notes() async throws {
        let id = Exchange.example(3).id.description
        let one = await tapline("note", database, id, "look here", "--by", "Ann")
        #expect(one.code == .success, "\(one.errors)")
        #expect(one.output.isEmpty)
        #expect(one.errors == "1 exchange noted\n")
        // The database can be copied alone.
        #expect(try FileSystem.status(of: "\(database)-wal") == nil)
        let two = await tapline("note", database, "status == 500", "see INC-7")
        #expect(two.errors == "2 exchanges noted\n")
        #expect(await count("note contains \"INC\"") == "2\n")
        let shown = await tapline("show", database, id)
        #expect(shown.output.contains("look here"))
        #expect(shown.output.contains("Ann"))
        let record = await tapline("query", database, "note exists", "--format=ndjson")
        #expect(record.output.contains("\"notes\":[{\"text\":\"look here\",\"by\":\"Ann\","))
        let har = await tapline("export", database, "status == 500", "--to=har")
        #expect(har.output.contains("\"comment\":\"see INC-7\""))
        let postman = await tapline("export", database, "status == 500", "--to=postman")
        #expect(postman.output.contains("see INC-7"))
        let none = await tapline("note", database, "status == 404", "x")
        #expect(none.code == .success)
        #expect(none.errors == "0 exchanges noted\n")
        let removed = await tapline("note", database, "status == 500", "--remove")
        #expect(removed.errors == "2 exchanges without notes\n")
        #expect(await count("note exists") == "1\n")
    }

    @Test("set stars and colours")
    func marks() async {
        #expect(await tapline("mark", database, "last", "star").errors == "1 exchange marked\n")
        #expect(await tapline("mark", database, "status == 500", "red").code == .success)
        #expect(await count("mark == \"red\"") == "2\n")
        #expect(await count("mark == \"star\" and path == \"/items/19\"") == "1\n")
        let none = await tapline("mark", database, "mark exists", "none")
        #expect(none.errors == "3 exchanges without marks\n")
        #expect(await count("mark exists") == "0\n")
        let wrong = await tapline("mark", database, "last", "stat")
        #expect(wrong.code == .usage)
        #expect(wrong.errors.contains("unknown mark 'stat'; expected star, red"))
        #expect(wrong.errors.contains("did you mean 'star'?"))
    }

    @Test("set and remove tags")
    func tags() async {
        let outcome = await tapline("tag", database, "status == 500", "team=shop", "url=a=b")
        #expect(outcome.errors == "2 exchanges tagged\n")
        #expect(await count("tag[\"team\"] == \"shop\" and tag[\"url\"] == \"a=b\"") == "2\n")
        #expect(await tapline("tag", database, "tag[\"team\"] exists", "team=").code == .success)
        #expect(await count("tag[\"team\"] exists") == "0\n")
        for word in ["team", "=x"] {
            let wrong = await tapline("tag", database, "last", word)
            #expect(wrong.code == .usage)
            #expect(wrong.errors.contains("wrong tag '\(word)'; expected NAME=VALUE"))
        }
        let reserved = await tapline("tag", database, "last", "correlation=x")
        #expect(reserved.code == .failure)
        #expect(reserved.errors.contains("is set by the stage 'correlate' only"))
    }

    @Test(
        "reject wrong arguments",
        arguments: [
            (["last"], "'note' needs TEXT, or '--remove'"),
            (["last", ""], "TEXT is empty"),
            (["last", "x", "--remove"], "'--remove' excludes TEXT"),
            (["sttus == 1", "x"], "filter: unknown field 'sttus'"),
            (["sttus", "x"], "'sttus' is neither an id nor a filter: unknown field 'sttus'"),
            (["@none", "x"], "there is no saved filter 'none'"),
        ]
    )
    func wrong(words: [String], message: String) async {
        let outcome = await tapline(words: ["note", database] + words)
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("need a database and an id that exists")
    func unsuitable() async throws {
        try folder.write("{}", to: "traffic.ndjson")
        for words in [
            ["note", folder("traffic.ndjson"), "last", "x"],
            ["mark", folder("traffic.ndjson"), "last", "star"],
            ["tag", folder("traffic.ndjson"), "last", "a=b"],
        ] {
            let outcome = await tapline(words: words)
            #expect(outcome.code == .failure)
            #expect(outcome.errors.contains("is not a database of the sink 'sqlite'"))
        }
        let missing = await tapline("note", folder("none.db"), "last", "x")
        #expect(missing.errors.contains("there is no file"))
        let unknown = await tapline("note", database, "ffffffff", "x")
        #expect(unknown.code == .failure)
        #expect(unknown.errors.contains("no id begins like this"))
    }
}
