// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("tapline import")
struct ImportCommandTests {
    private static let line =
        #"10.0.0.1 - ann [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 7"#

    let folder: TemporaryFolder
    let log: String
    let commands: String

    init() throws {
        folder = try TemporaryFolder()
        log = try folder.write("\(Self.line)\n\(Self.line)\n", to: "access.log")
        commands = try folder.write(
            "curl https://shop.test/x -u ann:secret\nls\ncurl a.test -d @f\n",
            to: "commands.txt"
        )
    }

    @Test("writes a recording of several files, and counts what it did not read")
    func recording() async throws {
        let out = folder("out.ndjson")
        let outcome = await tapline("import", log, commands, "--out", out)
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.errors.contains("3 exchanges imported from 2 files to \(out)"))
        #expect(outcome.errors.contains("warning: \(commands):3:16: '-d' reads a file"))
        #expect(outcome.errors.contains("not read:\n  commands (other than curl)  1 time\n"))
        let count = await tapline("query", out, "--count")
        #expect(count.output == "3\n")
        #expect(try folder.read("out.ndjson").contains("\"url\":\"https://shop.test/x\""))
    }

    @Test("adds to a database, without what is already there")
    func database() async throws {
        let out = folder("traffic.db")
        let first = await tapline("import", log, "--out", out)
        #expect(first.code == .success, "\(first.errors)")
        #expect(first.errors.contains("2 exchanges imported from 1 file to \(out)"))
        let again = await tapline("import", log, commands, "--out", out)
        #expect(again.code == .success, "\(again.errors)")
        #expect(again.errors.contains("1 exchange imported from 2 files to \(out)"))
        #expect(again.errors.contains("2 exchanges had been there before"))
        #expect(await tapline("query", out, "--count").output == "3\n")
        let tagged = await tapline("query", out, #"tag["user"] == "ann""#, "--count")
        #expect(tagged.output == "2\n")
    }

    @Test("redacts if asked to")
    func redaction() async throws {
        let out = folder("out.ndjson")
        let words = ["import", commands, "--out", out, "--redact=standard"]
        let outcome = await tapline(words: words)
        #expect(outcome.code == .success, "\(outcome.errors)")
        let text = try folder.read("out.ndjson")
        #expect(text.contains("Authorization") && !text.contains("YW5uOnNlY3JldA"))
    }

    @Test("fails if asked to when something is not read")
    func strict() async throws {
        let out = folder("out.ndjson")
        let failed = await tapline("import", commands, "--out", out, "--strict")
        #expect(failed.code == .failure)
        let whole = await tapline("import", log, "--out", out, "--strict", "--force")
        #expect(whole.code == .success, "\(whole.errors)")
    }

    @Test("imports other files if one cannot be read")
    func unreadable() async throws {
        let unknown = try folder.write("hello", to: "unknown")
        let out = folder("out.ndjson")
        let outcome = await tapline("import", unknown, folder("none"), log, "--out", out)
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("tapline: error: \(unknown): unknown format; expected har"))
        #expect(outcome.errors.contains("2 exchanges imported"))
        #expect(await tapline("query", out, "--count").output == "2\n")
        let nothing = await tapline("import", unknown, "--out", folder("nothing.ndjson"))
        #expect(nothing.code == .failure)
        #expect(throws: FileError.self) { try folder.bytes("nothing.ndjson") }
    }

    @Test("shows the first errors of a file, and the number of the others")
    func manyErrors() async throws {
        let lines = Self.line + "\n" + String(repeating: "x\n", count: 9)
        let file = try folder.write(lines, to: "broken.log")
        let outcome = await tapline("import", file, "--out", folder("out.ndjson"))
        #expect(outcome.code == .success)
        #expect(outcome.errors.split(separator: "\n").filter { $0.contains(":6:2: ") }.count == 1)
        #expect(!outcome.errors.contains(":7:2: "))
        #expect(outcome.errors.contains("broken.log: and 4 more errors"))
        #expect(outcome.errors.contains("lines (malformed)  9 times"))
    }

    @Test(
        "rejects wrong arguments",
        arguments: [
            (["a.log"], "'import' needs '--out'; expected a database or a file that ends in"),
            (["a.log", "--out", "x.pdf"], "unknown format of 'x.pdf'; expected '--format'"),
            (["a.log", "--out=x.db", "--from=pcap"], "unknown value 'pcap' of '--from'"),
            (["a.log", "--out=x.db", "--format=csv"], "unknown value 'csv' of '--format'"),
            ([], "'import' needs FILE"),
        ]
    )
    func wrong(words: [String], message: String) async {
        let outcome = await tapline(words: ["import"] + words)
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("replaces a recording only with --force, and never what it reads")
    func existing() async throws {
        let out = try folder.write("", to: "out.ndjson")
        let refused = await tapline("import", log, "--out", out)
        #expect(refused.code == .usage)
        #expect(refused.errors.contains("exists; --force replaces it"))
        let same = await tapline("import", out, "--out", out, "--force")
        #expect(same.code == .usage)
        #expect(same.errors.contains("is both read and written"))
        let named = await tapline("import", log, "--out", folder("x"), "--format=ndjson")
        #expect(named.code == .success, "\(named.errors)")
    }
}
