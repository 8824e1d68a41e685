// SPDX-License-Identifier: MIT

import StreamTestSupport
import TaplineModel
import TaplineNATS
import TaplinePlugin
import TaplineRuntime
import TaplineStreams
import TaplineTesting
import TestSupport
import Testing

@Suite("The options of the source nats")
struct NATSSourceOptionsTests {
    @Test("say what is wrong")
    func wrong() {
        let source = buildSource("{ servers: a, stream: T, durable: 'a.b', window: 1h }").1
        #expect(source.contains("not the name of a durable consumer"))
        #expect(source.contains("'window' is out of range"))
        let subject = buildSource("{ servers: a, stream: T, subject: 'a..b' }").1
        #expect(subject.contains("not a subject"))
    }

    @Test("the product has both plugins")
    func product() {
        let registry = PluginRegistry.streams
        #expect(registry.all.map(\.name) == ["nats", "nats"])
    }

    @Test("of a source needs a pull consumer with the same subjects")
    func consumer() async throws {
        let server = try NATSServer()
        try await server.publish([])
        let report = try await server.reading(into: RecordingSink(), "create: false").run()
        #expect(report.failures.joined().contains("no consumer 'tapline'"), "\(report.failures)")
        _ = try await server.reading(into: RecordingSink(), "end: true").run()
        let filtered = try await server.reading(
            into: RecordingSink(),
            "end: true, subject: traffic.a"
        ).run()
        #expect(filtered.failures.joined().contains("selects ''"), "\(filtered.failures)")
    }
}
