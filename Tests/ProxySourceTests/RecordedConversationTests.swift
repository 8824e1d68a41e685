// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineMatching
import TaplineModel
import Testing

@testable import ProxySource

@Suite struct RecordedConversationTests {
    typealias Step = ServerMessagesStateMachine.Step

    /// A WebSocket that was opened after 100 µs, with messages such as `up text hi @ 120`.
    static func exchange(_ lines: [String], state: ExchangeState = .completed) -> Exchange {
        var exchange = Exchange(
            id: ExchangeID(high: 1, low: 2),
            source: "proxy",
            request: Request(fields: ["Upgrade": "websocket"]),
            response: Response(status: 101, fields: ["Upgrade": "websocket"])
        )
        exchange.state = state
        exchange.timing.total = Microseconds(1000)
        exchange.timing.receive = Microseconds(900)
        exchange.messages = lines.map { line in
            let parts = line.split(separator: " ").map(String.init)
            var message = StreamMessage(
                direction: parts[0] == "up" ? .up : .down,
                at: parts.last.flatMap { Int64($0) }.map { Microseconds($0) },
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

    @Test("messages of the server wait for those of the client that came before")
    func steps() throws {
        let exchange = Self.exchange([
            "down text a @ 130", "up text b @ 150", "up ping c @ 155", "down pong c @ 156",
            "down binary d @ 160", "up binary e @ 170", "down ping f @ 180", "up pong f @ 181",
            "down close 4001 @ 190", "up close 4001 @ 200",
        ])
        let conversation = try #require(RecordedConversation(webSocket: exchange))
        #expect(
            conversation.steps == [
                Step(distance: 30), Step(after: 1, distance: 10), Step(after: 2, distance: 10),
                Step(.close, after: 2, distance: 20),
            ]
        )
        #expect(conversation.opcodes == [.text, .binary, .ping, .close])
        #expect(conversation.contents[1] == Array("d".utf8))
        #expect(conversation.contents[3] == [0x0F, 0xA1] + Array("bye".utf8))
        #expect(conversation.steps(scaledBy: 2).map(\.distance) == [60, 20, 20, 40])
        #expect(conversation.steps(scaledBy: 0).map(\.distance) == [0, 0, 0, 0])
        #expect(conversation.steps(scaledBy: .infinity)[0].distance == Int64(1e15))
    }

    @Test("a close frame of the client is answered as it was")
    func closedByClient() throws {
        let exchange = Self.exchange(["up close 1000 @ 150", "down close 1000 @ 160"])
        let conversation = try #require(RecordedConversation(webSocket: exchange))
        #expect(conversation.steps.isEmpty)
        #expect(conversation.closeAnswer == [0x03, 0xE8] + Array("bye".utf8))
    }

    @Test(
        "a server that left without a close frame leaves again; an interrupted recording does not",
        arguments: [(ExchangeState.failed, [Step(.leave, distance: 900)]), (.cancelled, [])]
    )
    func left(_ state: ExchangeState, _ steps: [Step]) throws {
        let conversation = try #require(
            RecordedConversation(webSocket: Self.exchange([], state: state))
        )
        #expect(conversation.steps == steps)
    }

    @Test("a text that was recorded in part ends with a whole character")
    func truncated() throws {
        var exchange = Self.exchange(["down text ü @ 130"])
        exchange.messages[0].bytes = Array("aü".utf8.dropLast())
        exchange.messages[0].isTruncated = true
        let conversation = try #require(RecordedConversation(webSocket: exchange))
        #expect(conversation.contents == [Array("a".utf8)])
    }

    @Test("other responses are no conversation")
    func others() {
        var exchange = Self.exchange([])
        exchange.response?.status = 200
        #expect(RecordedConversation(webSocket: exchange) == nil)
        #expect(RecordedConversation(events: exchange) == nil)
    }

    @Test("the schemes that browsers record are those of HTTP")
    func schemes() {
        for (scheme, other) in [("wss", "https"), ("ws", "http"), ("https", "https")] {
            let request = Request(scheme: ByteString(scheme))
            #expect(request.withHTTPScheme.scheme == ByteString(other))
        }
    }

    /// A stream of events that arrived after 0, 40 and 90 µs.
    static func stream(_ body: String, _ events: [String]) -> Exchange {
        var exchange = Self.exchange([])
        exchange.response = Response(status: 200, fields: ["Content-Type": "text/event-stream"])
        exchange.response?.body = Body(Array(body.utf8))
        exchange.messages = zip(events, [100, 140, 190]).map { text, time in
            StreamMessage(
                direction: .down,
                at: Microseconds(time),
                type: "event",
                bytes: Array(text.utf8)
            )
        }
        return exchange
    }

    @Test("an event stream is divided after each event, and keeps all of its bytes")
    func events() throws {
        let body = ": hi\ndata: a\n\nretry: 5\r\ndata: b\r\n\r\nid: 1\ndata: c\n\n: end"
        let conversation = try #require(
            RecordedConversation(events: Self.stream(body, ["a", "b", "c"]))
        )
        #expect(conversation.contents.flatMap(\.self) == Array(body.utf8))
        #expect(conversation.steps.map(\.distance) == [0, 40, 90, 900, 900])
        #expect(conversation.steps.last?.kind == .leave)
    }

    @Test("times of a stream before its start are its start")
    func negativeTimes() throws {
        var exchange = Self.stream("data: a\n\ndata: b\n\n", ["a", "b"])
        exchange.timing.send = Microseconds(1000)
        exchange.timing.wait = Microseconds(1000)
        exchange.timing.receive = nil
        exchange.timing.total = Microseconds(.min)
        exchange.messages[0].at = Microseconds(5000)
        exchange.messages[1].at = Microseconds(.min)
        let conversation = try #require(RecordedConversation(events: exchange))
        #expect(conversation.steps.map(\.distance) == [3000, 3000, 3000])
    }

    @Test("an event stream whose body was not kept is made of its events")
    func madeEvents() throws {
        var exchange = Self.stream("", ["a\nb", "c"])
        exchange.messages[1].event = "note"
        exchange.messages[1].eventID = "7"
        let conversation = try #require(RecordedConversation(events: exchange))
        let text = String(decoding: conversation.contents.flatMap(\.self), as: UTF8.self)
        #expect(text == "data: a\ndata: b\n\nevent: note\nid: 7\ndata: c\n\n")
    }

    @Test("events and text messages repeat values of the live request")
    func repeats() throws {
        let values = try #require(
            EchoedMessages(
                of: Request(target: "/jobs/98765/events"),
                insteadOf: Request(target: "/jobs/1234/events"),
                masks: []
            )
        )
        let body = "id: 1\ndata: {\"id\":1234,\"n\":12345}\n\ndata: job 1234 is done\n\n"
        let events = try #require(
            RecordedConversation(events: Self.stream(body, ["a", "b"]))
        ).repeating(values)
        #expect(
            String(decoding: events.contents.flatMap(\.self), as: UTF8.self)
                == body.replacing(" 1234 ", with: " 98765 ").replacing(":1234,", with: ":98765,")
        )
        let recorded = try #require(
            RecordedConversation(
                webSocket: Self.exchange(["down text 1234 @ 130", "down binary 1234 @ 140"])
            )
        )
        let contents = recorded.repeating(values).contents
        #expect(contents == [Array("98765".utf8), Array("1234".utf8)])
        let same = EchoedMessages(
            of: Request(target: "/jobs/1234"),
            insteadOf: Request(target: "/jobs/1234"),
            masks: []
        )
        #expect(same == nil)
    }
}
