// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

private func stage(
    maxBuffer: Int = 1 << 20,
    onError: OnError = .pass,
    _ hook: @escaping ScriptedStage.MessageHook
) -> Topology.Stage {
    Topology.Stage(
        id: "hook",
        ScriptedStage(message: hook),
        onError: onError,
        buffer: BodyBuffer([], maxBytes: maxBuffer)
    )
}

private struct HookError: Error {}

@Suite("WebSocket messages with hooks")
struct WebSocketHookTests {
    private func texts(_ exchange: Exchange?) -> [String] {
        exchange?.messageLines ?? []
    }

    @Test(
        "are rewritten and dropped, on each route, compressed or not",
        arguments: WebSocketRoute.allCases,
        [false, true]
    )
    func rewrite(_ route: WebSocketRoute, _ compresses: Bool) async throws {
        let origin = try await WebSocketOrigin(route, compresses: compresses)
        let hook = stage { message, exchange, _ in
            let text = String(decoding: message.bytes, as: UTF8.self)
            if text == "secret" { return .drop }
            exchange.tags["seen"] = text.count > 20 ? "long" : text
            if message.direction == .up { message.bytes = Array((text + " up").utf8) }
            if message.direction == .down { message.bytes += Array(" down".utf8) }
            return .pass
        }
        let proxy = await ProxyHarness.start(
            origin.settings(),
            stages: [hook],
            captureMaxBytes: 4 << 20
        )
        let output = try await origin.client(
            through: proxy.address,
            compresses: compresses,
            "changed"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "hello up down\nabc up down\n1000008\n")
        let exchange = try #require(exchanges.first)
        #expect(
            texts(exchange) == [
                "up text hello up", "down text hello up down", "up text abc up",
                "down text abc up down", "up ping from the client", "down pong from the client",
                "up text (1000003)", "down text (1000008)", "up close 1000 done",
                "down close 1000 done",
            ]
        )
        #expect(exchange.state == .completed)
        #expect(exchange.tags == ["seen": "long", "tapline.messages": "1 dropped by stages"])
    }

    @Test(
        "that are longer than max_buffer pass as they arrive, and can be dropped",
        arguments: [false, true]
    )
    func long(_ compresses: Bool) async throws {
        let origin = try await WebSocketOrigin(compresses: compresses)
        let seen = Mutex<[Bool]>([])
        let hook = stage(maxBuffer: 1000) { message, _, _ in
            seen.withLock { $0.append(message.isTruncated) }
            guard message.isTruncated else { return .pass }
            let isDropped = message.bytes.first == .ascii("d")
            // No effect, since the message is longer than the part that the hook has seen.
            message.bytes = []
            return isDropped ? .drop : .pass
        }
        let proxy = await ProxyHarness.start(
            origin.settings(),
            stages: [hook],
            captureMaxBytes: 8_000_000
        )
        let output = try await origin.client(
            through: proxy.address,
            compresses: compresses,
            "large"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "3000000 True\nshort\n")
        #expect(seen.withLock { $0 } == [true, true, true, false, false])
        let exchange = try #require(exchanges.first)
        // If compressed, the whole message arrives at once.
        for message in exchange.messages.prefix(2) {
            let count = message.bytes.count
            #expect(message.isTruncated != compresses)
            #expect(compresses ? count == 3_000_000 : 1000..<3_000_000 ~= count)
        }
        #expect(texts(exchange).dropFirst(2).prefix(2) == ["up text short", "down text short"])
        #expect(exchange.tags["tapline.messages"] == "1 dropped by stages")
    }

    @Test("close the connection if a hook asks for it, or fails and 'on_error' is not 'pass'")
    func abort() async throws {
        let hooks = [
            stage { _, _, _ in .abort }, stage(onError: .abort) { _, _, _ in throw HookError() },
            stage(onError: .respond) { _, _, _ in throw HookError() },
        ]
        for hook in hooks {
            let origin = try await WebSocketOrigin()
            let proxy = await ProxyHarness.start(origin.settings(), stages: [hook])
            let output = try await origin.client(
                through: proxy.address,
                "closed"
            )
            let (_, exchanges) = await proxy.stop()
            #expect(output == "closed\n")
            #expect(exchanges.map(\.state) == [.cancelled])
            #expect(exchanges.first?.error?.code == "aborted")
        }
    }

    @Test("pass unchanged if a hook fails")
    func failure() async throws {
        let origin = try await WebSocketOrigin()
        let hook = stage { message, _, _ in
            message.bytes = []
            throw HookError()
        }
        let proxy = await ProxyHarness.start(origin.settings(), stages: [hook])
        let output = try await origin.client(
            through: proxy.address,
            "echo",
            ["hello"]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "hello\n")
        #expect(texts(exchanges.first).first == "up text hello")
        #expect(exchanges.first?.tags["tapline.error"] == "stage 'hook' failed")
    }

    @Test("end the connection if the frames break the rules")
    func malformed() async throws {
        let origin = try await RawWebSocketOrigin()
        let proxy = await ProxyHarness.start(stages: [stage { _, _, _ in .pass }])
        let output = try await Python.run(
            "raw_websocket_client",
            ["\(proxy.address.port)", "\(origin.origin.port)", "websocket", "", "8305"]
        )
        let (_, exchanges) = await proxy.stop()
        // The client is notified that the connection ends; the server gets the violation.
        #expect(output == "880203e9\n")
        #expect(exchanges.map(\.state) == [.failed])
        #expect(exchanges.first?.error?.code == "malformed_message")
        #expect(exchanges.first?.bytes?.down.body == 4)
    }

    @Test("cost nothing if no hook wants them: frames pass unchanged")
    func unwanted() async throws {
        let origin = try await RawWebSocketOrigin()
        let other = Topology.Stage(id: "other", ScriptedStage(response: { _, _ in .proceed }))
        let proxy = await ProxyHarness.start(stages: [other])
        let down = "010348656c80026c6f"
        let seen = try await origin.exchange(through: proxy.address, up: "", down: down)
        _ = await proxy.stop()
        #expect(seen.client == down)
    }

    @Test("get a new mask for the server, in one frame")
    func framing() async throws {
        let origin = try await RawWebSocketOrigin()
        let proxy = await ProxyHarness.start(stages: [stage { _, _, _ in .pass }])
        let seen = try await origin.exchange(
            through: proxy.address,
            up: String(repeating: "818537fa213d7f9f4d5158", count: 3),
            down: "010348656c80026c6f"
        )
        _ = await proxy.stop()
        #expect(seen.client == "810548656c6c6f")
        let bytes = Array(seen.server).split(every: 2).compactMap { UInt8(String($0), radix: 16) }
        let frames = bytes.split(every: 11)
        try #require(frames.map { $0.prefix(2) } == [[0x81, 0x85], [0x81, 0x85], [0x81, 0x85]])
        for frame in frames {
            #expect((0..<5).map { frame[6 + $0] ^ frame[2 + $0 % 4] } == Array("Hello".utf8))
        }
        // RFC 6455 §5.3: a new, unpredictable mask for each frame.
        let masks = Set(frames.map { Array($0[2..<6]) })
        #expect(masks.count == 3)
        #expect(masks.isDisjoint(with: [[0x37, 0xFA, 0x21, 0x3D]]))
    }

    @Test("may be refused or delayed by hooks on the response")
    func response() async throws {
        let origin = try await WebSocketOrigin()
        let refuse = Topology.Stage(
            id: "refuse",
            ScriptedStage(response: { exchange, _ in
                if exchange.response?.status != 101 { return .proceed }
                return .respond(Response(status: 403, body: Body(Array("no".utf8))))
            })
        )
        let proxy = await ProxyHarness.start(origin.settings(), stages: [refuse])
        let output = try await Python.run("upgrade_client", ["\(proxy.address.port)"])
        let (_, exchanges) = await proxy.stop()
        #expect(output == "403 no\n403 no\n")
        #expect(exchanges.map(\.original.status) == [101, 101])
        let slow = Topology.Stage(
            id: "slow",
            ScriptedStage(response: { _, _ in .delay(Microseconds(50_000)) })
        )
        let raw = try await RawWebSocketOrigin()
        let second = await ProxyHarness.start(stages: [slow])
        let seen = try await raw.exchange(through: second.address, up: "", down: "810548656c6c6f")
        _ = await second.stop()
        #expect(seen.client == "810548656c6c6f")
    }
}

extension Array {
    /// Returns its elements in rows of `count`.
    fileprivate func split(every count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map {
            Array(self[$0..<Swift.min($0 + count, self.count)])
        }
    }
}
