// SPDX-License-Identifier: MIT

import RulesStage
import TaplineBuiltIns
import TaplineConfig
import TaplineKafka
import TaplinePlugin
import TaplineProxy
import TaplineRuntime
import TaplineStreams
import TaplineSystem
import TaplineTelemetry
import TaplineTestRunner
import TestSupport
import Testing

/// Compares the option tables of the reference pages with the declarations.
///
/// `TAPLINE_WRITE_DOCS=1 swift test --filter DocumentationTests` rewrites them; that run fails, so
/// that it is not mistaken for a check.
@Suite("The reference pages")
struct DocumentationTests {
    private static let writes = ProcessEnvironment.variables["TAPLINE_WRITE_DOCS"] != nil

    /// All plugins of the command.
    private static let plugins = PluginRegistry.builtIn.adding(.proxy).adding(.streams)
        .adding(.kafka).adding(.telemetry).all

    /// The pages of plugins that share the folder of another one.
    private static let pages = ["server_replay": "Proxy/Mock.md"]

    @Test(
        "have a table of all options of each plugin",
        arguments: plugins
    )
    func options(plugin: PluginDescription) throws {
        let folder = "\(TestFiles.repository)/Plugins/\(plugin.kind.rawValue.capitalised)s"
        if let page = Self.pages[plugin.name] {
            return try Self.compare("\(folder)/\(page)", [plugin.options.table()])
        }
        let name = try #require(
            try FileSystem.names(in: folder).first { $0.lowercased() == plugin.folderName }
        )
        try Self.compare("\(folder)/\(name)/README.md", [plugin.options.table()])
    }

    @Test("have tables of the common keys of components, and of the runtime")
    func commonKeys() throws {
        try Self.compare(
            "\(TestFiles.repository)/Sources/Pipeline/TaplineRuntime/README.md",
            PipelineSchema.tables.map(\.text)
        )
    }

    @Test("have tables of the keys in test files")
    func testFiles() throws {
        try Self.compare(
            "\(TestFiles.repository)/Sources/Products/TaplineTestRunner/README.md",
            TestSchema.tables.map(\.text)
        )
    }

    @Test("have tables of the keys in files of rules, and their schema")
    func rules() throws {
        let folder = "\(TestFiles.repository)/Plugins/Stages/Rules"
        let plugin = try #require(
            PluginRegistry.builtIn.all.first { $0.kind == .stage && $0.name == "rules" }
        )
        try Self.compare("\(folder)/README.md", [plugin.options.table()] + RuleSet.tables)
        let (path, schema) = ("\(folder)/rules.schema.json", RuleSet.schema.prettyText)
        guard Self.writes else {
            #expect(try TestFiles.text(of: path) == schema)
            return
        }
        try File(path, for: .replace).write(schema.utf8.span)
        Issue.record("\(path) was rewritten")
    }

    /// Compares the first option tables of a page with the declared ones, in order.
    private static func compare(_ path: String, _ declared: [String]) throws {
        var lines = try TestFiles.text(of: path)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var position = 0
        for table in declared {
            let rest = lines[position...]
            let start = try #require(
                rest.firstIndex { $0.hasPrefix("| option |") },
                "no option table in \(path)"
            )
            let end = rest[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.count
            let expected = table.split(separator: "\n").map(String.init)
            if writes {
                lines.replaceSubrange(start..<end, with: expected)
            } else {
                #expect(Array(lines[start..<end]) == expected, "\(path):\(start + 1)")
            }
            position = start + expected.count
        }
        guard writes else { return }
        try File(path, for: .replace).write(Array(lines.joined(separator: "\n").utf8).span)
        Issue.record("\(path) was rewritten")
    }
}

extension PluginDescription {
    /// The plugin's folder in lower case: `limit_body` is in `LimitBody`.
    fileprivate var folderName: String { name.replacing("_", with: "") }
}

extension String {
    fileprivate var capitalised: String { prefix(1).uppercased() + dropFirst() }
}
