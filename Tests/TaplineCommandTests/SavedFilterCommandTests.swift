// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineModel
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("Saved filters")
struct SavedFilterCommandTests {
    let folder: TemporaryFolder
    let database: String

    init() async throws {
        folder = try TemporaryFolder()
        database = folder("traffic.db")
        try await StoredTraffic.write(StoredTraffic.someFailed(20), toDatabase: database)
        let saved = await tapline("query", database, "--save", "errors", "status >= 500")
        try #require(saved.code == .success, "\(saved.errors)")
        try #require(saved.errors == "filter 'errors' saved\n")
    }

    @Test("are used by every command that asks stores")
    func use() async {
        #expect(await tapline("query", database, "@errors", "--count").output == "2\n")
        #expect(await tapline("query", folder.path, "@errors", "--count").output == "2\n")
        let stats = await tapline("stats", database, "@errors", "--by=status", "--format=csv")
        #expect(stats.output.contains("500,2"), "\(stats.output)")
        let export = await tapline("export", database, "@errors", "--to=curl")
        #expect(export.errors.contains("2 exchanges exported"))
        #expect(await tapline("note", database, "@errors", "x").errors == "2 exchanges noted\n")
        let unknown = await tapline("query", database, "@error")
        #expect(unknown.code == .usage)
        #expect(unknown.errors.contains("there is no saved filter 'error'"))
        #expect(unknown.errors.contains("did you mean 'errors'?"))
    }

    @Test("are combined with other conditions and with each other")
    func combine() async {
        func count(_ filter: String) async -> String {
            await tapline("query", database, filter, "--count").output
        }
        _ = await tapline("query", database, "--save", "any", "status == 200 or status == 500")
        #expect(await count("not @errors") == "18\n")
        #expect(await count("@errors and status < 500") == "0\n")
        #expect(await count("@any and status >= 500") == "2\n")
        #expect(await count("not (@errors or @any)") == "0\n")
        #expect(await count("path == \"@errors\"") == "0\n")
        let saved = await tapline("query", database, "--save", "both", "@any and not @errors")
        #expect(saved.code == .success, "\(saved.errors)")
        #expect(await count("@both") == "18\n")
        let list = await tapline("query", database, "--filters")
        #expect(
            list.output.contains("(status == 200 or status == 500) and not (status >= 500)")
        )
    }

    @Test("that are unknown, or what is wrong beside them, are reported")
    func combineWrongly() async {
        let unknown = await tapline("query", database, "status == 200 and @nothing")
        #expect(unknown.code == .usage)
        #expect(unknown.errors.contains("no saved filter 'nothing'; expected 'errors'\n"))
        let wrong = await tapline("query", database, "not @errors and sttus == 1")
        #expect(wrong.code == .usage)
        #expect(wrong.errors.contains("filter: unknown field 'sttus'"), "\(wrong.errors)")
        #expect(wrong.errors.contains("(column 17)"), "\(wrong.errors)")
    }

    @Test("are listed, replaced and removed")
    func list() async {
        let saved = await tapline("query", database, "duration > 1s", "--save=slow-1")
        #expect(saved.code == .success, "\(saved.errors)")
        let replaced = await tapline("query", database, "duration > 2s", "--save=slow-1")
        #expect(replaced.errors == "filter 'slow-1' replaced\n")
        let list = await tapline("query", database, "--filters")
        #expect(list.output == "errors  status >= 500\nslow-1  duration > 2s\n")
        let removed = await tapline("query", database, "--forget", "slow-1")
        #expect(removed.errors == "filter 'slow-1' removed\n")
        #expect(await tapline("query", database, "--filters").output == "errors  status >= 500\n")
        let again = await tapline("query", database, "--forget", "slow-1")
        #expect(again.code == .usage)
        #expect(again.errors.contains("there is no saved filter 'slow-1'"))
    }

    @Test(
        "are checked before they are saved",
        arguments: [
            (["sttus == 1", "--save=a"], "unknown field 'sttus'"),
            (["--save=a"], "'--save' needs one STORE and one FILTER"),
            (["@errors", "--save=a"], "'@errors' is a saved filter already"),
            (["status == 1", "--save=a", "--count"], "'--save' excludes '--count'"),
            (["status == 1", "--forget=a"], "'--forget' needs one STORE"),
        ]
    )
    func wrong(words: [String], message: String) async {
        let outcome = await tapline(words: ["query", database] + words)
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("have a name of few characters, and a database")
    func unsuitable() async throws {
        let name = await tapline("query", database, "status == 1", "--save", "a b")
        #expect(name.code == .failure)
        #expect(name.errors.contains("wrong name of a filter"))
        try folder.write("{}", to: "traffic.ndjson")
        let recording = await tapline(
            "query",
            folder("traffic.ndjson"),
            "status == 1",
            "--save=a"
        )
        #expect(recording.errors.contains("is not a database of the sink 'sqlite'"))
    }
}
