// SPDX-License-Identifier: MIT

import StreamTestSupport
import Synchronization
import TaplineModel
import TaplineNATS
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import NATSSource

@Suite("Records of a stream", .timeLimit(.minutes(1)))
struct NATSSourceTests {
    private func ids(_ exchanges: [Exchange]) -> [ExchangeID] { exchanges.map(\.id) }

    private func metric(_ name: String, _ report: RunReport) -> Int? {
        report.sources[0].metrics.first { $0.name == name }?.count
    }

    @Test("reach the sinks of another pipeline unchanged, and are acknowledged")
    func roundTrip() async throws {
        let server = try NATSServer()
        let exchanges = Exchange.examples(3000)
        let report = try await server.publish(exchanges)
        #expect(report.isSuccess && report.isBalanced, "\(report.failures)")
        #expect(report.sinks[0].counters.written == 3000)
        let sink = RecordingSink()
        let read = try await server.reading(into: sink).run()
        #expect(read.isSuccess && read.isBalanced, "\(read.failures)")
        #expect(ids(sink.log.exchanges) == ids(exchanges))
        let first = try #require(sink.log.exchanges.first)
        #expect(first.source == "nats" && first.tags["recorded_source"] == "in")
        #expect(first.response?.body.bytes == exchanges[0].response?.body.bytes)
        let consumer = try server.connect().consumer("tapline", of: "T")
        #expect(consumer?.pending == 0 && consumer?.unacknowledged == 0)
        let second = RecordingSink()
        _ = try await server.reading(into: second).run()
        #expect(second.log.records.isEmpty)
    }

    @Test("that are no records are terminated, counted and logged, and the others go on")
    func poison() async throws {
        let server = try NATSServer()
        try await server.publish(Exchange.examples(10))
        let connection = try server.connect()
        let publisher = try NATSPublisher(connection, stream: "T", maxPending: 10)
        for text in ["", "{", "{\"v\":1}", "\u{1b}[31m", "{\"v\":2,\"request\":{}}"] {
            try publisher.publish(
                subject: Array("traffic.x".utf8) + [0],
                id: Array("poison \(text.utf8.count)".utf8) + [0],
                text.utf8.span
            )
        }
        #expect(publisher.wait().failures.isEmpty)
        let log = CollectedLog()
        let sink = RecordingSink()
        let report = try await server.reading(into: sink, log: log.log).run()
        #expect(sink.log.records.count == 10 && report.sources[0].counters.rejected == 5)
        #expect(log.text.contains("message 11 of 'T' is not a record"), "\(log.text)")
        #expect(!log.text.contains("\u{1b}"))
        #expect(try connection.consumer("tapline", of: "T")?.unacknowledged == 0)
    }

    @Test("that a sink could not make durable are written again, and then acknowledged")
    func failedFlush() async throws {
        let server = try NATSServer()
        try await server.publish(Exchange.examples(10))
        let sink = RecordingSink()
        let pipeline = try server.reading(
            into: FailingFlushes(of: sink, count: 1),
            "ack_wait: 1h, end: true, window: 50ms"
        )
        let report = await pipeline.run()
        let expected = ids(Exchange.examples(10))
        #expect(ids(sink.log.exchanges) == expected + expected)
        #expect(report.isSuccess && (metric("returned messages", report) ?? 0) == 0)
        #expect(try server.connect().consumer("tapline", of: "T")?.unacknowledged == 0)
    }

    @Test("that a stopped pipeline has not stored are delivered to the next one")
    func stopped() async throws {
        let server = try NATSServer()
        try await server.publish(Exchange.examples(10))
        let gate = Mutex(true)
        let stuck = RecordingSink(beforeWrite: {
            blockingWait(for: "the end of the pipeline") { !gate.withLock { $0 } }
        })
        let pipeline = try server.reading(
            into: stuck,
            "ack_wait: 1h, window: 20ms",
            drainTimeout: Microseconds(200_000)
        )
        let run = Task { await pipeline.run() }
        let connection = try server.connect()
        await wait(for: "delivery") {
            (try? connection.consumer("tapline", of: "T"))??.unacknowledged == 10
        }
        pipeline.stop()
        _ = await run.value
        let sink = RecordingSink()
        _ = try await server.reading(into: sink).run()
        gate.withLock { $0 = false }
        #expect(ids(sink.log.exchanges) == ids(Exchange.examples(10)))
    }

    @Test("are acknowledged, and delivered once, although the reader of another sink is gone")
    func readerGone() async throws {
        let server = try NATSServer()
        let exchanges = Exchange.examples(3000)
        try await server.publish(exchanges)
        let (sink, gone) = (RecordingSink(), RecordingSink())
        gone.log.fail(with: [SinkError(.closed, "closed pipe")])
        let source = try server.source("window: 50ms, retry_delay: 0s")
        let topology = Topology(
            sources: [Topology.Source(id: "nats", source)],
            sinks: [Topology.Sink(id: "gone", gone), Topology.Sink(id: "keep", sink)]
        )
        let pipeline = Pipeline(topology, now: { Timestamp(microseconds: 0) })
        let run = Task { await pipeline.run() }
        let connection = try server.connect()
        await wait(for: "all acknowledgements", within: .seconds(10)) {
            let consumer = (try? connection.consumer("tapline", of: "T")) ?? nil
            return consumer?.pending == 0 && consumer?.unacknowledged == 0
        }
        pipeline.stop()
        let report = await run.value
        #expect(report.isSuccess && report.isBalanced, "\(report.failures)")
        #expect(ids(sink.log.exchanges) == ids(exchanges))
        #expect(metric("returned messages", report) == 0)
    }

