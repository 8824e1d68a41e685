// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ReplaySource

/// Creates a stage with hooks.
private func stage(
    request: ScriptedStage.WireHook? = nil,
    response: ScriptedStage.WireHook? = nil,
    message: ScriptedStage.MessageHook? = nil
) -> Topology.Stage {
    Topology.Stage(
        id: "script",
        ScriptedStage(request: request, response: response, message: message)
    )
}

@Suite("A replayed record")
struct ReplayWorkerTests {
    private func play(
        _ exchange: Exchange,
        _ stage: Topology.Stage,
        speed: String = "max",
        clock: ReplayClock? = nil
    ) async throws -> Exchange {
        let folder = try TemporaryFolder()
        try folder.write(lines([exchange]), to: "traffic")
        let played = try await playRecording(
            "{ path: traffic, speed: \(speed) }",
            in: folder,
            clock: clock,
            stages: [stage]
        )
        return try #require(played.exchanges.first)
    }

    @Test("hides the response from request hooks, and shows it to response hooks")
    func hidesResponse() async throws {
        let seen = Mutex<[Int?]>([])
        let exchange = try await play(
            .example(),
            stage(
                request: { exchange, context in
                    seen.withLock { $0.append(exchange.response?.status) }
                    #expect(context.hasRequestBody)
                    exchange.request.target = "/other"
                    return .proceed
                },
                response: { exchange, context in
                    seen.withLock { $0.append(exchange.response?.status) }
                    #expect(context.hasResponseBody)
                    exchange.response?.status = 418
                    return .proceed
                }
            )
        )
        #expect(seen.withLock { $0 } == [nil, 200])
        #expect(exchange.request.target == "/other")
        #expect(exchange.response?.status == 418)
        #expect(exchange.original.url == "http://shop.test/items/0")
        #expect(exchange.original.status == 200)
    }

    @Test("has a stage's response instead of the recorded one or its failure")
    func respond() async throws {
        var failed = Exchange.example()
        failed.response = nil
        failed.state = .failed
        failed.error = ExchangeError(code: "dns", message: "no such host")
        for recorded in [Exchange.example(), failed] {
            let exchange = try await play(
                recorded,
                stage(request: { exchange, _ in
                    #expect(exchange.error == nil)
                    return .respond(Response(status: 201))
                })
            )
            #expect(exchange.response?.status == 201)
            #expect(exchange.state == .completed)
            #expect(exchange.error == nil)
        }
    }

    @Test("stays cancelled when a stage aborts it")
    func abort() async throws {
        let exchange = try await play(.example(), stage(request: { _, _ in .abort }))
        #expect(exchange.state == .cancelled)
        #expect(exchange.error?.code == "aborted")
        #expect(exchange.response == nil)
    }

    @Test("passes WebSocket data messages and events through the hooks")
    func messages() async throws {
        var recorded = Exchange.example()
        recorded.messages = [
            StreamMessage(direction: .up, bytes: Array("a".utf8)),
            StreamMessage(direction: .down, type: "ping", bytes: Array("b".utf8)),
            StreamMessage(direction: .down, type: "binary", bytes: Array("c".utf8)),
            StreamMessage(direction: .down, type: "event", bytes: Array("d".utf8)),
            StreamMessage(direction: .down, type: "text", bytes: Array("drop".utf8)),
        ]
        let hook: ScriptedStage.MessageHook = { message, exchange, context in
            #expect(exchange.messages == [])
            #expect(context.plane == .message)
            if message.bytes == Array("drop".utf8) { return .drop }
            message.bytes += Array("!".utf8)
            return .pass
        }
        let exchange = try await play(recorded, stage(message: hook))
        let texts = exchange.messages.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(texts == ["a!", "b", "c!", "d!"])
        #expect(exchange.tags["tapline.messages"] == "1 dropped by stages")
        #expect(exchange.messages.map(\.type) == ["text", "ping", "binary", "event"])
        let aborted = try await play(recorded, stage(message: { _, _, _ in .abort }))
        #expect(aborted.state == .cancelled && aborted.error?.code == "aborted")
        #expect(aborted.messages == [])
    }

    @Test("passes through unchanged if it has no response")
    func failed() async throws {
        var recorded = Exchange.example()
        recorded.response = nil
        recorded.state = .failed
        recorded.error = ExchangeError(code: "reset", message: "gone")
        recorded.messages = [StreamMessage(direction: .up, bytes: [0x61], size: 1)]
        let called = Mutex(0)
        let exchange = try await play(
            recorded,
            stage(
                request: { exchange, _ in
                    #expect(exchange.messages == [])
                    return .proceed
                },
                response: { _, _ in
                    called.withLock { $0 += 1 }
                    return .proceed
                }
            )
        )
        recorded.source = "replay"
        recorded.tags["recorded_source"] = "example"
        #expect(exchange == recorded)
        #expect(called.withLock { $0 } == 0)
    }

    @Test("is delayed unless speed is max, and tagged", arguments: ["max", "realtime"])
    func delay(speed: String) async throws {
        let clock = TestClock()
        let exchange = try await play(
            .example(),
            stage(
                request: { _, _ in .delay(Microseconds(2_000_000)) },
                response: { _, _ in .delay(Microseconds(500_000)) }
            ),
            speed: speed,
            clock: clock.clock
        )
        #expect(exchange.tags["tapline.delay"] == "2500.0ms")
        #expect(clock.waits == (speed == "max" ? [] : [2_000_000, 500_000]))
    }
}
