// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplineNet
import TaplineOperations
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ClientReplaySource
@testable import ProxySource

/// A running `server_replay`, which answers from a recording of these exchanges.
private struct RunningMock {
    let url: String
    let pipeline: Pipeline
    let run: Task<RunReport, Never>
    private let folder: TemporaryFolder

    init(_ exchanges: [Exchange], latency: Double) async throws {
        folder = try TemporaryFolder()
        var writer = NDJSONWriter()
        var chain = RecordChain()
        for exchange in exchanges {
            if case .sealed(let record) = chain.seal(exchange) { writer.write(record) }
        }
        var answers = AnswerSettings()
        answers.paths = [try folder.write(Array(copying: writer.bytes), to: "rec.ndjson")]
        answers.reloadInterval = nil
        answers.latency = latency
        var settings = ProxySettings()
        settings.answers = answers
        settings.threads = 1
        settings.listeners = [ProxyListener(address: SocketAddress(.loopbackV4, port: 0))]
        let (listening, continuation) = AsyncStream.makeStream(of: String.self)
        let topology = Topology(
            sources: [Topology.Source(id: "mock", ProxySource(settings: settings))],
            stages: [],
            sinks: [Topology.Sink(id: "kept", RecordingSink())],
            memory: 64 << 20,
            drainTimeout: Microseconds(4_000_000)
        )
        let pipeline = Pipeline(
            topology,
            listening: { _, point in point.addresses.first.map { _ = continuation.yield($0) } },
            now: { Timestamp(microseconds: 0) }
        )
        self.pipeline = pipeline
        run = Task { await pipeline.run() }
        var iterator = listening.makeAsyncIterator()
        url = "http://\(await iterator.next() ?? "")"
    }

    func stop() async {
        pipeline.stop()
        _ = await run.value
    }
}

@Suite("A replay to a mock of the same recording", .timeLimit(.minutes(2)))
struct MockReplayTests {
    private static let lines = [
        "down text hello @ 10", "up text one @ 20", "down binary two @ 40",
        "down ping p @ 45", "up pong p @ 46", "up text three @ 60", "down text four @ 70",
    ]

    @Test(
        "repeats the conversation of a WebSocket, at the recorded speed and as fast as possible",
        arguments: [(ReplaySchedule.Pace.recorded(1), 1.0), (.max, 0)]
            as [(ReplaySchedule.Pace, Double)],
        [["up close 4001 @ 80", "down close 4001 @ 81"], ["down close 4002 @ 80"]]
    )
    func conversation(_ pace: (ReplaySchedule.Pace, Double), _ ending: [String]) async throws {
        let exchange = recordedWebSocket(Self.lines + ending)
        let mock = try await RunningMock([exchange], latency: pace.1)
        var settings = settings(mock.url)
        settings.schedule = ReplaySchedule(pace.0)
        let replayed = try await send([exchange], settings)
        await mock.stop()
        let result = try #require(replayed.exchanges.first)
        #expect(result.state == .completed)
        func data(_ messages: [StreamMessage], _ direction: StreamMessage.Direction) -> [[UInt8]] {
            messages.filter { $0.direction == direction && $0.isData }.map(\.bytes)
        }
        for direction in [StreamMessage.Direction.up, .down] {
            #expect(data(result.messages, direction) == data(exchange.messages, direction))
        }
        let closes = result.messages.filter { $0.type == "close" }
        #expect(closes.map(\.code) == (ending.count == 2 ? [4001, 4001] : [4002, 4002]))
        #expect(replayed.figures.webSockets.received == 3)
        let total = result.timing.total?.count ?? 0
        if pace.1 > 0 { #expect(total >= 78_000) }
    }

    @Test("repeats the events of a stream")
    func events() async throws {
        var exchange = recorded(1)
        exchange.response = Response(status: 200, fields: ["Content-Type": "text/event-stream"])
        exchange.response?.body = Body(Array("data: a\n\ndata: b\n\n".utf8))
        exchange.messages = ["a", "b"].enumerated().map { index, text in
            StreamMessage(
                direction: .down,
                at: Microseconds(Int64(index) * 50_000),
                type: "event",
                bytes: Array(text.utf8)
            )
        }
        let mock = try await RunningMock([exchange], latency: 1)
        let replayed = try await send([exchange], settings(mock.url))
        await mock.stop()
        let result = try #require(replayed.exchanges.first)
        #expect(result.response?.body.bytes == exchange.response?.body.bytes)
        #expect(result.timing.total?.count ?? 0 >= 49_000)
    }
}
