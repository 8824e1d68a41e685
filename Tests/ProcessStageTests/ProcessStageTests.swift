// SPDX-License-Identifier: MIT

import ProcessSink
import ProcessSource
import ProcessStage
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import Testing
import TestSupport

@Suite("Programs as stages")
struct ProcessStageTests {
    private static let folder = "\(TestFiles.repository)/Examples/plugins/python"

    private static func command(_ script: String, _ more: String = "") -> String {
        "command: [/usr/bin/python3, '\(folder)/\(script)'\(more)]"
    }

    @Test("a stage in Python keeps, changes and drops records, in their order")
    func stage() async throws {
        var exchanges = (0..<300).map { Exchange.example($0) }
        for index in exchanges.indices {
            if index % 10 == 0 { exchanges[index].request.target = "/health" }
            exchanges[index].timing.total = Microseconds(index % 3 == 0 ? 300_000 : 1000)
        }
        let found = try await PluginHarness.records(
            of: exchanges,
            through: .process,
            options: "{ \(Self.command("tag_slow.py")), window: 7 }"
        )
        let kept = exchanges.enumerated().filter { $0.offset % 10 != 0 }
        #expect(found.map(\.id) == kept.map(\.element.id))
        #expect(found.map { $0.tags["slow"] } == kept.map { $0.offset % 3 == 0 ? "yes" : nil })
    }

    @Test("a changed script is a changed configuration")
    func script() {
        var diagnostics = Diagnostics()
        let command = Self.command("tag_slow.py")
        let text =
            "version: 1\nsources: [process: { \(command) }]\n"
            + "stages: [process: { \(command) }]\nsinks: [process: { \(command) }]\n"
        let source = ConfigSource(name: "p.yaml", bytes: Array(text.utf8), folder: Self.folder)
        let registry = PluginRegistry(
            sources: [.process],
            stages: [.process],
            sinks: [.process]
        )
        let root = ConfigReader().read(source, into: &diagnostics)
        let topology = root.flatMap {
            TopologyBuilder(registry: registry).build($0, into: &diagnostics)
        }
        let files = topology?.configurationFiles
        #expect(files == Array(repeating: "\(Self.folder)/tag_slow.py", count: 3))
    }

    @Test("a wire stage in Python answers and changes requests")
    func wire() async throws {
        var exchanges = (0..<2).map { Exchange.example($0) }
        exchanges[0].request.target = "/canary"
        exchanges[1].request.fields.append(name: "X-Tester", value: "yes")
        let found = try await PluginHarness.records(
            of: exchanges,
            through: .process,
            options: "{ \(Self.command("canary.py")), mode: wire, sees_secrets: true }"
        )
        #expect(found[0].response?.body.bytes == Array("canary\n".utf8))
        #expect(found[1].request.fields.first("X-Version") == "next")
    }

    @Test(
        "files that would show a program more than it may see are refused",
        arguments: [
            ("[{ process: { command: [cat] } }, { redact: {} }]", "would see records before"),
            ("[{ process: { command: [cat], mode: wire } }]", "sees live traffic before"),
            ("[{ process: { command: [no-such-program] } }]", "there is no program"),
        ]
    )
    func refused(stages: String, expected: String) {
        let redact = StagePlugin(
            name: "redact",
            summary: "",
            options: OptionSchema(),
            build: { _, _ in ScriptedStage(redacts: true, record: { _, _ in .keep }) }
        )
        let registry = PluginRegistry(
            sources: [.process],
            stages: [.process, redact],
            sinks: [.process]
        )
        let text = """
            version: 1
            sources: [{ process: { command: [cat] } }]
            stages: \(stages)
            sinks: [{ process: { command: [cat] } }]
            """
        var diagnostics = Diagnostics()
        let root = ConfigReader().read(Array(text.utf8), name: "p.yaml", into: &diagnostics)
        let builder = TopologyBuilder(
            registry: registry,
            environment: Environment(["PATH": "/usr/bin:/bin"])
        )
        if let root { _ = builder.build(root, into: &diagnostics) }
        let messages = diagnostics.all.map(\.message)
        #expect(messages.contains { $0.contains(expected) }, "\(messages)")
    }
}
