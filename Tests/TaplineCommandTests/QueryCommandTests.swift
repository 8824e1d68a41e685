// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("tapline query")
struct QueryCommandTests {
    let folder: TemporaryFolder
    let database: String
    let recording: String

    /// The same forty exchanges in a database and in a recording; those with numbers that end in 7
    /// failed.
    init() async throws {
        let stored = try await StoredTraffic(StoredTraffic.someFailed(40))
        (folder, database, recording) = (stored.folder, stored.database, stored.recording)
    }

    private func lines(_ outcome: Outcome) -> [String] {
        #expect(outcome.code == .success, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    @Test("prints a table, newest first")
    func table() async throws {
        for store in [database, recording] {
            let found = lines(await tapline("query", store, "status >= 500"))
            #expect(found.count == 5)
            #expect(found[0].hasPrefix("id "))
            #expect(found[0].hasSuffix("size     time"))
            #expect(found.dropFirst().allSatisfy { $0.contains(" 500 ") })
            #expect(found[1].hasPrefix(ids([37])[0]))
            #expect(found[1].contains(" GET     500 shop.test/items/37 "), "\(found[1])")
            #expect(found[1].hasSuffix("12.0 ms"), "\(found[1])")
        }
        #expect(lines(await tapline("query", database)).count == 41)
        #expect(lines(await tapline("query", database, "status == 404")).isEmpty)
    }

    @Test("prints ids page after page, in both directions")
    func pages() async throws {
        for store in [database, recording] {
            let first = lines(await tapline("query", store, "--format=ids", "--limit=3"))
            #expect(first == ids([39, 38, 37]))
            let next = lines(
                await tapline("query", store, "--format=ids", "--limit=2", "--after", first[2])
            )
            #expect(next == ids([36, 35]))
            let filter = "path ~ \"7$\""
            let oldest = lines(
                await tapline("query", store, filter, "--format=ids", "--oldest", "--limit=2")
            )
            #expect(oldest == ids([7, 17]))
        }
        let unknown = await tapline(
            "query",
            database,
            "--after=01931234-5678-7abc-8def-0123456789ab"
        )
        #expect(unknown.code == .failure)
        #expect(unknown.errors.contains("no exchange has the id 01931234-"))
    }

    @Test("prints records as the sink 'ndjson' does")
    func records() async throws {
        let written = try TestFiles.text(of: recording).split(separator: "\n").map(String.init)
        let found = await tapline("query", recording, "--oldest", "--format=ndjson")
        #expect(lines(found) == written)
        let rows = lines(await tapline("query", database, "--oldest", "--format=ndjson"))
        #expect(rows.count == 40)
        #expect(rows[3].contains("\"url\":\"http://shop.test/items/3\""))
        #expect(rows[3].contains("\"body\":{\"text\":\"{\\\"ok\\\":true}\",\"size\":11"))
    }

    @Test("finds what 'convert' reads from a database")
    func converted() async throws {
        let copy = folder("copy.ndjson.gz")
        let outcome = await tapline("convert", database, copy)
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.errors.contains("40 exchanges written"))
        let rows = await tapline("query", database, "--format=ndjson")
        #expect(lines(await tapline("query", copy, "--format=ndjson")) == lines(rows))
    }

    @Test("counts, also over several stores")
    func count() async throws {
        #expect(lines(await tapline("query", database, "--count")) == ["40"])
        let two = await tapline("query", database, recording, "status == 500", "--count")
        #expect(lines(two) == ["4"], "each once, as the database has it")
        let each = await tapline("query", folder.path, "--count", "--each-copy")
        #expect(lines(each) == ["80"])
        let both = lines(
            await tapline("query", folder.path, "--format=ids", "--limit=3", "--each-copy")
        )
        // A page does not end between the copies of an exchange.
        #expect(both == ids([39, 39, 38, 38]))
        let after = "--after=\(both.last ?? "")"
        let next =
            await tapline("query", folder.path, "--format=ids", "--limit=2", after, "--each-copy")
        #expect(lines(next) == ids([37, 37]))
    }

    @Test("uses environment variables in filters")
    func variables() async throws {
        let found = await tapline(
            "query",
            database,
            "status == env[\"WANTED\"]",
            "--count",
            environment: ["WANTED": "500"]
        )
        #expect(lines(found) == ["4"])
    }

    @Test(
        "rejects wrong arguments",
        arguments: [
            ("sttus == 1", "filter: unknown field 'sttus'", "did you mean 'status'?"),
            ("nothere.db", "there is no file 'nothere.db', and it is not a filter", ""),
            ("--limit=-1", "wrong value of '--limit'; found '-1', expected a number", ""),
            ("--after=7", "wrong value of '--after'; found '7', expected an id", ""),
            ("--format=xml", "unknown value 'xml' of '--format'", ""),
        ]
    )
    func wrong(argument: String, message: String, help: String) async {
        let outcome = await tapline("query", database, argument)
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(outcome.errors.contains(help), "\(outcome.errors)")
        let count = await tapline("query", database, "--count", "--oldest")
        #expect(count.errors.contains("'--count' counts all matches and excludes '--oldest'"))
    }

