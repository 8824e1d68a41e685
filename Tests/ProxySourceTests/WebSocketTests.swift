// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineQuery
import TaplineRuntime
import TaplineTesting
import Testing

@testable import ProxySource

@Suite("WebSockets")
struct WebSocketTests {
    @Test(
        "are recorded message by message, on each route, compressed or not",
        arguments: WebSocketRoute.allCases,
        [false, true]
    )
    func messages(_ route: WebSocketRoute, _ compresses: Bool) async throws {
        let origin = try await WebSocketOrigin(route, compresses: compresses)
        let proxy = await ProxyHarness.start(origin.settings(), captureMaxBytes: 4 << 20)
        let output = try await origin.client(
            through: proxy.address,
            compresses: compresses,
            "every_kind"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "hello\nb'bytes'\na b ü\none two three\n1048576\n")
        try #require(exchanges.count == 1)
        let exchange = exchanges[0]
        let scheme = route == .secure ? "https" : "http"
        #expect(exchange.request.scheme == ByteString(scheme))
        #expect(exchange.request.target == "/chat?a=1")
        #expect(exchange.response?.status == 101)
        #expect(exchange.state == .completed)
        #expect(exchange.tags.isEmpty && exchange.error == nil)
        #expect(
            exchange.messageLines == [
                "up text hello", "down text hello", "up binary bytes", "down binary bytes",
                "up text a b ü", "down text a b ü", "up text fragments",
                "down text one two three", "up ping from the client",
                "down pong from the client", "up text (1048576)", "down text (1048576)",
                "up close 1000 done", "down close 1000 done",
            ]
        )
        let times = exchange.messages.compactMap(\.at?.count)
        #expect(times.count == 14 && times == times.sorted() && times[0] >= 0)
        // Sizes are those on the wire.
        let sizes = exchange.messages.compactMap(\.size)
        #expect(sizes[12] == 6)
        #expect(compresses ? sizes[10] < 10_000 : sizes[10] == 1 << 20)
        let payload = zip(exchange.messages, sizes).filter { $0.0.direction == .down }
            .reduce(0) { $0 + $1.1 }
        let body = try #require(exchange.bytes?.down.body)
        #expect(body > payload && body < payload + 100)
    }

    @Test("pass like tunnels if they are not read")
    func tunnel() async throws {
        let origin = try await WebSocketOrigin(.connect)
        let proxy = await ProxyHarness.start()
        let output = try await origin.client(
            through: proxy.address,
            "echo",
            ["hello"]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "hello\n")
        #expect(exchanges.map(\.request.method) == ["CONNECT"])
        #expect(exchanges.first?.messages.isEmpty == true)
    }

    @Test(
        "end with the state of their close",
        arguments: [
            (["ask_to", "close"], "completed", ""),
            (["ask_to", "leave"], "failed", "closed_early"),
            (["ask_to", "reset"], "failed", "reset"), (["leave"], "cancelled", "client_closed"),
        ]
    )
    func ends(_ steps: [String], _ state: String, _ code: String) async throws {
        let origin = try await WebSocketOrigin()
        let proxy = await ProxyHarness.start(origin.settings())
        _ = try await origin.client(through: proxy.address, steps[0], Array(steps[1...]))
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.map(\.state.name) == [state])
        #expect(exchanges.first?.error?.code ?? "" == code)
        if code.isEmpty {
            #expect(
                exchanges.first?.messageLines == [
                    "up text close", "down close 4000 so long", "up close 4000 so long",
                ]
            )
        }
    }

    @Test("that are idle for too long are ended")
    func idle() async throws {
        let origin = try await WebSocketOrigin()
        var settings = origin.settings()
        settings.timeouts.tunnel = Microseconds(200_000)
        let proxy = await ProxyHarness.start(settings)
        _ = try await origin.client(through: proxy.address, "wait")
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.map(\.state) == [.failed])
        #expect(exchanges.first?.error?.code == "timeout")
    }

    @Test("are kept up to their limits, and pass completely")
    func limits() async throws {
        let origin = try await WebSocketOrigin(compresses: true)
        var settings = origin.settings()
        settings.maxMessages = 5
        let proxy = await ProxyHarness.start(settings, captureMaxBytes: 150_000)
        let output = try await origin.client(
            through: proxy.address,
            compresses: true,
            "flood"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "20000000\n")
        #expect(exchanges.first?.state == .completed)
        #expect(
            exchanges.first?.messageLines == [
                "up text flood", "down text (100000)", "down text (50000) …", "down text …",
                "down text …",
            ]
        )
        #expect(exchanges.first?.tags["tapline.messages"] == "198 more were not kept")
    }

    @Test("are recorded if the request is in absolute-form")
    func absoluteForm() async throws {
        let origin = try await RawWebSocketOrigin()
        let proxy = await ProxyHarness.start()
        // RFC 6455 §5.7: "Hello" masked, and in two fragments without a mask.
        let up = "818537fa213d7f9f4d5158"
        let down = "010348656c80026c6f"
        let seen = try await origin.exchange(through: proxy.address, up: up, down: down)
        let (_, exchanges) = await proxy.stop()
        #expect(seen.server == up && seen.client == down)
        let exchange = try #require(exchanges.first)
        #expect(Set(exchange.messageLines.prefix(2)) == ["up text Hello", "down text Hello"])
        #expect(exchange.messages.count == 4)
        #expect(exchange.state == .completed)
        #expect(exchange.bytes?.up.body == 11)
        #expect(exchange.bytes?.down.body == 9 + 2 + 22 + 2)
    }

    @Test("are kept up to 'runtime.memory', and pass completely")
    func memory() async throws {
        let origin = try await WebSocketOrigin()
        let proxy = await ProxyHarness.start(
            origin.settings(),
            captureMaxBytes: 4 << 20,
            memory: 1 << 20
        )
        let output = try await origin.client(
            through: proxy.address,
            "echo_size",
            ["600000"]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "600000\n")
        #expect(
            exchanges.first?.messageLines.prefix(2) == ["up text …", "down text …"]
        )
    }

    @Test("release their memory when they end")
    func memoryGivenBack() async throws {
        let origin = try await WebSocketOrigin()
        let proxy = await ProxyHarness.start(
            origin.settings(),
            captureMaxBytes: 4 << 20,
            memory: 4 << 20
        )
        // Each one uses more than a quarter, so that four of them leave nothing for the fifth.
        for _ in 0..<5 {
            _ = try await origin.client(
                through: proxy.address,
                "echo_size",
                ["600000"]
            )
        }
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.count == 5)
        for exchange in exchanges {
            #expect(
                exchange.messageLines.prefix(2) == ["up text (600000)", "down text (600000)"]
            )
        }
    }

    @Test("are what the server agreed to; hooks and records do not see another protocol")
    func anotherProtocol() async throws {
        let origin = try await RawWebSocketOrigin()
        let proxy = await ProxyHarness.start(stages: [dropping])
        let up = "818537fa213d7f9f4d5158"
        let down = "010348656c80026c6f"
        let seen = try await origin.exchange(
            through: proxy.address,
            up: up,
            down: down,
            asking: "websockets"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(seen.server == up && seen.client == down)
        #expect(exchanges.map(\.response?.status) == [101])
        #expect(exchanges.first?.messages.isEmpty == true)
        #expect(exchanges.first?.tags.isEmpty == true)
    }

    @Test("pass unread if 'when' excludes them")
    func excluded() async throws {
        let origin = try await RawWebSocketOrigin()
        let proxy = await ProxyHarness.start(
            when: try Filter("host == \"other.test\""),
            stages: [dropping]
        )
        let down = "010348656c80026c6f"
        let seen = try await origin.exchange(through: proxy.address, up: "", down: down)
        let (_, exchanges) = await proxy.stop()
        #expect(seen.client == down)
        #expect(exchanges.isEmpty)
    }

    private var dropping: Topology.Stage {
        Topology.Stage(id: "hook", ScriptedStage(message: { _, _, _ in .drop }))
    }

    @Test(
        "that break the rules pass unchanged, and the record says so",
        arguments: [
            ("8105", "", "up: wrong_mask"), ("", "8185000000004865", "down: wrong_mask"),
            ("", "c107f248cdc9c90700", "down: reserved_bits"), ("", "a100", "down: reserved_bits"),
            ("", "8300", "down: reserved_opcode"), ("", "0900", "down: fragmented_control"),
            ("", "897e007e" + String(repeating: "00", count: 126), "down: long_control"),
            ("", "8000", "down: unexpected_continuation"),
            ("", "01008100", "down: missing_continuation"), ("", "880100", "down: invalid_close"),
            ("", "880203ed", "down: invalid_close"), ("", "817e0001", "down: invalid_length"),
            ("", "817f8000000000000000", "down: invalid_length"),
            ("", "8102c328", "down: invalid_utf8"), ("81820000000080ff", "", "up: invalid_utf8"),
        ]
    )
    func hostile(_ up: String, _ down: String, _ problem: String) async throws {
        let origin = try await RawWebSocketOrigin()
        let proxy = await ProxyHarness.start()
        let seen = try await origin.exchange(through: proxy.address, up: up, down: down)
        let (_, exchanges) = await proxy.stop()
        #expect(seen.server == up && seen.client == down)
        #expect(exchanges.map(\.state) == [.completed])
        #expect(exchanges.first?.tags["tapline.websocket"] == problem)
    }

    @Test(
        "that are badly compressed pass unchanged, and the record says so",
        arguments: [
            // RFC 7692 §7.2.3: "Hello" whole, with the window, without a window, in one last block.
            ("c107f248cdc9c90700c105f200110000", "", "Hello Hello", nil),
            (
                "c107f248cdc9c90700c105f200110000", "; server_no_context_takeover", "Hello",
                "down: invalid_compression"
            ),
            ("c108f348cdc9c9070000c105f200110000", "", "Hello Hello", nil),
            ("4103f248cd8004c9c90700", "; server_max_window_bits=8", "Hello", nil),
            ("c104ffffffff", "", "", "down: invalid_compression"),
        ]
    )
    func compression(
        _ down: String,
        _ parameters: String,
        _ texts: String,
        _ problem: String?
    ) async throws {
        let origin = try await RawWebSocketOrigin()
        let proxy = await ProxyHarness.start()
        let seen = try await origin.exchange(
            through: proxy.address,
            up: "",
            down: down,
            extensions: "permessage-deflate\(parameters)"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(seen.client == down)
        let exchange = try #require(exchanges.first)
        #expect(exchange.tags["tapline.websocket"] == problem)
        let found = exchange.messages.filter { $0.type == "text" }
        let expected = texts.split(separator: " ").map { Array($0.utf8) }
        #expect(found.map(\.bytes) == expected)
    }

    @Test("are not decoded beyond the limit")
    func bomb() async throws {
        let origin = try await WebSocketOrigin(compresses: true)
        var settings = origin.settings()
        settings.maxDecodedMessage = 1 << 20
        let proxy = await ProxyHarness.start(settings)
        let output = try await origin.client(
            through: proxy.address,
            compresses: true,
            "echo_size",
            ["2000000"]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "2000000\n")
        let exchange = try #require(exchanges.first)
        #expect(exchange.messages.isEmpty)
        #expect(
            exchange.tags["tapline.websocket"] == "up: message_too_long, down: message_too_long"
        )
    }
}
