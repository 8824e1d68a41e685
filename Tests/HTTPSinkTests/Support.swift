// SPDX-License-Identifier: MIT

import Foundation
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import HTTPSink

/// Builds the sink from its options in YAML.
func factory(_ options: String) -> (factory: (any SinkFactory)?, errors: String) {
    var diagnostics = Diagnostics()
    let node = ConfigReader().read(Array(options.utf8), name: "p.yaml", into: &diagnostics)
    let schema = SinkPlugin.http.description.options
    let decoded = node.flatMap {
        schema.decode($0, owner: "http", into: &diagnostics, environment: Environment())
    }
    var context = BuildContext(id: "out")
    let factory = decoded.flatMap { SinkPlugin.http.build($0, &context) }
    let all = diagnostics.all + context.diagnostics.all
    return (factory, all.map(\.message).joined(separator: "\n"))
}

/// Records of some exchanges.
func records(_ exchanges: [Exchange]) -> [Record] {
    var chain = RecordChain()
    return exchanges.compactMap {
        if case .sealed(let record) = chain.seal($0) { record } else { nil }
    }
}

/// The ids in the bodies of requests, NDJSON or arrays, in order.
func ids(_ requests: [ReceivingServer.Received]) throws -> [String] {
    try requests.flatMap { request -> [String] in
        let text =
            request.body.hasPrefix("[")
            ? request.body : "[" + request.body.split(separator: "\n").joined(separator: ",") + "]"
        let array = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
        return try #require(array).compactMap { $0["id"] as? String }
    }
}

/// A pipeline from exchanges to the sink.
func pipeline(
    _ exchanges: [Exchange],
    _ options: String,
    retry: RetryOptions = RetryOptions(initial: Microseconds(1000)),
    drainTimeout: Microseconds = Microseconds(10_000_000)
) throws -> Pipeline {
    let built = factory(options)
    let factory = try #require(built.factory, "\(built.errors)")
    let topology = Topology(
        sources: [Topology.Source(id: "in", ScriptedSource(exchanges))],
        sinks: [Topology.Sink(id: "out", factory, retry: retry)],
        drainTimeout: drainTimeout
    )
    return Pipeline(topology, now: { Timestamp(microseconds: 0) })
}
