// SPDX-License-Identifier: MIT

import StreamTestSupport
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import KafkaSource

/// The mock brokers wait three seconds for further members of a group, so these tests run side by
/// side and mostly sleep.
@Suite("The source kafka")
struct KafkaSourceTests {
    private let cluster: KafkaMockCluster

    init() throws {
        cluster = try KafkaMockCluster(brokers: 1)
        try cluster.create("traffic", partitions: 3)
    }

    private func options(_ more: String = "end: true") -> String {
        """
        brokers: "\(cluster.brokers)"
        topics: traffic
        group: g
        properties: { session.timeout.ms: 4000, heartbeat.interval.ms: 200, fetch.wait.max.ms: 10 }
        \(more)
        """
    }

    private func send(_ numbers: Range<Int>) throws {
        let exchanges = numbers.map { number in
            var exchange = Exchange.example(number)
            exchange.request.target = ByteString("/\(number)")
            return exchange
        }
        try publish(exchanges, to: "traffic", at: cluster.brokers)
    }

    /// Lets another client publish a message.
    private func sendText(_ text: String) async throws {
        let kcat = "kcat -P -q -b \(cluster.brokers) -t traffic -p 0"
        _ = try await command("/bin/sh", ["-c", "printf '%s' '\(text)' | \(kcat)"])
    }

    @Test("a run reads all partitions to their end, and the next one goes on there")
    func reads() async throws {
        try send(0..<2000)
        try await sendText("not a record")
        let first = try TopicRun(options())
        let report = await first.pipeline.run()
        #expect(report.isSuccess && report.isBalanced, "\(first.book.lines)")
        #expect(first.numbers == Array(0..<2000))
        #expect(report.sources[0].counters.rejected == 1)
        #expect(Set(first.sink.log.exchanges.map(\.source)) == ["kafka"])
        try send(2000..<2003)
        let second = try TopicRun(options())
        let next = await second.pipeline.run()
        #expect(next.isSuccess, "\(second.book.lines)")
        #expect(second.numbers == [2000, 2001, 2002])
        #expect(next.sources[0].counters.rejected == 0)
    }

    @Test("what a sink has not confirmed is not committed, and is read again")
    func unconfirmed() async throws {
        try send(0..<100)
        let blocked = ThreadGate()
        let first = try TopicRun(
            options("end: false"),
            into: RecordingSink { blocked.wait() },
            drainTimeout: 100_000
        )
        let run = Task { await first.pipeline.run() }
        await wait(for: "the first batch") { blocked.isReached }
        first.pipeline.stop()
        #expect(await !run.value.isSuccess)
        blocked.open()
        let second = try TopicRun(options())
        #expect(await second.pipeline.run().isSuccess, "\(second.book.lines)")
        #expect(second.numbers == Array(0..<100))
    }

    @Test("after a flush that fails, the sink gets all records again, and the offset moves on")
    func failedFlush() async throws {
        try send(0..<100)
        let first = try TopicRun(options(), failingFlushes: 1)
        let report = await first.pipeline.run()
        #expect(report.isSuccess && report.isBalanced, "\(first.book.lines)")
        #expect(Set(first.numbers) == Set(0..<100))
        #expect(report.sinks[0].counters.repeated > 0)
        let second = try TopicRun(options())
        #expect(await second.pipeline.run().isSuccess, "\(second.book.lines)")
        #expect(second.numbers == [])
    }

    @Test("messages that are not records are counted, logged without their data, and skipped")
    func poison() async throws {
        try send(0..<2)
        let text = ["{\"v\":1,", "geheim", "{\"v\":1,\"id\":\"geheim\"}", "[]"]
        for message in text { try await sendText(message) }
        try send(2..<4)
        let first = try TopicRun(options())
        let report = await first.pipeline.run()
        #expect(report.isSuccess, "\(first.book.lines)")
        #expect(first.numbers == [0, 1, 2, 3])
        #expect(report.sources[0].counters.rejected == 4)
        let lines = first.book.lines.filter { $0.contains("not a record") }
        #expect(lines.count == 4 && lines.allSatisfy { $0.hasPrefix("traffic[0] offset ") })
        #expect(!first.book.lines.contains { $0.contains("geheim") })
    }

    @Test("a sink that is full pauses the partitions; nothing is lost or read twice")
    func backPressure() async throws {
        try send(0..<6000)
        let blocked = ThreadGate()
        let run = try TopicRun(
            options(),
            into: RecordingSink(batchLimit: 16) { blocked.wait() },
            queue: QueueOptions(maxExchanges: 64)
        )
        let ended = Task { await run.pipeline.run() }
        await wait(for: "the first batch") { blocked.isReached }
        await wait(for: "a figure of what is not read") { run.lag > 0 }
        // Each partition has about 2000 messages, and its lag is known once some are fetched.
        #expect(run.lag > 1000)
        blocked.open()
        let report = await ended.value
        #expect(report.isSuccess && report.isBalanced, "\(run.book.lines)")
        #expect(run.numbers == Array(0..<6000))
    }

    @Test("a topic that does not exist ends a run that ends at the end, and names it")
    func unknownTopic() async throws {
        cluster.fail("nowhere", with: 3)
        let text = options().replacingTopic(with: "nowhere")
        let run = try TopicRun(text)
        let report = await run.pipeline.run()
        #expect(!report.isSuccess)
        #expect("\(report.failures)".contains("nowhere"), "\(report.failures)")
    }

    @Test(
        "empty names are errors",
        arguments: ["topics: [''], group: g", "topics: t, group: ''", "topics: [], group: g"]
    )
    func names(option: String) {
        let built = BuiltPlugin(SourcePlugin.kafka, "{ brokers: a:1, \(option) }")
        let isRefused = built.component == nil && built.problems.contains("p.yaml:1:")
        #expect(isRefused, "\(built.problems)")
    }
}

extension String {
    fileprivate func replacingTopic(with name: String) -> String {
        split(separator: "\n").map { $0.hasPrefix("topics:") ? "topics: \(name)" : "\($0)" }
            .joined(separator: "\n")
    }
}
