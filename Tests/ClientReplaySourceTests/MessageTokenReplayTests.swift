// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConfig
import TaplineMatching
import TaplineModel
import TaplineOperations
import TestSupport
import Testing

@testable import ClientReplaySource

/// Replays against a server whose tokens work once, and are other ones than the recorded ones.
@Suite("Tokens in messages of WebSockets that are replayed", .timeLimit(.minutes(2)))
struct MessageTokenReplayTests {
    private static let hello = #"{"type":"hello","session":"live-session-9002"}"#

    /// A login at `/0`, a WebSocket that expects the token of the login and the session of its own
    /// first message, and the order that its second message hands out.
    private func target(_ greeting: [String]) throws -> WebSocketTarget {
        let unused = Mutex<Set<String>>(["live-token-9001", "live-session-9002", "live-order-9003"])
        return try WebSocketTarget(.greets) { text in
            if text.isEmpty { return .say(greeting) }
            let isAllowed = unused.withLock { unused in
                ["live-token-9001", "live-session-9002"].allSatisfy {
                    text.contains("\"\($0)\"") && unused.remove($0) != nil
                }
            }
            return isAllowed
                ? .say([#"{"type":"ok","order":"live-order-9003"}"#]) : .close(4003)
        } page: { path in
            if path == "/0" { return #"{"token":"live-token-9001"}"# }
            let isOrder = path == "/orders/live-order-9003"
            return isOrder && unused.withLock { $0.remove("live-order-9003") != nil } ? "{}" : nil
        }
    }

    private var recording: [Exchange] {
        var login = recorded(0)
        login.response = Response(status: 200)
        login.response?.fields.append(name: "Content-Type", value: "application/json")
        login.response?.body = Body(Array(#"{"token":"old-token-4711"}"#.utf8))
        let socket = recordedWebSocket(
            [
                #"down text {"type":"hello","session":"old-session-0815"} @ 1"#,
                #"up text {"type":"auth","token":"old-token-4711","session":"old-session-0815"} @ 3"#,
                #"down text {"type":"ok","order":"old-order-5533"} @ 5"#,
                "up close 1000 @ 20",
            ],
            number: 10
        )
        var order = recorded(100)
        order.request.target = "/orders/old-order-5533"
        order.response = Response(status: 200)
        return [login, socket, order]
    }

    private func patient(_ url: String) -> ClientReplaySettings {
        var settings = settings(url)
        settings.messageTimeout = Microseconds(150_000)
        return settings
    }

    @Test("those of responses and of messages are sent back in messages and requests")
    func succeeds() async throws {
        // Messages that were not recorded come between.
        let target = try target([#"{"type":"time","session":"x"}"#, Self.hello])
        let replayed = try await send(recording, patient(target.url))
        #expect(
            target.lines == [
                #"text {"type":"auth","token":"live-token-9001","session":"live-session-9002"}"#,
                "close 1000 bye",
            ]
        )
        let figures = replayed.figures
        #expect(figures.statuses == [200: 2, 101: 1] && figures.changedStatuses == 0)
        #expect(figures.webSockets.bound == 1 && figures.webSockets.missing == 0)
        #expect(figures.tokens.bound == 1 && figures.tokens.missing == 0)
        #expect(
            figures.tokens.bindings.map(\.text) == [
                "token: response json $.token of GET api.test/{id} -> "
                    + "message json $.token of GET api.test/{id}",
                "session: message json $.session of GET api.test/{id} -> "
                    + "message json $.session of GET api.test/{id}",
                "order: message json $.order of GET api.test/{id} -> "
                    + "request path 2 of GET api.test/orders/{id}",
            ]
        )
        let tags = Dictionary(
            uniqueKeysWithValues: replayed.exchanges.map {
                ($0.request.target.description, $0.tags["bound"])
            }
        )
        let expected: [String: String?] = [
            "/0": nil, "/10": "token,session", "/orders/live-order-9003": "order",
        ]
        #expect(tags == expected)
    }

    @Test("without the map, the server refuses recorded ones")
    func withoutMap() async throws {
        let target = try target([Self.hello])
        var settings = patient(target.url)
        settings.sessions.findsTokens = false
        let replayed = try await send(recording, settings)
        #expect(target.messages.first?.text.contains("old-token-4711") == true)
        #expect(replayed.figures.statuses == [200: 1, 101: 1, 404: 1])
    }

    @Test("a message that does not come is waited for only for a time; then it is counted")
    func missing() async throws {
        let target = try target([])
        let replayed = try await send(recording, patient(target.url))
        #expect(
            target.messages.first?.text
                == #"{"type":"auth","token":"live-token-9001","session":"old-session-0815"}"#
        )
        let figures = replayed.figures
        #expect(figures.webSockets.bound == 1 && figures.webSockets.missing == 1)
        // The request waits no longer than the WebSocket is open.
        #expect(figures.tokens.missing == 1 && figures.statuses == [200: 1, 101: 1, 404: 1])
    }

    @Test("a map file names texts that are not JSON")
    func texts() async throws {
        let target = try WebSocketTarget(.greets) { text in
            text.isEmpty ? .say(["sid-live-9001"]) : .none
        }
        var diagnostics = Diagnostics()
        var settings = patient(target.url)
        settings.sessions.bindings = TokenMapFile.parse(
            ConfigSource(
                name: "tokens.yaml",
                text: "[{ bind: sid, from: message text of GET /1, to: message text of GET /1 }]"
            ),
            into: &diagnostics
        )
        #expect(diagnostics.isEmpty, "\(diagnostics.summary)")
        let lines = ["down text sid-old-4711 @ 1", "up text JOIN;sid-old-4711 @ 2"]
        let replayed = try await send([recordedWebSocket(lines)], settings)
        #expect(target.lines == ["text JOIN;sid-live-9001", "close 1000 "])
        #expect(replayed.figures.webSockets.bound == 1)
    }
}
