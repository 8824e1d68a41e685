// SPDX-License-Identifier: MIT

import NATSSource
import StreamTestSupport
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TestSupport
import Testing

/// Builds the source from the options of a file; also returns the problems.
func buildSource(_ text: String) -> ((any Source)?, String) {
    let built = BuiltPlugin(SourcePlugin.nats, text)
    return (built.component, built.messages)
}

extension NATSServer {
    /// The source, which ends with the last message unless told otherwise.
    func source(_ others: String = "end: true, window: 50ms") throws -> any Source {
        let (source, problems) = buildSource(options(others))
        return try #require(source, "\(problems)")
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
