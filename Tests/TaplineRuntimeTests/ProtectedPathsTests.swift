// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConfig
import TaplineModel
import TaplineSystem
import TaplineTesting
import Testing

@testable import TaplinePlugin
@testable import TaplineRuntime

@Suite struct ProtectedPathsTests {
    /// Stores the paths that the stage `look` gets.
    private final class Seen: Sendable {
        let paths = Mutex<[String]>([])
    }

    private static func key(_ name: String) -> ConfigKey<String?> {
        ConfigKey(name, OptionType<String>.path.optional, default: nil, summary: "A path.")
    }

    private func paths(
        _ text: String,
        environment: [String: String] = [:],
        onlyStages: Bool = false
    ) throws -> [String] {
        let seen = Seen()
        let (file, key) = (Self.key("key_file"), Self.key("client_key"))
        let (folder, spool) = (Self.key("ca"), Self.key("folder"))
        let registry = PluginRegistry(
            sources: [
                SourcePlugin(name: "script", summary: "", options: OptionSchema(key, folder)) {
                    _,
                    _ in
                    ScriptedSource([])
                }
            ],
            stages: [
                StagePlugin(name: "look", summary: "", options: OptionSchema(file)) { _, context in
                    let paths = context.protectedPaths
                    seen.paths.withLock { $0 = paths }
                    return ScriptedStage(record: { _, _ in .keep })
                }
            ],
            sinks: [
                SinkPlugin(name: "keep", summary: "", options: OptionSchema()) { _, _ in
                    RecordingSink()
                },
                SinkPlugin(name: "s3", summary: "", options: OptionSchema(spool)) { _, _ in
                    RecordingSink()
                },
            ]
        )
        var diagnostics = Diagnostics()
        let source = ConfigSource(name: "pipeline.yaml", text: text, folder: "/etc/app")
        let root = try #require(ConfigReader().read(source, into: &diagnostics))
        let builder = TopologyBuilder(registry: registry, environment: Environment(environment))
        if onlyStages {
            _ = builder.stages(root, into: &diagnostics)
        } else {
            let topology = builder.build(root, into: &diagnostics)
            let known = topology?.protectedPaths.sorted()
            #expect(known == seen.paths.withLock { $0.sorted() })
        }
        #expect(!diagnostics.hasErrors, "\(diagnostics.all.map(\.message))")
        return seen.paths.withLock { $0.sorted() }
    }

    private static let file = """
        version: 1
        sources:
          - script: { client_key: "${KEYS}/client.pem", ca: ./ca }
        stages:
          - look: { key_file: redact.key }
        sinks:
          - keep
        """

    @Test(arguments: [false, true])
    func keysOfAllComponentsAreProtected(onlyStages: Bool) throws {
        let found = try paths(
            Self.file,
            environment: ["KEYS": "/keys", "HOME": "/home/ann"],
            onlyStages: onlyStages
        )
        #expect(
            found == [
                "/etc/app/./ca", "/etc/app/redact.key", "/home/ann/.local/share/tapline",
                "/keys/client.pem",
            ]
        )
    }

    @Test func whatQueuesAndSinksKeepIsProtected() throws {
        let text = """
            version: 1
            sources: [script]
            stages: [look]
            sinks:
              - keep
                queue: { disk: queue, dead_letters: /dead.ndjson }
              - s3: { folder: spool }
            """
        let found = try paths(text.replacing("- keep\n", with: "- keep: {}\n"))
        #expect(found == ["/dead.ndjson", "/etc/app/queue", "/etc/app/spool"])
    }

    @Test func theUsersOwnAuthoritiesAreProtected() throws {
        let text = "version: 1\nsources: [script]\nstages: [look]\nsinks: [keep]\n"
        #expect(
            try paths(text, environment: ["XDG_DATA_HOME": "/data", "HOME": "/h"]) == [
                "/data/tapline"
            ]
        )
        #expect(try paths(text, environment: ["HOME": "relative"]).isEmpty)
    }
}
