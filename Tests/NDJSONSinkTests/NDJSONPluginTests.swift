// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import NDJSONSink

@Suite struct NDJSONPluginTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Decodes and builds options as a configuration file does.
    func build(_ yaml: String) throws -> (factory: NDJSONFactory?, problems: [String]) {
        let source = ConfigSource(name: "test.yaml", text: yaml, folder: folder.path)
        var diagnostics = Diagnostics()
        let node = try #require(ConfigReader().read(source, into: &diagnostics))
        let plugin = SinkPlugin.ndjson
        let options = plugin.description.options.decode(
            node,
            owner: "ndjson",
            into: &diagnostics,
            environment: Environment()
        )
        var context = BuildContext(id: "ndjson", folder: folder.path, diagnostics: diagnostics)
        let factory = options.flatMap { plugin.build($0, &context) }
        return (
            factory as? NDJSONFactory,
            context.diagnostics.all.map { "\($0.message)|\($0.help ?? "")" }
        )
    }

    @Test func acceptsAllOptions() throws {
        let result = try build(
            """
            path: t-%Y.ndjson
            sync: batch
            rotate: { size: 1MiB, age: 90m, keep: 3, compress: zstd }
            """
        )
        #expect(result.problems == [])
        let factory = try #require(result.factory)
        #expect(factory.template.path == folder("t-%Y.ndjson"))
        #expect(factory.syncs)
        #expect(
            factory.rotation
                == Rotation(
                    maxSize: 1 << 20,
                    age: Microseconds(5_400_000_000),
                    keep: 3,
                    coding: .zstd
                )
        )
        #expect(factory.claims == [.file(folder("t-%Y.ndjson"))])
    }

    @Test func hasDefaults() throws {
        let factory = try #require(try build("path: t.ndjson").factory)
        #expect(factory.rotation == .none)
        #expect(!factory.syncs)
    }

    @Test(arguments: [
        (
            "path: '-'",
            "'ndjson' writes to files; found '-'|"
                + "use 'stdout: { format: ndjson }' for standard output"
        ),
        (
            "path: a%Q",
            "unknown directive '%Q' in the file name; expected "
                + "%Y, %m, %d, %j, %H, %M, %S or %%|"
        ),
        (
            "{ path: a, rotate: { size: 1023B } }",
            "'size' is too small; found 1023 bytes, expected at least 1KiB|"
        ),
        ("{ path: a, rotate: { age: 10ms } }", "'age' is too short; expected at least 1s|"),
        (
            "{ path: a, rotate: { keep: 3 } }",
            "'rotate' has no limit; expected 'size', 'age' or a date in 'path'|"
        ),
    ])
    func rejectsInvalidOptions(yaml: String, problem: String) throws {
        let result = try build(yaml)
        #expect(result.problems == [problem])
        #expect(result.factory == nil)
    }

    @Test func requiresTheFolder() throws {
        let result = try build("path: no/a.ndjson")
        let path = folder("no")
        #expect(
            result.problems == [
                "the folder '\(path)' does not exist|create it with: mkdir -p '\(path)'"
            ]
        )
        #expect(try folder.names == [])
    }

    @Test func createsNoFileBeforeTheRun() throws {
        #expect(try build("path: a.ndjson").factory != nil)
        #expect(try folder.names == [])
    }

    @Test func rotatesWithOnlyADateInTheName() throws {
        let factory = try #require(
            try build("{ path: '%Y.ndjson', rotate: { keep: 3 } }").factory
        )
        #expect(factory.rotation == Rotation(keep: 3))
    }
}
