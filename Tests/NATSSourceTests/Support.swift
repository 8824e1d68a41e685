// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConfig
import TaplineModel
import TaplineNATS
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import NATSSink
@testable import NATSSource

/// Decodes options; the problems, if there are any, are texts.
private func decode(_ text: String, _ schema: OptionSchema) -> (Options?, String) {
    var diagnostics = Diagnostics()
    let node = ConfigReader().read(Array(text.utf8), name: "p.yaml", into: &diagnostics)
    let options = node.flatMap {
        schema.decode($0, owner: "nats", into: &diagnostics, environment: Environment())
    }
    return (options, diagnostics.all.map(\.message).joined(separator: "\n"))
}

/// Builds the sink from the options of a file.
func buildSink(_ text: String) -> ((any SinkFactory)?, String) {
    let (options, problems) = decode(text, SinkPlugin.nats.description.options)
    var context = BuildContext(id: "nats")
    let factory = options.flatMap { SinkPlugin.nats.build($0, &context) }
    let messages = context.diagnostics.all.map(\.message).joined(separator: "\n")
    return (factory, problems + messages)
}

/// Builds the source from the options of a file.
func buildSource(_ text: String) -> ((any Source)?, String) {
    let (options, problems) = decode(text, SourcePlugin.nats.description.options)
    var context = BuildContext(id: "nats")
    let source = options.flatMap { SourcePlugin.nats.build($0, &context) }
    let messages = context.diagnostics.all.map(\.message).joined(separator: "\n")
    return (source, problems + messages)
}

/// What a run has logged.
final class CollectedLog: Sendable {
    private let lines = Mutex<[String]>([])
    var text: String { lines.withLock { $0.joined(separator: "\n") } }
    var log: Log {
        Log(component: "") { entry in self.lines.withLock { $0.append(entry.message) } }
    }
}

extension NATSServer {
    /// A client of the tests.
    func connect() throws -> NATSConnection {
        try NATSConnection(NATSSettings(servers: [url], stream: "T"), id: "test", log: .none)
    }

    /// The sink, which creates the stream unless told otherwise.
    func sink(_ others: String = "create: {}") throws -> any SinkFactory {
        let (factory, problems) = buildSink(options(others))
        return try #require(factory, "\(problems)")
    }

    /// The source, which ends with the last message unless told otherwise.
    func source(_ others: String = "end: true, window: 50ms") throws -> any Source {
        let (source, problems) = buildSource(options(others))
        return try #require(source, "\(problems)")
    }

    /// Publishes exchanges with the sink.
    @discardableResult
    func publish(
        _ exchanges: [Exchange],
        _ others: String = "create: {}",
        retry: RetryOptions = RetryOptions(),
        log: Log = .none
    ) async throws -> RunReport {
        let topology = Topology(
            sources: [Topology.Source(id: "in", ScriptedSource(exchanges))],
            sinks: [Topology.Sink(id: "nats", try sink(others), retry: retry)],
            drainTimeout: Microseconds(2_000_000)
        )
        return await Pipeline(topology, log: log, now: { Timestamp(microseconds: 0) }).run()
    }

    /// A pipeline from the source to a sink of the test.
    func reading(
        into sink: any SinkFactory,
        _ others: String = "end: true, window: 50ms",
        drainTimeout: Microseconds = Microseconds(10_000_000),
        log: Log = .none
    ) throws -> Pipeline {
        let topology = Topology(
            sources: [Topology.Source(id: "nats", try source(others))],
            sinks: [Topology.Sink(id: "keep", sink)],
            drainTimeout: drainTimeout
        )
        return Pipeline(topology, log: log, now: { Timestamp(microseconds: 0) })
    }
}
