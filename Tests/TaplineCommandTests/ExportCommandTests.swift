// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("tapline export")
struct ExportCommandTests {
    let folder: TemporaryFolder
    let store: String

    init() throws {
        folder = try TemporaryFolder()
        let lines = (0..<20).map { number in
            #"{"v":1,"id":"01931234-5678-7abc-8def-0000000000\#(10 + number)","#
                + #""started":"2026-11-20T14:03:\#(10 + number)Z","request":{"method":"GET","#
                + #""url":"https://shop.test/items/\#(number)","headers":[["Host","shop.test"]]},"#
                + #""response":{"status":\#(number % 10 == 7 ? 500 : 200),"headers":[]},"#
                + #""tags":{\#(number == 3 ? #""tapline.redacted":"email""# : "")}}"#
        }
        store = folder("traffic.ndjson")
        try folder.write(lines.joined(separator: "\n") + "\n", to: "traffic.ndjson")
    }

    @Test("writes the matching exchanges, oldest first")
    func filter() async throws {
        let outcome = await tapline("export", store, "status == 500", "--to", "curl")
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("# 1: GET https://shop.test/items/7\ncurl "))
        #expect(outcome.output.contains("\n\n# 2: GET https://shop.test/items/17\n"))
        #expect(outcome.errors.contains("2 exchanges exported as curl"))
        let newest = await tapline("export", store, "--to=curl", "--newest", "--limit=1")
        #expect(newest.output.hasPrefix("# 1: GET https://shop.test/items/19\n"))
    }

    @Test("warns if no exchange shows a redaction")
    func redaction() async throws {
        let warning = "warning: no exported exchange shows a redaction"
        let some = await tapline("export", store, "status == 500", "--to=har")
        #expect(some.errors.contains(warning))
        let all = await tapline("export", store, "--to=har")
        #expect(!all.errors.contains(warning))
        let none = await tapline("export", store, "status == 404", "--to=har")
        #expect(!none.errors.contains(warning))
        for masked in ["token=%5Bredacted%5D", "note=[redacted]"] {
            let line = #"{"v":1,"request":{"method":"GET","url":"http://a.test/?\#(masked)"}}"#
            let path = try folder.write(Array(line.utf8), to: "masked.ndjson")
            let outcome = await tapline("export", path, "--to=har")
            #expect(outcome.code == .success && !outcome.errors.contains(warning))
        }
    }

    @Test("counts what was lost, and fails for it if asked to")
    func strict() async throws {
        let outcome = await tapline("export", store, "--to=csv")
        #expect(outcome.code == .success)
        #expect(outcome.errors.contains("not carried over:\n  headers  20 times"))
        #expect(await tapline("export", store, "--to=csv", "--strict").code == .failure)
        #expect(await tapline("export", store, "--to=ndjson", "--strict").code == .success)
    }

    @Test("writes a file, which it does not replace by itself")
    func file() async throws {
        let out = folder("api.json")
        let first = await tapline("export", store, "--to=openapi", "--out", out)
        #expect(first.code == .success, "\(first.errors)")
        #expect(first.output.isEmpty)
        #expect(try folder.read("api.json").contains("\"/items/{id}\""))
        let again = await tapline("export", store, "--to=openapi", "--out", out)
        #expect(again.code == .usage)
        #expect(again.errors.contains("exists; --force replaces it"))
        #expect(try FileSystem.status(of: out)?.permissions == 0o600)
        _ = try await command("chmod", ["640", out])
        let former = try FileSystem.status(of: out)
        let forced = await tapline("export", store, "--to=har", "--out", out, "--force")
        #expect(forced.code == .success)
        let replaced = try FileSystem.status(of: out)
        #expect(replaced?.inode != former?.inode)
        #expect(replaced?.permissions == 0o640)
        #expect(try folder.read("api.json").contains("\"entries\""))
    }

    @Test("writes through what is no regular file, and does not replace it")
    func link() async throws {
        let target = try folder.write("", to: "target.har")
        let link = folder("link.har")
        try #require(try runShell("ln -s '\(target)' '\(link)'").status == 0)
        #expect(
            await tapline("export", store, "--to=har", "--out", link, "--force").code == .success
        )
        #expect(try folder.read("target.har").contains("\"entries\""))
        #expect(try FileSystem.status(of: link, followingLinks: false)?.kind == .link)
    }

    @Test("fails if standard output cannot be written")
    func output() async throws {
        let errors = Mutex("")
        let code = await TaplineCommand.program.run(
            ["export", store, "--to=har"],
            plugins: PluginRegistry(),
            environment: Environment([:]),
            console: Console(
                isTerminal: false,
                isOutputClosed: { true },
                outputError: { FileError("write to", "standard output", code: 28) },
                output: { _ in },
                errors: { bytes in
                    errors.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
                }
            )
        )
        #expect(code == .failure)
        #expect(errors.withLock { $0 }.contains("no space left"))
    }

    @Test("quotes for the given shell")
    func shell() async throws {
        let fish = await tapline("export", store, "--to=wget", "--shell=powershell", "--limit=1")
        #expect(fish.output.contains(" `\n"))
    }

    @Test(
        "rejects wrong arguments",
        arguments: [
            ("--to=pdf", "--strict", "unknown value 'pdf' of '--to'"),
            ("--newest", "--strict", "'export' needs '--to'; expected curl, httpie"),
            ("--to=har", "--shell=fish", "'--shell' has no effect on 'har'"),
            ("--to=har", "--limit=x", "wrong value of '--limit'; found 'x'"),
            ("--to=har", "sttus == 1", "unknown field 'sttus'"),
        ]
    )
    func wrong(first: String, second: String, message: String) async {
        let outcome = await tapline("export", store, first, second)
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
}
