// SPDX-License-Identifier: MIT

import KafkaSink
import KafkaSource
import StreamTestSupport
import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

/// Publishes records through the sink `kafka`.
func publish(_ exchanges: [Exchange], to topic: String, at brokers: String) throws {
    let text = "{ brokers: \"\(brokers)\", topic: \(topic), key: id }"
    let factory = try #require(BuiltPlugin(SinkPlugin.kafka, text).component)
    let sink = try factory.open(SinkContext(id: "out") { Timestamp(microseconds: 0) })
    _ = try sink.write(records(exchanges))
    try sink.close()
}

/// Holds up the thread of a sink.
final class ThreadGate: Sendable {
    private let event = ThreadEvent()
    private let reached = Mutex(false)

    /// Whether the thread waits, or has waited.
    var isReached: Bool { reached.withLock { $0 } }

    func wait() {
        reached.withLock { $0 = true }
        event.wait()
    }

    func open() { event.signal() }
}

/// A pipeline from a topic into a sink.
struct TopicRun {
    let sink: RecordingSink
    let book = CollectedLog()
    let pipeline: Pipeline
    private let source: any Source

    init(
        _ options: String,
        into sink: RecordingSink = RecordingSink(),
        failingFlushes: Int = 0,
        queue: QueueOptions = QueueOptions(),
        drainTimeout: Int64 = 10_000_000
    ) throws {
        let built = BuiltPlugin(SourcePlugin.kafka, options)
        source = try #require(built.component, "\(built.problems)")
        self.sink = sink
        var topology = Topology(
            sources: [Topology.Source(id: "kafka", source)],
            sinks: [
                Topology.Sink(
                    id: "keep",
                    FailingFlushes(of: sink, count: failingFlushes),
                    queue: queue
                )
            ],
            memory: 1 << 30
        )
        topology.drainTimeout = Microseconds(drainTimeout)
        pipeline = Pipeline(topology, log: book.log) { Timestamp(microseconds: 0) }
    }

    /// The paths of the records that have arrived, without their slash, in order.
    var numbers: [Int] {
        sink.log.exchanges.compactMap { Int($0.request.target.description.dropFirst()) }.sorted()
    }

    /// How many messages of all partitions are not read.
    var lag: Int {
        source.metrics.filter { $0.name == "lag messages" }.reduce(0) { $0 + $1.count }
    }
}
