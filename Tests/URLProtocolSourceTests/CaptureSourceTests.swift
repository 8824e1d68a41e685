// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import Testing

@testable import URLProtocolSource

@Suite("url_protocol outside an app")
struct CaptureSourceTests {
    @Test("the error says what to do")
    func error() async throws {
        let topology = Topology(
            sources: [Topology.Source(id: "app", CaptureSource(capturesShared: true))],
            sinks: [Topology.Sink(id: "sink", RecordingSink(RecordingSink.Log()))]
        )
        let report = await Pipeline(topology, now: { Timestamp(microseconds: 0) }).run()
        let failure = try #require(report.failures.first)
        #expect(failure.contains("Tapline.start(configuration:)"))
    }

    @Test("it does not run")
    func doesNotRun() async {
        let violations = await Conformance.violations(
            of: SourcePlugin.urlProtocol,
            count: 1,
            traffic: LiveTraffic { _, _ in }
        )
        #expect(Set(violations.map(\.check)).isSuperset(of: [.run, .counters]))
    }
}
