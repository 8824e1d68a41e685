// SPDX-License-Identifier: MIT

import TaplineBuiltIns
import TaplineConfig
import TaplinePlugin
import TaplineProxy
import TaplineQuery
import TaplineRuntime
import Testing

/// Checks the examples in the README and on the page about pipeline files.
@Suite("The examples in the README")
struct ReadmeTests {
    /// The code blocks in a language on a page, without their indentation.
    static func blocks(_ language: String, of page: String) throws -> [String] {
        let page = try Repository.text(of: "\(Repository.root)/\(page)")
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
            folder: "\(Repository.root)/Examples",
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
