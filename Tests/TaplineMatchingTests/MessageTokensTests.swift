// SPDX-License-Identifier: MIT

import TaplineMatching
import TaplineModel
import Testing

/// Tokens in the messages of WebSockets.
@Suite struct MessageTokensTests {
    private static let origin = Timestamp(microseconds: 1_795_183_380_000_000)
    private static let session = SessionID(value: 1)

    /// An exchange that started at a time in milliseconds.
    private func exchange(
        _ target: String,
        at time: Int64,
        _ body: String = "",
        status: Int = 200
    ) -> Exchange {
        let started = Timestamp(microseconds: Self.origin.microseconds + time * 1000)
        var exchange = Exchange(
            id: ExchangeID(high: 0, low: UInt64(time)),
            started: started,
            request: Request(
                method: "GET",
                target: ByteString(target),
                authority: "shop1.test",
                fields: ["Origin": "https://shop1.test"]
            ),
            response: Response(status: status)
        )
        if !body.isEmpty {
            exchange.response?.fields.append(name: "Content-Type", value: "application/json")
            exchange.response?.body = Body(Array(body.utf8))
        }
        return exchange
    }

    /// A WebSocket with messages of the server (`<text`) and the client (`>text`), 1 ms apart.
    private func socket(_ lines: [String], at time: Int64 = 10) -> Exchange {
        var exchange = exchange("/live", at: time, status: 101)
        exchange.messages = lines.enumerated().map { index, line in
            StreamMessage(
                direction: line.hasPrefix(">") ? .up : .down,
                at: Microseconds(Int64(index + 1) * 1000),
                bytes: Array(line.dropFirst().utf8)
            )
        }
        return exchange
    }

    private func found(_ exchanges: [Exchange]) -> [String] {
        var finder = TokenFinder()
        for exchange in exchanges { finder.read(exchange) }
        return finder.findings().bindings.map { binding in
            "\(binding.source.text) -> " + binding.targets.map(\.text).joined(separator: ", ")
        }
    }

    // MARK: Finding

