// SPDX-License-Identifier: MIT

import TaplineBuiltIns
import TaplineConfig
import TaplineDetectors
import TaplinePlugin
import TaplineProxy
import TaplineQuery
import TaplineRuntime
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

/// Checks the examples in the README and on the page about pipeline files.
@Suite("The examples in the README")
struct ReadmeTests {
    /// The code blocks in a language on a page, without their indentation.
    static func blocks(_ language: String, of page: String) throws -> [String] {
        let page = try TestFiles.text(of: "\(TestFiles.repository)/\(page)")
        var blocks: [String] = []
        var block: [Substring]?
        var isWanted = false
        var indent = 0
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            if let lines = block {
                if text == "```" {
                    if isWanted { blocks.append(lines.joined(separator: "\n") + "\n") }
                    block = nil
                } else {
                    block = lines + [line.dropFirst(indent)]
                }
            } else if text.hasPrefix("```") {
                isWanted = text == "```\(language)"
                indent = line.count - text.count
                block = []
            }
        }
        return blocks
    }

    /// Builds a pipeline file as if it were in the folder `Examples`; returns the messages.
    private static func build(_ text: String) -> String {
        var diagnostics = Diagnostics()
        let root = ConfigReader().read(
            Array(text.utf8),
            name: "pipeline.yaml",
            folder: "\(TestFiles.repository)/Examples",
            into: &diagnostics
        )
        if let root {
            _ = TopologyBuilder(registry: .builtIn.adding(.proxy)).build(root, into: &diagnostics)
        }
        return diagnostics.rendered
    }

    @Test(
        "are valid pipelines",
        arguments: ["README.md", "Sources/Pipeline/TaplineRuntime/README.md"]
    )
    func pipelines(page: String) throws {
        let files = try Self.blocks("yaml", of: page).filter { $0.hasPrefix("version: 1") }
        #expect(!files.isEmpty)
        for file in files { #expect(Self.build(file) == "") }
    }

    @Test("of an app store what the page says")
    func app() async throws {
        let page = "README.md"
        let file = try #require(
            try Self.blocks("yaml", of: page).first { $0.contains("url_protocol") }
        )
        let text = try TestFiles.text(of: "\(TestFiles.repository)/\(page)")
        #expect(text.contains("`redact: { detectors: standard }`"))
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let traffic = """
            {"v":1,"started":"2026-11-20T14:00:00Z","request":{"method":"POST",\
            "url":"http://shop.test/a?token=t0p-s3cret-of-ann","headers":[["Content-Type","application/json"]],\
            "body":{"text":"{\\"contact\\":\\"ann@mail-of-ann.com\\",\\"password\\":\\"hunter2\\"}"}}}
            """
        try File("\(folder)/app.ndjson", for: .create).write(traffic.utf8.span)
        let source = "replay: { path: app.ndjson }"
        for (options, code) in [
            ("preset: standard", ExitCode.leaks), ("detectors: standard", .success),
        ] {
            let pipeline = file.replacing("url_protocol", with: source)
                .replacing("preset: standard", with: options)
                .replacing("stdout, sqlite: { path: traffic.db }", with: "ndjson: { path: out }")
            try File("\(folder)/app.yaml", for: .replace).write(pipeline.utf8.span)
            let run = await tapline("run", "\(folder)/app.yaml", plugins: .detectors)
            #expect(run.code == .success, "\(run.errors)")
            let stored = try TestFiles.text(of: "\(folder)/out")
            #expect(stored.contains("mail-of-ann") == (code == .leaks))
            #expect(!stored.contains("s3cret") && !stored.contains("hunter2"))
            let leaks = await tapline("leaks", "\(folder)/out", plugins: .detectors)
            #expect(leaks.code == code, "\(leaks.output)")
            try FileSystem.remove("\(folder)/out")
        }
    }

    @Test("ask questions that have answers")
    func questions() async throws {
        let block = try #require(
            try Self.blocks("sh", of: "README.md").first { $0.contains("tapline query") }
        )
        let folder = try TemporaryFolder()
        var outputs: [String] = []
        for line in block.split(separator: "\n") {
            // The pipeline writes to a folder of the test.
            let words = try words(of: line).dropFirst()
            let database = "sqlite.path=\(folder.path)/traffic.db"
            let arguments = words.map { word in
                word.hasPrefix("Examples/traffic")
                    ? "\(folder.path)/traffic.db"
                    : word.hasPrefix("Examples/")
                        ? "\(TestFiles.repository)/\(word)" : word
            }
            let run = await tapline(
                words: arguments + (words.first == "run" ? ["--set", database] : [])
            )
            #expect(run.code == .success, "\(line): \(run.errors)")
            outputs.append(run.output)
        }
        #expect(outputs.count == 5)
        for (output, text) in zip(outputs.dropFirst(), [" 404 ", "HTTP/", "total", "curl "]) {
            #expect(output.contains(text), "\(output)")
        }
    }

    @Test("serve, send and compare a recording")
    func replay() async throws {
        let block = try #require(
            try Self.blocks("sh", of: "README.md").first { $0.contains("tapline replay") }
        )
        let folder = try TemporaryFolder()
        let database = folder("traffic.db")
        let pipeline = "\(TestFiles.repository)/Examples/to-sqlite.yaml"
        let run = await tapline("run", pipeline, "--set", "sqlite.path=\(database)")
        #expect(run.code == .success, "\(run.errors)")
        // Without a server: the mock ends at once, nothing is sent, and the recording is compared with
        // itself.
        let additions = ["mock": ["--for", "1ms"], "replay": ["--dry-run"]]
        let results = ["mock": "127.0.0.1:", "replay": "127.0.0.1:9000", "diff": "no differences"]
        var commands: [String] = []
        for line in block.split(separator: "\n") {
            let words = try words(of: line).dropFirst().map { word in
                switch word {
                case "Examples/traffic.db": database
                case "again.db": line.contains("diff") ? database : folder("again.db")
                case "127.0.0.1:9000": "127.0.0.1:0"
                default: word
                }
            }
            let command = try #require(words.first)
            let run = await tapline(
                words: words + (additions[command] ?? []),
                plugins: .detectors.adding(.proxy)
            )
            #expect(run.code == .success, "\(line): \(run.errors)")
            #expect(run.output.contains(results[command] ?? "unknown"), "\(line): \(run.output)")
            commands.append(command)
        }
        #expect(commands == ["mock", "replay", "diff"])
    }

    /// The words of a line; single quotes enclose one.
    private func words(of line: Substring) throws -> [String] {
        var words: [String] = []
        for (position, part) in line.split(separator: "'", omittingEmptySubsequences: false)
            .enumerated()
        {
            words +=
                position % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
        }
        return words
    }

    @Test("are valid filters and scripts")
    func parts() throws {
        let filters = try Self.blocks("yaml", of: "README.md").filter { $0.hasPrefix("when: ") }
        #expect(filters.count == 1)
        for filter in filters { _ = try Filter(String(filter.dropFirst(6).dropLast())) }
        let scripts = try Self.blocks("lua", of: "README.md")
        #expect(scripts.count == 1)
        for script in scripts {
            let code = script.split(separator: "\n").map { "        \($0)" }
                .joined(separator: "\n")
            let file =
                "version: 1\nsources: [{ replay: { path: recordings/shop.har } }]\nstages:\n"
                + "  - lua:\n      code: |\n\(code)\n  - redact\nsinks: [stdout]\n"
            #expect(Self.build(file) == "")
        }
    }

    @Test("show the messages that the code produces")
    func messages() throws {
        let shown = try #require(
            try Self.blocks("", of: "README.md").first { $0.contains("error:") }
        )
        let file = """
            version: 1
            sources:
              - replay: { path: recordings/shop.har }

            stages:
              - redact
              - limit_body: { max_byte: 64KiB }
            sinks: [stdout]
            """
        #expect(Self.build(file) == shown || Self.build(file) + "\n" == shown)
    }
}
