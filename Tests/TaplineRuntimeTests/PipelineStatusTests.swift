// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineOperations
import TaplinePlugin
import TaplineStatistics
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineRuntime

@Suite("The status of a pipeline")
struct PipelineStatusTests {
    private static func timed(_ count: Int) -> [Exchange] {
        Exchange.examples(count).map { exchange in
            var exchange = exchange
            exchange.timing.total = Microseconds(5000)
            exchange.bytes = ByteCounts(
                up: ByteCounts.Direction(line: 10),
                down: ByteCounts.Direction(body: 90)
            )
            return exchange
        }
    }

    @Test("has the figures of the report, for which one law holds")
    func law() async throws {
        let stage = ScriptedStage(record: { exchange, _ in
            exchange.request.target == "/items/3" ? .drop(reason: "test") : .keep
        })
        var topology = Topology(
            sources: [Topology.Source(id: "scripted", ScriptedSource(Self.timed(10)))],
            stages: [Topology.Stage(id: "drops", stage)],
            sinks: [Topology.Sink(id: "sink", RecordingSink())]
        )
        topology.plugins = ["sink": "recording"]
        let pipeline = Pipeline(topology, now: { Timestamp(microseconds: 1_000_000) })
        #expect(!pipeline.status.hasStarted)
        #expect(pipeline.status.components.map(\.state) == [.starting, .running, .starting])
        let report = await pipeline.run()
        let status = pipeline.status
        #expect(status.components.map(\.id) == ["scripted", "drops", "sink"])
        #expect(status.components.map(\.plugin) == ["scripted", "drops", "recording"])
        #expect(status.components.map(\.state) == [.ended, .running, .ended])
        #expect(status.components.map(\.received) == [10, 10, 9])
        #expect(status.components.map(\.sent) == [10, 9, 9])
        #expect(status.components[1].dropped == [ComponentStatus.Count("stage", 1)])
        for one in status.components {
            let queued = one.queue?.records ?? 0
            #expect(one.received == one.sent + one.lost + queued, "\(one.id)")
        }
        #expect(report.exchanges == status.components[0].received)
        let times = try #require(status.components[0].times.first?.distribution)
        #expect(times.count == 10)
        #expect(times.quantile(0.5) == 5_000_000)
        #expect(status.components[0].receivedBytes == 1000)
        #expect(status.components[2].receivedBytes > 0)
        #expect(status.components[2].times.map(\.name) == ["queue", "write"])
        #expect(status.components[2].times[0].distribution.count == 9)
    }

    @Test("drains as a stop does")
    func drain() async {
        let pipeline = Pipeline(
            Topology(
                sources: [Topology.Source(id: "scripted", ScriptedSource([]))],
                sinks: [Topology.Sink(id: "sink", RecordingSink())]
            ),
            now: { Timestamp(microseconds: 0) }
        )
        pipeline.drain()
        #expect(pipeline.status.isDraining)
        #expect(await pipeline.run().isSuccess)
    }

    @Test("of a failing sink has its reason and its age")
    func failing() {
        var talk = SinkQueueConversation()
        for event in [QueueEvent.submit(10), .next, .selected(10), .next] { _ = talk(event) }
        #expect(talk.machine.state(now: 0).state == .running)
        talk.milliseconds = 100
        _ = talk(.writeFailed(.passing))
        let state = talk.machine.state(now: 300_000)
        #expect(state.state == .failing)
        #expect(state.reason == "locked")
        #expect(state.failingFor == Microseconds(300_000))
        #expect(state.queue.records == 10)
    }

    @Test("of a queue has the age of its oldest record, also on the disk")
    func lag() {
        var talk = SinkQueueConversation()
        #expect(talk.machine.state(now: 0).queue.lag == nil)
        talk.milliseconds = 10
        _ = talk(.submit(20, live: true))
        #expect(talk.machine.state(now: 30_000).queue.lag == Microseconds(20_000))
        talk.milliseconds = 40
        _ = talk(.submit(10, live: true))
        _ = talk(.takeStaged)
        _ = talk(.spilled())
        for event in [QueueEvent.next, .selected(20), .next, .wrote()] { _ = talk(event) }
        // The records on the disk are the oldest ones now.
        #expect(talk.machine.state(now: 100_000).queue.lag == Microseconds(60_000))
        #expect(talk(.next).hasPrefix("read back"))
        _ = talk(.readBack(10))
        #expect(talk.machine.state(now: 100_000).queue.lag == Microseconds(60_000))
    }

    @Test("of a source that waits for a sink begins with the first batch and ends with the last")
    func wait() {
        let wait = SinkWait()
        #expect(wait.since == nil)
        wait.begin()
        #expect(wait.since != nil)
        wait.begin()
        wait.end()
        #expect(wait.since != nil)
        wait.end()
        #expect(wait.since == nil)
        // The end may come first.
        wait.end()
        wait.begin()
        #expect(wait.since == nil)
    }
}
