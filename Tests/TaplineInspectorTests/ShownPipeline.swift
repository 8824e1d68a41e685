// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TestSupport
import Testing

@testable import ProxySource
@testable import RedactStage
@testable import RulesStage
@testable import SQLiteSink

/// A running pipeline with a proxy, and a browser that is logged in to its inspector.
final class ShownPipeline: Sendable {
    let browser: Browser
    /// The address of the proxy.
    let address: String
    private let pipeline: Pipeline
    private let work: Task<RunReport, Never>

    /// Starts the pipeline, with stages in YAML, and waits until the proxy listens.
    init(_ folder: TemporaryFolder, stages: String = "[]") async throws {
        let text = """
            version: 1
            sources: [{ proxy: { listen: "127.0.0.1:0", threads: 2 } }]
            stages: \(stages)
            sinks: [{ sqlite: { path: "\(folder("traffic.db"))" } }]
            """
        let registry = PluginRegistry(
            sources: [.proxy],
            stages: [.redact, .rules],
            sinks: [.sqlite]
        )
        var diagnostics = Diagnostics()
        let source = ConfigSource(name: "test", text: text, folder: folder.path)
        let root = try #require(ConfigReader().read(source, into: &diagnostics))
        let topology = try #require(
            TopologyBuilder(registry: registry).build(root, into: &diagnostics),
            "\(diagnostics.rendered)"
        )
        let (points, continuation) = AsyncStream.makeStream(of: String.self)
        let pipeline = Pipeline(
            topology,
            listening: { continuation.yield($1.addresses.first ?? "") },
            now: { Timestamp(microseconds: WallClock.microseconds) }
        )
        self.pipeline = pipeline
        work = Task { await pipeline.run() }
        var iterator = points.makeAsyncIterator()
        let point = await iterator.next()
        address = try #require(point)
        browser = try Browser([folder("traffic.db")], control: pipeline)
    }

    /// Waits until a request of the list is stored, and returns its row.
    func row(_ id: String) async throws -> JSON {
        try await wait(for: "the exchange to be stored") {
            try browser.get("locate?id=\(id)").status == 200
        }
        return try browser.get("exchanges/\(id)").json
    }

    /// Stops the pipeline; the inspector goes on.
    func stop() async -> RunReport {
        pipeline.stop()
        return await work.value
    }
}