    @Test("reports what cannot be read, with exit code 1")
    func unreadable() async throws {
        let missing = await tapline("query", folder("none.db"))
        #expect(missing.code == .failure)
        #expect(missing.errors.contains("there is no store '\(folder("none.db"))'"))
        let text = try TestFiles.text(of: recording)
        try folder.write("\(text.dropLast(50))", to: "cut.ndjson")
        let cut = await tapline("query", folder("cut.ndjson"), "--count")
        #expect(cut.code == .failure)
        #expect(cut.output == "39\n")
        #expect(cut.errors.contains("warning: "))
        try folder.write("hello", to: "other.txt")
        let other = await tapline("query", folder("other.txt"))
        #expect(other.code == .failure)
        #expect(other.errors.contains("not a recording"))
    }

    @Test("uses colours only on a terminal, and fits its width")
    func colours() async throws {
        for (width, hasID) in [(180, true), (80, false), (40, false)] {
            let plain = await onTerminal(width, ["NO_COLOR": "1"])
            let lines = plain.split(separator: "\n")
            #expect(lines.count == 5)
            #expect(lines.allSatisfy { $0.count <= width }, "\(plain)")
            #expect(!plain.contains("\u{1B}"))
            #expect(plain.contains(ids([37])[0]) == hasID)
            let coloured = await onTerminal(width, [:])
            #expect(coloured.contains("\u{1B}[31m500\u{1B}[0m"))
        }
    }

    private func onTerminal(_ width: Int, _ environment: [String: String]) async -> String {
        await taplineOnTerminal(
            "query",
            database,
            "status == 500",
            width: width,
            environment: environment
        )
    }

    @Test("takes an exchange of two databases once, unless each copy is asked for")
    func copies() async throws {
        let other = folder("other.db")
        try await StoredTraffic.write((38..<42).map { .example($0) }, toDatabase: other)
        let once = lines(await tapline("query", database, other, "--format=ids", "--limit=4"))
        #expect(once == ids([41, 40, 39, 38]))
        let each = await tapline(
            "query",
            database,
            other,
            "--each-copy",
            "--format=ids",
            "--limit=4"
        )
        #expect(lines(each) == ids([41, 40, 39, 39]))
        #expect(lines(await tapline("query", database, other, "--count")) == ["42"])
        #expect(lines(await tapline("query", database, other, "--count", "--each-copy")) == ["44"])
        let plan = await tapline("query", database, other, "--explain", "--count")
        #expect(plan.output.contains("copies    no row has an id of an earlier database"))
        #expect(plan.output.contains("copies    2 rows have ids of earlier databases"))
        let total = await tapline("stats", database, other, "--format=json")
        #expect(total.output.contains("\"count\":42"), "\(total.output)")
        let all = await tapline("stats", database, other, "--format=json", "--each-copy")
        #expect(all.output.contains("\"count\":44"), "\(all.output)")
        let single = lines(await tapline("export", database, "--to=curl"))
        let exported = lines(await tapline("export", database, other, "--to=curl"))
        let copies = exported.filter { $0.contains("/items/39") }
        #expect(!copies.isEmpty)
        #expect(copies.count == single.filter { $0.contains("/items/39") }.count)
        #expect(lines(await tapline("show", other, database, ids([39])[0])).count > 1)
    }

    @Test("takes an exchange of databases and recordings once, as the first of them has it")
    func copiesInRecordings() async throws {
        let some = folder("some.ndjson")
        let more = folder("more.ndjson")
        try await StoredTraffic.write((38..<44).map { .example($0) }, toRecording: some)
        try await StoredTraffic.write((42..<46).map { .example($0) }, toRecording: more)
        for stores in [[some, more, database], [database, more, some]] {
            #expect(lines(await tapline(words: ["query"] + stores + ["--count"])) == ["46"])
            let newest = await tapline(words: ["query"] + stores + ["--format=ids", "--limit=8"])
            #expect(lines(newest) == ids(Array(stride(from: 45, through: 38, by: -1))))
            let each = await tapline(words: ["query"] + stores + ["--count", "--each-copy"])
            #expect(lines(each) == ["50"])
        }
        let filtered = await tapline("query", some, more, "path == \"/items/43\"", "--format=ids")
        #expect(lines(filtered) == ids([43]))
        let plan = await tapline("query", database, some, "--explain")
        #expect(plan.output.contains("copies    records with an id of a database"))
        let stats = await tapline("stats", some, more, "--format=json")
        #expect(stats.output.contains("\"count\":8"), "\(stats.output)")
    }

    @Test("ends when nobody reads its output any more")
    func closed() async throws {
        let writes = Mutex(0)
        let console = Console(
            isTerminal: false,
            outputIsTerminal: true,
            isOutputClosed: { writes.withLock { $0 > 2 } },
            output: { _ in writes.withLock { $0 += 1 } },
            errors: { _ in }
        )
        let code = await TaplineCommand.program.run(
            ["query", database, "--format=ids"],
            plugins: PluginRegistry(),
            environment: Environment([:]),
            console: console
        )
        #expect(code == .success)
        #expect(writes.withLock { $0 } == 3)
    }
}
