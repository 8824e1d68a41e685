// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import RulesStage

@Suite("The plugin rules") struct RulesPluginTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Builds a stage of options in YAML, in a folder; returns the hooks and the messages.
    private func build(_ yaml: String, in folder: String) throws -> (hooks: Hooks?, text: String) {
        var diagnostics = Diagnostics()
        let node = ConfigReader().read(
            ConfigSource(name: "\(folder)/pipeline.yaml", text: yaml),
            into: &diagnostics
        )
        let options = StagePlugin.rules.description.options.decode(
            try #require(node),
            owner: "rules",
            into: &diagnostics,
            environment: Environment()
        )
        var context = BuildContext(id: "rules", folder: folder)
        let factory = options.flatMap { StagePlugin.rules.build($0, &context) }
        diagnostics.append(contentsOf: context.diagnostics)
        return (factory?.hooks, diagnostics.rendered)
    }

    @Test("reads its file from the folder of the pipeline")
    func builds() throws {
        try folder.write("version: 1\nrules: [{ actions: [stop] }]", to: "r.yaml")
        let built = try build("file: r.yaml", in: folder.path)
        #expect(built.hooks == [.request, .response])
        #expect(built.text == "")
    }

    @Test("reports the problems of its file where they are")
    func problems() throws {
        let path = try folder.write("version: 1\nrules: [{ actions: [stpo] }]", to: "r.yaml")
        let built = try build("file: r.yaml", in: folder.path)
        #expect(built.hooks == nil)
        #expect(built.text.hasPrefix("\(path):2:21: error: unknown action 'stpo'"))
        #expect(built.text.contains("help: did you mean 'stop'?"))
    }

    @Test(
        "refuses other options",
        arguments: [
            ("fiel: r.yaml", "unknown option 'fiel'"), ("{}", "option 'file' is missing"),
            ("file: none.yaml", "the rules cannot be read: no such file or directory"),
            ("file: '-'", "rules cannot be read from standard input"),
        ]
    )
    func refusals(yaml: String, message: String) throws {
        let built = try build(yaml, in: "/nonexistent")
        #expect(built.hooks == nil)
        #expect(built.text.contains(message), "\(built.text)")
    }
}
