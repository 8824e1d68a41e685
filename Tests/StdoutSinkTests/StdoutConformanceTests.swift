// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import Testing

@testable import StdoutSink

@Suite struct StdoutConformanceTests {
    @Test func conforms() async {
        let violations = await Conformance.violations(
            of: intoFile,
            options: "format: ndjson",
            stored: { folder in try Self.ids(in: "\(folder)/out") }
        )
        #expect(violations == [])
    }

    @Test(arguments: ["", "verbose: true", "{ format: compact, colors: always }"])
    func conformsForPeople(options: String) async {
        #expect(await Conformance.violations(of: intoFile, options: options) == [])
    }

    /// The sink with a file instead of standard output.
    private var intoFile: SinkPlugin {
        let plugin = SinkPlugin.stdout.description
        return SinkPlugin(
            name: plugin.name,
            summary: plugin.summary,
            options: plugin.options
        ) { options, context in
            guard let factory = StdoutOptions.build(options, &context) as? StdoutFactory else {
                return nil
            }
            return FileFactory(settings: factory, path: "\(context.folder)/out")
        }
    }

    private static func ids(in path: String) throws -> [ExchangeID] {
        var bytes: [UInt8] = []
        let file = try File(path, for: .read)
        while try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
        return try bytes.split(separator: .ascii("\n")).map { line in
            let text = Array(line.dropFirst(#"{"v":1,"id":""#.utf8.count).prefix(36))
            guard let id = ExchangeID(text.span) else { throw FixtureError() }
            return id
        }
    }
}

/// Opens the sink on a file.
private struct FileFactory: SinkFactory {
    let settings: StdoutFactory
    let path: String

    func open(_ context: SinkContext) throws -> any Sink {
        StdoutSink(to: try File(path, for: .append), settings, clock: utc)
    }
}