    @Test func aTokenOfALoginIsFoundInAMessage() {
        let login = exchange("/login", at: 0, #"{"token":"abc-4711"}"#)
        let found = found([login, socket([#">{"type":"auth","token":"abc-4711"}"#])])
        #expect(
            found == [
                "response json $.token of GET shop1.test/login -> "
                    + "message json $.token of GET shop1.test/live"
            ]
        )
    }

    @Test func aTokenOfAMessageIsFoundInMessagesAndLaterRequests() {
        let live = socket([#"<{"sid":"abc-4711"}"#, #">{"a":[{"sid":"abc-4711"}]}"#])
        let later = exchange("/orders/abc-4711", at: 100)
        let source = "message json $.sid of GET shop1.test/live"
        #expect(
            found([live, later]) == [
                "\(source) -> message json $.a[*].sid of GET shop1.test/live, "
                    + "request path 2 of GET shop1.test/orders/{id}"
            ]
        )
        // The request had it before the message.
        let earlier = exchange("/orders/abc-4711", at: 10)
        #expect(
            found([live, earlier]) == [
                "\(source) -> message json $.a[*].sid of GET shop1.test/live"
            ]
        )
    }

    @Test(arguments: [
        // An echo: the client had the value first.
        ([#">{"id":"abc-4711"}"#, #"<{"id":"abc-4711"}"#, #">{"id":"abc-4711"}"#]),
        // The host and the origin of the page.
        ([#"<{"host":"shop1.test"}"#, #">{"host":"shop1.test"}"#]),
        ([#"<{"page":"https://shop1.test"}"#, #">{"page":"https://shop1.test"}"#]),
        // Words, small numbers at places without a name of ids, and masks.
        ([#"<{"state":"ready"}"#, #">{"state":"ready"}"#]),
        ([#"<{"price":7}"#, #">{"price":7}"#]),
        ([#"<{"token":"[redacted]12"}"#, #">{"token":"[redacted]12"}"#]),
        (["<ping", ">ping"]),
    ])
    func otherValuesAreNone(lines: [String]) {
        #expect(found([socket(lines)]).isEmpty)
    }

    @Test(arguments: [
        (#"<{"room_id":12}"#, #">{"room_id":12}"#, "json $.room_id", "json $.room_id"),
        ("<abc-4711", ">JOIN abc-4711", "text", "text"),
        ("<https://a.test/s/abc-4711", ">abc-4711", "text path 2", "text"),
        (
            #"<0{"sid":"abc-4711"}"#, #">42["join",{"sid":"abc-4711"}]"#, "json $.sid",
            "json $[*].sid"
        ),
    ])
    func valuesAreFoundIn(server: String, client: String, source: String, target: String) {
        #expect(
            found([socket([server, client])]) == [
                "message \(source) of GET shop1.test/live -> "
                    + "message \(target) of GET shop1.test/live"
            ]
        )
    }

    // MARK: Planning

    private func map(_ bindings: [(String, String)]) throws -> TokenMap {
        TokenMap(
            try bindings.enumerated().map { index, binding in
                TokenBinding(
                    name: "t\(index)",
                    source: try TokenPlace(parsing: binding.0),
                    targets: [try TokenPlace(parsing: binding.1)]
                )
            }
        )
    }

    @Test func messagesNeedAnswersAndMessages() throws {
        let map = try map([
            ("response json $.token of GET /login", "message json $.token of GET /live"),
            ("message json $.sid of GET /live", "message json $.sid of GET /live"),
            ("message json $.sid of GET /live", "request path 2 of GET /orders/{id}"),
        ])
        var sessions = RecordedSessions(key: .automatic, map: map)
        let login = sessions.read(exchange("/login", at: 0, #"{"token":"abc-4711"}"#))
        let lines = [
            "<{}", #">{"token":"abc-4711"}"#, #"<{"sid":"def-4711"}"#, #">{"sid":"def-4711"}"#,
        ]
        let live = sessions.read(socket(lines))
        let order = sessions.read(exchange("/orders/def-4711", at: 100))
        // The session is that of the login, since a message has its token.
        #expect(live.session == login.session && order.session == login.session)
        #expect(live.needs == [login.sequence])
        let number = live.sequence + 1
        #expect(live.messageNumbers == [number] && order.sequence > number)
        #expect(live.messages?.issuing.map(\.position) == [2])
        #expect(live.messages?.echoing[1]?.needs == [])
        #expect(live.messages?.echoing[3]?.needs == [number])
        #expect(order.needs == [number])
    }

    @Test func requestsWaitForMessages() throws {
        final class Machine {
            var machine = ReplaySessionsStateMachine(limit: 10)
            func added(_ plan: PlannedRequest) -> Bool { machine.added(plan) }
            func ended(_ number: Int, _ outcome: ReplaySessionsStateMachine.Outcome) -> [Int] {
                machine.ended(number, outcome)
            }
            func handedOut(_ numbers: [Int]) -> [Int] { machine.handedOut(numbers) }
        }
        for outcome in [ReplaySessionsStateMachine.Outcome.opened, .answered, .failed, .skipped] {
            let map = try map([
                ("message json $.sid of GET /live", "request path 1 of GET /{id}")
            ])
            var sessions = RecordedSessions(key: .off, map: map)
            let live = sessions.read(socket([#"<{"sid":"def-4711"}"#]))
            let later = sessions.read(exchange("/def-4711", at: 100))
            let machine = Machine()
            #expect(machine.added(live))
            #expect(!machine.added(later))
            let released = machine.ended(live.sequence, outcome)
            // Without a WebSocket, no message is waited for.
            #expect(released == (outcome == .opened ? [] : [later.sequence]))
            let handedOut = machine.handedOut(live.messageNumbers)
            #expect(handedOut == (outcome == .opened ? [later.sequence] : []))
            #expect(machine.handedOut(live.messageNumbers).isEmpty)
        }
    }

    // MARK: Replacing

    /// Replays the client's messages against those of a live server, which come first.
    private func replayed(
        _ lines: [String],
        live: [String],
        _ bindings: [(String, String)]
    ) throws -> (sent: [String], missing: Int) {
        let map = try map(bindings)
        var sessions = RecordedSessions(key: .off, map: map)
        let exchange = socket(lines)
        let planned = sessions.read(exchange)
        let messages = try #require(planned.messages)
        var tokens = SessionTokens(map: map)
        var pairing = MessagePairing(messages)
        for text in live {
            let message = StreamMessage(direction: .down, bytes: Array(text.utf8))
            _ = tokens.observe(message, &pairing, in: planned.session)
        }
        var missing = 0
        let sent = exchange.messages.enumerated().compactMap { position, message -> String? in
            guard message.direction == .up else { return nil }
            var message = message
            let use = tokens.apply(
                to: &message,
                at: position,
                of: messages,
                in: planned.session
            )
            missing += use.missing.count
            return String(decoding: message.bytes, as: UTF8.self)
        }
        return (sent, missing)
    }

    @Test(arguments: [
        // Only the value changes, whatever is around it.
        (
            #"<{"sid":"old-1111"}"#, #">{ "x" : "old-1111", "sid":"old-1111" }"#,
            #"{"sid":"n\"2"}"#, #"{ "x" : "old-1111", "sid":"n\"2" }"#
        ),
        (#"<{"sid":1111111}"#, #">{"sid":1111111}"#, #"{"sid":22}"#, #"{"sid":22}"#),
        (#"<{"sid":1111111}"#, #">{"sid":1111111}"#, #"{"sid":"x2"}"#, #"{"sid":"x2"}"#),
        (
            #"<0{"sid":"old-1111"}"#, #">42{"sid":"old-1111"}"#, #"7{"sid":"new-2222"}"#,
            #"42{"sid":"new-2222"}"#
        ),
    ])
    func onlyTheValueIsReplaced(server: String, client: String, live: String, sent: String) throws {
        let place = "message json $.sid of GET /live"
        let result = try replayed([server, client], live: [live], [(place, place)])
        #expect(result.sent == [sent] && result.missing == 0)
    }

    @Test func messagesBelongTogetherByTypeAndNumber() throws {
        let place = "message json $.id of GET /live"
        let lines = [
            #"<{"type":"room","id":"old-1111"}"#, #"<{"type":"room","id":"old-2222"}"#,
            #"<{"type":"user","id":"old-3333"}"#, #">{"id":"old-2222"}"#, #">{"id":"old-3333"}"#,
        ]
        let live = [
            #"{"type":"time","id":"x"}"#, #"{"type":"user","id":"new-3333"}"#,
            #"{"type":"room","id":"new-1111"}"#, #"{"type":"time","id":"y"}"#,
            #"{"type":"room","id":"new-2222"}"#,
        ]
        let result = try replayed(lines, live: live, [(place, place)])
        #expect(result.sent == [#"{"id":"new-2222"}"#, #"{"id":"new-3333"}"#])
        #expect(result.missing == 0)
    }

    @Test(arguments: [
        // Small numbers are types, times and ids are not.
        (#"{"op":10,"id":"#, #"{"op":11,"id":"#, false),
        (#"{"t":1795183380000,"id":"#, #"{"t":1795183381000,"id":"#, true),
        (#"{"type":"a1b2c3d4","id":"#, #"{"type":"e5f6a7b8","id":"#, true),
        (#"{"event":{},"id":"#, #"{"id":"#, true), (#"{"id":"#, #"{"type":"x","id":"#, false),
    ])
    func aTypeIsAWordOrACode(recorded: String, live: String, isPaired: Bool) throws {
        let place = "message json $.id of GET /live"
        let lines = ["<\(recorded)\"old-1111\"}", #">{"id":"old-1111"}"#]
        let result = try replayed(lines, live: ["\(live)\"new-1111\"}"], [(place, place)])
        #expect(result.missing == (isPaired ? 0 : 1))
    }

    @Test func aTokenThatIsNotHandedOutIsMissing() throws {
        let place = "message json $.id of GET /live"
        let lines = [#"<{"id":"old-1111"}"#, #">{"id":"old-1111"}"#, #">{"id":"other-22"}"#]
        let result = try replayed(lines, live: [#"{"no":"new-1111"}"#], [(place, place)])
        #expect(result.sent == [#"{"id":"old-1111"}"#, #"{"id":"other-22"}"#])
        #expect(result.missing == 1)
    }
}
