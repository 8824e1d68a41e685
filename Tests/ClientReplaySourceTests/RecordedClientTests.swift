// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineOperations
import Testing

@testable import ClientReplaySource

/// A recorded WebSocket that was opened after 1 ms, with messages such as `up text hi @ 20` at a
/// time in milliseconds after that.
func recordedWebSocket(_ lines: [String], number: Int = 1) -> Exchange {
    var exchange = recorded(number)
    for (name, value) in [
        ("Connection", "keep-alive, Upgrade"), ("Upgrade", "websocket"),
        ("Sec-WebSocket-Key", "recorded"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Extensions", "permessage-deflate"), ("Sec-WebSocket-Protocol", "chat"),
    ] {
        exchange.request.fields.append(name: name, value: value)
    }
    exchange.response = Response(status: 101, fields: ["Upgrade": "websocket"])
    exchange.timing.send = Microseconds(0)
    exchange.timing.wait = Microseconds(1000)
    exchange.messages = lines.map { line in
        let parts = line.split(separator: " ").map(String.init)
        let time = parts.last.flatMap { Int64($0) } ?? 0
        var message = StreamMessage(
            direction: parts[0] == "up" ? .up : .down,
            at: Microseconds(1000 + time * 1000),
            type: parts[1],
            bytes: Array(parts[2].utf8)
        )
        if parts[1] == "close" {
            message.code = Int(parts[2])
            message.bytes = Array("bye".utf8)
        }
        return message
    }
    return exchange
}

@Suite struct RecordedClientTests {
    typealias Step = ClientMessagesStateMachine.Step

    static let lines = [
        "up text a @ 10", "down text b @ 20", "up ping c @ 30", "down pong c @ 31",
        "up binary d @ 40", "down text e @ 50", "up close 4001 @ 70", "down close 4001 @ 80",
    ]

    private func client(
        _ pace: ReplaySchedule.Pace,
        _ lines: [String] = RecordedClientTests.lines,
        maxGap: Int64 = 1_000_000
    ) -> RecordedClient {
        RecordedClient(recordedWebSocket(lines), at: pace, maxGap: Microseconds(maxGap))
    }

    @Test(
        "messages are due as they were recorded, with rates too",
        arguments: [(ReplaySchedule.Pace.recorded(2), 1), (.constant(5), 2)]
            as [(ReplaySchedule.Pace, Int64)]
    )
    func due(_ pace: ReplaySchedule.Pace, _ factor: Int64) {
        let client = client(pace)
        #expect(client.plan.steps == [10, 30, 40].map { Step(due: $0 * 500 * factor) })
        #expect(client.plan.end == 35_000 * factor)
        #expect(client.plan.expected == 2)
        #expect(!client.plan.isClosedByServer)
        #expect(client.messages.map(\.type) == ["text", "ping", "binary"])
        #expect(client.closePayload == [0x0F, 0xA1] + Array("bye".utf8))
    }

    @Test("with 'max', messages follow those of the server")
    func max() {
        let plan = client(.max).plan
        #expect(plan.steps == [Step(), Step(after: 1), Step(after: 1)])
        #expect(plan.end == 0 && plan.expected == 2)
    }

    @Test("long pauses are shortened")
    func gaps() {
        let plan = client(.recorded(1), maxGap: 5000).plan
        #expect(plan.steps.map(\.due) == [5000, 15_000, 21_000])
    }

    @Test("a server that closed closes again; without a close frame the status is 1000")
    func closing() {
        let closed = client(.recorded(1), ["down close 4001 @ 9", "up close 4001 @ 10"])
        #expect(closed.plan.isClosedByServer && closed.plan.end == 9000)
        let cut = client(.recorded(1), ["up text a @ 3"])
        #expect(cut.closePayload == [0x03, 0xE8] && cut.plan.end == 3000)
    }

    @Test("messages that are not known are not sent")
    func obstacles() {
        var exchange = recordedWebSocket(["up text a @ 1", "down text [redacted] @ 2"])
        #expect(RecordedClient.obstacle(exchange) == nil)
        exchange.messages[0].isTruncated = true
        #expect(RecordedClient.obstacle(exchange) == .missingBody)
        exchange.messages[0].isTruncated = false
        for text in [#"{"token":"[redacted]"}"#, "***", #"{"token":"***"}"#] {
            exchange.messages[0].bytes = Array(text.utf8)
            #expect(RecordedClient.obstacle(exchange) == .masked)
        }
        exchange.messages[0].bytes = Array("***bold***".utf8)
        #expect(RecordedClient.obstacle(exchange) == nil)
        exchange.tags["tapline.websocket"] = "down: invalid_utf8"
        #expect(RecordedClient.obstacle(exchange) == nil)
        exchange.tags["tapline.websocket"] = "up: reserved_bits"
        #expect(RecordedClient.obstacle(exchange) == .missingBody)
        exchange.tags["tapline.websocket"] = nil
        exchange.tags["tapline.messages"] = "3 more were not kept"
        #expect(RecordedClient.obstacle(exchange) == .missingBody)
    }
}