    @Test("are delivered to the next pipeline if the readers of all sinks are gone")
    func allReadersGone() async throws {
        let server = try NATSServer()
        try await server.publish(Exchange.examples(10))
        let gone = RecordingSink()
        gone.log.fail(with: [SinkError(.closed, "closed pipe")])
        let options = "window: 50ms, retry_delay: 0s"
        let pipeline = try server.reading(into: gone, options)
        let run = Task { await pipeline.run() }
        await wait(for: "the sink") { gone.log.calls.last == "close" }
        pipeline.stop()
        #expect(await run.value.isSuccess)
        let sink = RecordingSink()
        _ = try await server.reading(into: sink).run()
        #expect(ids(sink.log.exchanges) == ids(Exchange.examples(10)))
    }

    @Test("are read once a server can be reached, if the source has found none at its start")
    func lateServer() async throws {
        let server = try NATSServer()
        try await server.publish(Exchange.examples(10))
        server.kill()
        let (log, sink) = (CollectedLog(), RecordingSink())
        let pipeline = try server.reading(into: sink, log: log.log)
        let run = Task { await pipeline.run() }
        await wait(for: "the first try") { log.text.contains("waits for the servers") }
        try server.start()
        let report = await run.value
        #expect(report.isSuccess, "\(report.failures) \(log.text)")
        #expect(ids(sink.log.exchanges) == ids(Exchange.examples(10)))
    }

    @Test("that wait longer than 'ack_wait' are not delivered twice")
    func inProgress() async throws {
        let server = try NATSServer()
        try await server.publish(Exchange.examples(10))
        let begin = ContinuousClock.now
        let slow = RecordingSink(beforeWrite: {
            blockingWait(for: "one and a half times 'ack_wait'") {
                ContinuousClock.now - begin > .milliseconds(1500)
            }
        })
        let report = try await server.reading(
            into: slow,
            "ack_wait: 1s, end: true, window: 50ms"
        ).run()
        #expect(slow.log.records.count == 10)
        #expect(metric("redelivered messages", report) == 0)
    }

    @Test("that do not fit into memory are delivered again, and the log says so once")
    func slowConsumer() async throws {
        let server = try NATSServer()
        let exchanges = Exchange.examples(24)
        try await server.publish(exchanges)
        let built = try server.source("ack_wait: 1s, batch: 12, end: true, window: 50ms")
        var settings = try #require(built as? NATSSource).settings
        settings.server.maxWaiting = 4
        let (log, sink) = (CollectedLog(), RecordingSink())
        let topology = Topology(
            sources: [Topology.Source(id: "nats", NATSSource(settings: settings))],
            sinks: [Topology.Sink(id: "keep", sink)]
        )
        let pipeline = Pipeline(topology, log: log.log, now: { Timestamp(microseconds: 0) })
        let report = await pipeline.run()
        #expect(report.isSuccess && report.isBalanced, "\(report.failures)")
        #expect(Set(ids(sink.log.exchanges)) == Set(ids(exchanges)))
        #expect((metric("redelivered messages", report) ?? 0) > 0)
        #expect(log.text.split(separator: "too many messages wait").count == 2, "\(log.text)")
        let consumer = try server.connect().consumer("tapline", of: "T")
        #expect(consumer?.pending == 0 && consumer?.unacknowledged == 0)
    }

    @Test("survive a restart of the server, while they are published and read")
    func restart() async throws {
        let server = try NATSServer()
        try await server.publish([])
        let exchanges = Exchange.examples(2000)
        let sink = RecordingSink()
        // What is on its way when the server ends comes again after 'ack_wait'.
        let pipeline = try server.reading(into: sink, "ack_wait: 1s, window: 50ms")
        let reading = Task { await pipeline.run() }
        let source = ScriptedSource(exchanges, batch: 4)
        let topology = Topology(
            sources: [Topology.Source(id: "in", source)],
            sinks: [Topology.Sink(id: "nats", try server.sink("max_pending: 16, timeout: 500ms"))]
        )
        let publishing = Task {
            await Pipeline(topology, now: { Timestamp(microseconds: 0) }).run()
        }
        await wait(for: "some records") { sink.log.records.count > 100 }
        server.kill()
        try server.start()
        let report = await publishing.value
        #expect(report.isSuccess, "\(report.failures)")
        await wait(for: "all records") { Set(ids(sink.log.exchanges)).count == 2000 }
        pipeline.stop()
        #expect(await reading.value.isSuccess)
        #expect(try server.connect().stream("T")?.messages == 2000)
    }
}
