// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin
import TaplineSystem
import Testing

@testable import StdoutSink

@Suite struct StdoutPluginTests {
    /// Decodes and builds options as a configuration file does.
    func build(
        _ yaml: String,
        environment: [String: String] = [:]
    ) throws -> (factory: StdoutFactory?, problems: [String]) {
        var diagnostics = Diagnostics()
        let source = ConfigSource(name: "test.yaml", text: yaml)
        let node = try #require(ConfigReader().read(source, into: &diagnostics))
        let plugin = SinkPlugin.stdout
        let options = plugin.description.options.decode(
            node,
            owner: "stdout",
            into: &diagnostics,
            environment: Environment()
        )
        var context = BuildContext(
            id: "stdout",
            environment: Environment(environment),
            diagnostics: diagnostics
        )
        let factory = options.flatMap { plugin.build($0, &context) }
        return (factory as? StdoutFactory, context.diagnostics.all.map(\.message))
    }

    @Test func hasDefaults() throws {
        let factory = try #require(try build("{}").factory)
        #expect(factory.format == .pretty)
        #expect(factory.maxBody == nil)
        #expect(factory.colors == .auto)
        #expect(factory.claims == [.standardOutput])
    }

    @Test func acceptsAllOptions() throws {
        let result = try build("{ verbose: true, max_body: 1KiB, colors: always, format: pretty }")
        #expect(result.problems == [])
        #expect(result.factory?.maxBody == 1024)
        #expect(result.factory?.colors == .always)
    }

    @Test(arguments: [
        ([:], true), (["NO_COLOR": ""], true), (["NO_COLOR": "1"], false),
        (["TERM": "dumb"], false), (["TERM": "xterm"], true),
    ])
    func obeysTheEnvironment(environment: [String: String], allowed: Bool) throws {
        #expect(try build("{}", environment: environment).factory?.allowsColor == allowed)
    }

    @Test func warnsAboutVerboseWithoutEffect() throws {
        let result = try build("{ verbose: true, format: ndjson }")
        #expect(
            result.problems
                == ["'verbose' has no effect here; it needs the format 'pretty'"]
        )
        #expect(result.factory != nil)
    }

    @Test func rejectsUnknownFormats() throws {
        let result = try build("format: prety")
        #expect(result.factory == nil)
        #expect(
            result.problems
                == ["unknown value 'prety' in 'format'; expected pretty, compact, ndjson"]
        )
    }
}
