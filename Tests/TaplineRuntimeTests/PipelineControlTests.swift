// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineOperations
import TaplinePlugin
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineRuntime

/// A source that offers a sender, and runs until it is cancelled.
private struct SendingSource: Source, RequestSender {
    /// The only server that it reaches; `nil` for any.
    var server: ByteString?

    func canReach(_ request: Request) -> Bool {
        server.map { $0 == request.authority } ?? true
    }

    func run(_ intake: any Intake) async throws {
        intake.offer(self)
        try await Task.sleep(for: .seconds(60))
    }

    func send(
        _ request: Request,
        replaying original: ExchangeID?,
        answered: @escaping @Sendable (Result<ExchangeID, ControlError>) -> Void
    ) {
        answered(.success(original ?? ExchangeID(high: 0, low: 1)))
    }
}

@Suite("What an inspector may ask of a pipeline")
struct PipelineControlTests {
    private let original = ExchangeID(high: 0, low: 7)

    private func pipeline(_ source: any Source, stages: [Topology.Stage] = []) -> Pipeline {
        let topology = Topology(
            sources: [Topology.Source(id: "source", source)],
            stages: stages,
            sinks: [Topology.Sink(id: "sink", RecordingSink())]
        )
        return Pipeline(topology, now: { Timestamp(microseconds: 0) })
    }

    /// Sends a request; returns its id, or why it was not sent.
    private func send(_ pipeline: Pipeline) async -> String {
        await withCheckedContinuation { continuation in
            pipeline.send(Request(), replaying: original) { result in
                switch result {
                case .success(let id): continuation.resume(returning: id.description)
                case .failure(let error): continuation.resume(returning: error.description)
                }
            }
        }
    }

    @Test("is to send requests, while a source runs that can")
    func sends() async {
        let pipeline = pipeline(SendingSource())
        #expect(!pipeline.canSend)
        let run = Task { await pipeline.run() }
        await wait(for: "the source to be ready") { pipeline.canSend }
        #expect(await send(pipeline) == original.description)
        pipeline.stop()
        #expect(await send(pipeline).contains("ending"))
        #expect(await run.value.failures.isEmpty)
        #expect(!pipeline.canSend)
    }

    @Test("is not to send requests through a source that would send them elsewhere")
    func elsewhere() async {
        let pipeline = pipeline(SendingSource(server: "a.test"))
        let run = Task { await pipeline.run() }
        await wait(for: "the source to be ready") { pipeline.canSend }
        #expect(await send(pipeline).contains("reaches the server"))
        pipeline.stop()
        _ = await run.value
    }

    @Test("is not to send requests, if no source can")
    func cannotSend() async {
        let pipeline = pipeline(ScriptedSource(Exchange.examples(1)))
        #expect(await send(pipeline).contains("no source"))
        _ = await pipeline.run()
        #expect(!pipeline.canSend)
    }

    @Test("includes the metrics of a stage, and which files it names")
    func files() {
        let stage = Topology.Stage(id: "changes", ScriptedStage(request: { _, _ in .proceed }))
        let pipeline = pipeline(ScriptedSource([]), stages: [stage])
        #expect(pipeline.metrics(of: "changes").isEmpty && pipeline.metrics(of: "none").isEmpty)
        #expect(pipeline.ruleFiles.isEmpty)
        #expect(pipeline.topology.stores.isEmpty)
        #expect(!pipeline.topology.writes("traffic.db"))
    }
}
