// SPDX-License-Identifier: MIT

import TaplineMatching
import TaplineModel
import TaplineNet
import TaplineOperations
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ClientReplaySource

extension Exchange {
    /// Its messages of a direction as lines such as `text hello`.
    fileprivate func lines(_ direction: StreamMessage.Direction) -> [String] {
        messages.filter { $0.direction == direction }.map { message in
            let code = message.code.map { "\($0) " } ?? ""
            let text = String(decoding: message.bytes, as: UTF8.self)
            return "\(message.type) \(code)\(text)"
        }
    }
}

/// Settings that wait for 100 ms for messages of the server.
private func patient(_ url: String) -> ClientReplaySettings {
    var settings = settings(url)
    settings.messageTimeout = Microseconds(100_000)
    return settings
}

@Suite("WebSockets that are replayed", .timeLimit(.minutes(2)))
struct WebSocketReplayTests {
    private static let conversation = [
        "up text one @ 0", "down text one @ 1", "up binary two @ 30", "down binary two @ 31",
        "up ping p @ 50", "down pong p @ 51", "up close 4001 @ 60", "down close 4001 @ 61",
    ]

    @Test("are opened with a new key, and send and record the messages")
    func sends() async throws {
        let target = try WebSocketTarget()
        let replayed = try await send([recordedWebSocket(Self.conversation)], patient(target.url))
        let head = try #require(target.heads.first)
        #expect(head.contains("\r\nUpgrade: websocket\r\n") && head.contains("Connection: upgrade"))
        #expect(head.contains("Sec-WebSocket-Protocol: chat\r\n"))
        #expect(!head.contains("recorded") && !head.contains("Extensions"))
        #expect(target.lines == ["text one", "binary two", "ping p", "close 4001 bye"])
        let exchange = try #require(replayed.exchanges.first)
        #expect(exchange.state == .completed && exchange.error == nil)
        #expect(exchange.response?.status == 101)
        #expect(exchange.lines(.up) == target.lines)
        #expect(
            exchange.lines(.down) == ["text one", "binary two", "pong p", "close 4001 bye"]
        )
        #expect(exchange.extra?.replay?.status == 101)
        #expect(exchange.bytes?.up.body ?? 0 > 20 && exchange.bytes?.down.body ?? 0 > 10)
        let counts = replayed.figures.webSockets
        #expect(counts.opened == 1 && counts.due == 3 && counts.sent == 3 && counts.received == 2)
        #expect(replayed.figures.statuses == [101: 1] && replayed.figures.counts.sent == 1)
    }

    @Test("keep the recorded spacing, from the opening on")
    func spacing() async throws {
        let target = try WebSocketTarget(.accept) { _ in .none }
        let lines = (0..<5).map { "up text \($0) @ \($0 * 20)" } + ["up close 1000 @ 100"]
        var settings = patient(target.url)
        settings.schedule = ReplaySchedule(.recorded(0.5))
        let replayed = try await send([recordedWebSocket(lines)], settings)
        let times = target.messages.map(\.at)
        try #require(times.count == 6)
        let exchange = try #require(replayed.exchanges.first)
        let opened = exchange.messages[0].at?.count ?? 0
        for (index, message) in exchange.messages.prefix(5).enumerated() {
            // Never early, whatever was late before.
            #expect((message.at?.count ?? 0) - opened >= Int64(index) * 40_000 - 2000)
        }
        #expect(times[5] - times[0] >= 190_000)
    }

    @Test("fragments are joined, and pings between them are answered")
    func fragments() async throws {
        let target = try WebSocketTarget(.accept) { _ in .fragments }
        let lines = ["up text abc @ 0", "down text abc @ 1", "up close 1000 @ 2"]
        let replayed = try await send([recordedWebSocket(lines)], patient(target.url))
        #expect(target.lines == ["text abc", "pong \u{7}", "close 1000 bye"])
        #expect(replayed.exchanges.first?.lines(.down).contains("text abc") == true)
    }

    @Test(
        "end as the server ends them",
        arguments: [
            (WebSocketTarget.Action.close(4002), ExchangeState.completed, nil, 1),
            (.leave, .failed, "closed_early", 1), (.garbage, .failed, "malformed_message", 1),
        ] as [(WebSocketTarget.Action, ExchangeState, String?, Int)]
    )
    func endsEarly(
        _ action: WebSocketTarget.Action,
        _ state: ExchangeState,
        _ code: String?,
        _ sent: Int
    ) async throws {
        let target = try WebSocketTarget(.accept) { _ in action }
        var settings = patient(target.url)
        settings.schedule = ReplaySchedule(.recorded(1))
        let lines = ["up text a @ 0", "up text b @ 5000", "up text c @ 6000"]
        let replayed = try await send([recordedWebSocket(lines), recorded(2)], settings)
        let exchange = try #require(replayed.exchanges.first { $0.request.target == "/1" })
        #expect(exchange.state == state && exchange.error?.code == code)
        let counts = replayed.figures.webSockets
        #expect(counts.due == 3 && counts.sent == sent && counts.unsent == 3 - sent)
        #expect(replayed.figures.counts.due == 2)
    }

    @Test(
        "that are not opened have no messages",
        arguments: [
            (WebSocketTarget.Opening.refuse, ExchangeState.completed, nil),
            (.wrongKey, .failed, "malformed_response"),
            (.keepsAlive, .failed, "malformed_response"),
        ] as [(WebSocketTarget.Opening, ExchangeState, String?)]
    )
    func refused(
        _ opening: WebSocketTarget.Opening,
        _ state: ExchangeState,
        _ code: String?
    ) async throws {
        let target = try WebSocketTarget(opening)
        let replayed = try? await send(
            [recordedWebSocket(Self.conversation)],
            patient(target.url)
        )
        let exchange = try #require(replayed?.exchanges.first)
        #expect(exchange.state == state && exchange.error?.code == code)
        #expect(exchange.messages.isEmpty && target.messages.isEmpty)
        #expect(replayed?.figures.webSockets.opened == 0)
        #expect(replayed?.figures.counts.sent == 1)
    }

    @Test("whose close frame is not answered fail after 'message_timeout'")
    func unanswered() async throws {
        let target = try WebSocketTarget(.neverCloses)
        let exchange = recordedWebSocket(["up close 1000 @ 0"])
        let replayed = try await send([exchange], patient(target.url))
        #expect(replayed.exchanges.first?.error?.code == "timeout")
        // The handshake was answered.
        #expect(replayed.report.isSuccess)
        #expect(replayed.figures.counts.sent == 1)
    }

    @Test("fail if the server takes no bytes for as long as 'timeout', and answer no pings then")
    func stalled() async throws {
        let target = try WebSocketTarget(.stopsReading)
        let stage = Topology.Stage(
            id: "hook",
            ScriptedStage(message: { message, _, _ in
                // More than the buffers of the kernel for a connection.
                message.bytes = [UInt8](repeating: 0, count: 6 << 20)
                return .pass
            })
        )
        var settings = patient(target.url)
        settings.timeout = Microseconds(300_000)
        let replayed = try await send(
            [recordedWebSocket(["up binary a @ 0", "up close 1000 @ 1"])],
            settings,
            stages: [stage]
        )
        let exchange = try #require(replayed.exchanges.first)
        #expect(exchange.state == .failed && exchange.error?.code == "timeout")
        #expect(replayed.figures.webSockets.opened == 1)
        #expect(!exchange.messages.contains { $0.type == "pong" || $0.type == "close" })
    }

    @Test("make a server that sends early wait while 'response' hooks do")
    func early() async throws {
        let target = try WebSocketTarget(.floods)
        let stage = Topology.Stage(
            id: "hook",
            ScriptedStage(response: { _, _ in .delay(Microseconds(150_000)) })
        )
        var settings = patient(target.url)
        settings.messageTimeout = Microseconds(20_000_000)
        let lines = Array(repeating: "down binary a @ 0", count: 8) + ["up close 1000 @ 1"]
        let replayed = try await send([recordedWebSocket(lines)], settings, stages: [stage])
        #expect(replayed.exchanges.first?.state == .completed)
        #expect(replayed.figures.webSockets.received == 8)
        #expect(target.floodDuration >= 140_000)
    }

    @Test("are opened with another key when the request is sent again")
    func retries() async throws {
        let target = try WebSocketTarget(.leavesFirst)
        var settings = patient(target.url)
        settings.retries = 1
        let replayed = try await send([recordedWebSocket(Self.conversation)], settings)
        let keys = target.heads.compactMap { head in
            head.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }
        }
        #expect(keys.count == 2 && Set(keys).count == 2)
        #expect(replayed.exchanges.first?.state == .completed)
    }

    @Test("whose messages were masked are not sent, and counted")
    func masked() async throws {
        let target = try WebSocketTarget()
        let exchanges = [
            recordedWebSocket(["up text [redacted] @ 0"]), recordedWebSocket(Self.conversation),
        ]
        let replayed = try await send(exchanges, patient(target.url))
        #expect(replayed.figures.obstacles == [.masked: 1])
        #expect(replayed.figures.tokens.maskedPlaces.map(\.text) == ["request message"])
        #expect(replayed.figures.counts.due == 1 && target.heads.count == 1)
    }

    @Test("show their messages to hooks, which may change and drop them")
    func hooks() async throws {
        let target = try WebSocketTarget()
        let stage = Topology.Stage(
            id: "hook",
            ScriptedStage(message: { message, _, _ in
                if message.bytes == Array("two".utf8) { return .drop }
                message.bytes.append(UInt8(ascii: "!"))
                return .pass
            })
        )
        let replayed = try await send(
            [recordedWebSocket(Self.conversation)],
            patient(target.url),
            stages: [stage]
        )
        #expect(target.lines == ["text one!", "ping p", "close 4001 bye"])
        #expect(replayed.exchanges.first?.lines(.up) == target.lines)
        #expect(replayed.exchanges.first?.lines(.down).first == "text one!!")
        #expect(replayed.figures.webSockets.dropped == 1)
        #expect(replayed.exchanges.first?.tags["tapline.messages"] == "1 dropped by stages")
    }

    @Test("let later requests of their session go on once they are open")
    func sessions() async throws {
        let target = try WebSocketTarget(.accept) { _ in .none }
        // The server does not send the recorded message, so that the WebSocket stays open.
        var socket = recordedWebSocket(["down text a @ 5", "up close 1000 @ 10"])
        socket.connection.client = "127.0.0.1:1"
        socket.timing.total = Microseconds(12_000)
        socket.timing.receive = Microseconds(11_000)
        var other = recorded(150)
        other.connection.client = "127.0.0.1:2"
        var settings = settings(target.url)
        settings.messageTimeout = Microseconds(400_000)
        settings.sessions.key = .client
        settings.schedule = ReplaySchedule(.recorded(1))
        let replayed = try await send([socket, other], settings)
        #expect(replayed.exchanges.map(\.request.target) == ["/150", "/1"])
        #expect(replayed.exchanges.map(\.state) == [.completed, .completed])
    }

    @Test("are closed with status 1001 when the run stops")
    func stops() async throws {
        let target = try WebSocketTarget(.accept) { _ in .none }
        var settings = patient(target.url)
        settings.schedule = ReplaySchedule(.recorded(1))
        let lines = ["up text a @ 0", "up text b @ 60000"]
        let replayed = try await send([recordedWebSocket(lines)], settings) {
            !target.messages.isEmpty
        }
        #expect(target.lines == ["text a", "close 1001 "])
        #expect(replayed.exchanges.first?.state == .cancelled)
    }

    @Test("are only counted in a dry run")
    func dryRun() async throws {
        let target = try WebSocketTarget()
        var settings = patient(target.url)
        settings.isDryRun = true
        let replayed = try await send([recordedWebSocket(Self.conversation)], settings)
        #expect(target.heads.isEmpty)
        #expect(replayed.figures.webSockets.opened == 1 && replayed.figures.webSockets.due == 3)
    }
}
