// SPDX-License-Identifier: MIT

internal import NATSSink
package import TaplineModel
package import TaplineNATS
package import TaplinePlugin
package import TaplineRuntime
internal import TaplineTesting
package import TestSupport
internal import Testing

extension NATSServer {
    /// A client of the tests.
    package func connect() throws -> NATSConnection {
        try NATSConnection(NATSSettings(servers: [url], stream: "T"), id: "test", log: .none)
    }

    /// The sink, which creates the stream unless told otherwise.
    package func sink(_ others: String = "create: {}") throws -> any SinkFactory {
        let built = BuiltPlugin(SinkPlugin.nats, options(others))
        return try #require(built.component, "\(built.messages)")
    }

    /// Publishes exchanges with the sink.
    @discardableResult
    package func publish(
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
}
