// SPDX-License-Identifier: MIT

import KafkaSink
import Synchronization
import TaplineConfig
import TaplineKafkaClient
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import KafkaSource

/// Builds a source from options in YAML; also returns the problems.
func build(_ options: String) -> (source: KafkaSource?, problems: String) {
    var diagnostics = Diagnostics()
    let node = ConfigReader().read(Array(options.utf8), name: "p.yaml", into: &diagnostics)
    let decoded = node.flatMap {
        SourcePlugin.kafka.description.options.decode(
            $0,
            owner: "kafka",
            into: &diagnostics,
            environment: Environment()
        )
    }
    var context = BuildContext(id: "kafka", diagnostics: diagnostics)
    let source = decoded.flatMap { SourcePlugin.kafka.build($0, &context) as? KafkaSource }
    return (source, context.diagnostics.rendered)
}

/// Publishes records through the sink `kafka`.
func publish(_ exchanges: [Exchange], to topic: String, at brokers: String) throws {
    var diagnostics = Diagnostics()
    let text = "{ brokers: \"\(brokers)\", topic: \(topic), key: id }"
    let node = ConfigReader().read(Array(text.utf8), name: "p.yaml", into: &diagnostics)
    let decoded = node.flatMap {
        SinkPlugin.kafka.description.options.decode(
            $0,
            owner: "kafka",
            into: &diagnostics,
            environment: Environment()
        )
    }
    var context = BuildContext(id: "out", diagnostics: diagnostics)
    let factory = try #require(decoded.flatMap { SinkPlugin.kafka.build($0, &context) })
    let sink = try factory.open(SinkContext(id: "out") { Timestamp(microseconds: 0) })
    var chain = RecordChain()
    let records = exchanges.compactMap { exchange in
        if case .sealed(let record) = chain.seal(exchange) { record } else { nil }
    }
    _ = try sink.write(records)
    try sink.close()
}

/// A log that keeps its lines.
final class LogBook: Sendable {
    private let entries = Mutex<[String]>([])

    var log: Log {
        Log(component: "") { entry in self.entries.withLock { $0.append(entry.message) } }
    }
    var lines: [String] { entries.withLock { $0 } }
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
    let book = LogBook()
    let pipeline: Pipeline
    private let source: KafkaSource

    init(
        _ options: String,
        into sink: RecordingSink = RecordingSink(),
        queue: QueueOptions = QueueOptions(),
        drainTimeout: Int64 = 10_000_000
    ) throws {
        let (built, problems) = build(options)
        source = try #require(built, "\(problems)")
        self.sink = sink
        var topology = Topology(
            sources: [Topology.Source(id: "kafka", source)],
            sinks: [Topology.Sink(id: "keep", sink, queue: queue)],
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
