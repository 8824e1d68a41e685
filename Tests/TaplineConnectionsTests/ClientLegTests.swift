// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineModel
import TaplineNet
import Testing

@Suite("The leg to a client")
struct ClientLegTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// The bytes that the client sends, in pieces.
        let sent: [String]
        let events: [String]
        var answers = 1
        var endsInput = true
        var settings = ClientSettings()

        var testDescription: String { name }
    }

    private static let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let post = "POST /b HTTP/1.1\r\nHost: a\r\n"

    /// Settings with short time limits for heads and between requests.
    private static var short: ClientSettings {
        var settings = ClientSettings()
        settings.timeouts.head = Microseconds(120_000)
        settings.timeouts.keepAlive = Microseconds(120_000)
        return settings
    }

    private static var takingSocks: ClientSettings {
        var settings = ClientSettings()
        settings.takesSocks = true
        return settings
    }

    private static let rows = [
        Row(name: "a request", sent: [get], events: ["GET /a", "answer", "closed -"]),
        Row(
            name: "a head in pieces",
            sent: ["GE", "T /a HTTP/1.1\r\nHo", "st: a\r\n\r", "\n"],
            events: ["GET /a", "answer", "closed -"]
        ),
        Row(
            name: "pipelined requests",
            sent: [get + post + "Content-Length: 2\r\n\r\nhi" + get],
            events: [
                "GET /a", "answer", "POST /b", "content hi", "ended, 2 bytes", "answer", "GET /a",
                "answer", "closed -",
            ],
            answers: 3
        ),
        Row(
            name: "chunks in pieces",
            sent: [post + "Transfer-Encoding: chunked\r\n\r\n2\r", "\nhi\r\n0", "\r\n\r\n"],
            events: ["POST /b", "content hi", "ended, 12 bytes", "answer", "closed -"]
        ),
        Row(
            name: "an empty line before a request",
            sent: ["\r\n", get],
            events: ["GET /a", "answer", "closed -"]
        ),
        Row(
            name: "garbage before a request",
            sent: ["\u{1}\u{2}\u{3}" + get],
            events: ["malformed invalid_method 31", "closed -"],
            answers: 0
        ),
        Row(
            name: "garbage after a request",
            sent: [get + "}{\r\n\r\n"],
            events: ["GET /a", "answer", "malformed invalid_method 6", "closed -"]
        ),
        Row(
            name: "an end within a body",
            sent: [post + "Content-Length: 9\r\n\r\nhi"],
            events: ["POST /b", "content hi", "failed truncated_body", "closed -"],
            answers: 0
        ),
        Row(
            name: "a malformed chunked body",
            sent: [post + "Transfer-Encoding: chunked\r\n\r\nxx\r\n"],
            events: ["POST /b", "failed malformed_request", "closed -"],
            answers: 0
        ),
        Row(name: "nothing", sent: [], events: ["closed -"], answers: 0),
        Row(
            name: "a head that is not complete in time",
            sent: ["GET /a HT"],
            events: ["late 9", "closed -"],
            answers: 0,
            endsInput: false,
            settings: short
        ),
        Row(
            name: "silence until the keep-alive limit",
            sent: [get],
            events: ["GET /a", "answer", "closed -"],
            endsInput: false,
            settings: short
        ),
        Row(
            name: "a tunnel",
            sent: ["CONNECT b.test:1 HTTP/1.1\r\nHost: b.test:1\r\n\r\n", "hi"],
            events: ["CONNECT b.test:1", "tunnel hi", "tunnel ended", "closed -"],
            answers: 1
        ),
    ]

    private static let ok = "HTTP/1.1 200 OK\r\n"

    /// Returns the owner's events while a client sends pieces, and the number of responses.
    private static func talk(
        _ sent: [String],
        endsInput: Bool = true,
        _ settings: ClientSettings = ClientSettings(),
        _ prepare: @escaping @Sendable (ClientLog) -> Void = { _ in }
    ) async throws -> (events: [String], answers: Int) {
        try await Scenario.run { scenario, loop in
            let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
            let ends = Ends()
            _ = try Listener(bound, on: loop) { socket in
                let log = ClientLog(socket, settings)
                prepare(log)
                log.onClose = { ends.events = $0.events }
            }
            _ = ScriptedClient(on: loop, to: bound.address, sending: sent, endsInput: endsInput) {
                ends.received = $0
            }
            ends.whenBoth = { scenario.finish(($0, $1.ranges(of: ok).count)) }
        }
    }

    @Test("reports the client's input, and answers one request after the other", arguments: rows)
    func requests(row: Row) async throws {
        let (events, answers) = try await Self.talk(
            row.sent,
            endsInput: row.endsInput,
            row.settings
        )
        #expect(events == row.events)
        #expect(answers == row.answers)
    }

    @Test("reads no request before the previous one is answered")
    func order() async throws {
        let (events, answers) = try await Self.talk([Self.get + Self.get, Self.get]) {
            $0.delay = 50
        }
        #expect(events == ["GET /a", "answer", "GET /a", "answer", "GET /a", "answer", "closed -"])
        #expect(answers == 3)
    }

    @Test("makes requests wait while the owner holds back")
    func holdsBack() async throws {
        let (events, answers) = try await Self.talk([Self.get]) { log in
            log.holdsBack = true
            log.onEvent = { event, log in
                guard case .waits = event, let leg = log.leg else { return false }
                leg.socket.loop.after(60) {
                    log.holdsBack = false
                    log.note("resumes")
                    leg.goOn()
                }
                return true
            }
        }
        #expect(events == ["waits", "resumes", "GET /a", "answer", "closed -"])
        #expect(answers == 1)
    }

    @Test("recognises TLS on a plain connection")
    func speaksTLS() async throws {
        let (events, _) = try await Self.talk(["\u{16}\u{3}\u{1}\u{0}\u{5}hello"])
        #expect(events == ["tls", "closed -"])
    }

    @Test("calls the owner after the requested time")
    func time() async throws {
        let (events, _) = try await Self.talk([Self.get], endsInput: false) { log in
            log.answer = ""
            log.onTime = { log in
                log.leg?.close()
                return nil
            }
            log.askedTime = Microseconds(60_000)
        }
        #expect(events == ["GET /a", "time is up", "closed -"])
    }

    @Test("is closed with a reset if the owner aborts it")
    func abort() async throws {
        let received = try await Scenario<String>.run { scenario, loop in
            let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
            _ = try Listener(bound, on: loop) { socket in
                let log = ClientLog(socket)
                log.answer = ""
                loop.after(60) { log.leg?.abort() }
            }
            _ = ScriptedClient(on: loop, to: bound.address, sending: [Self.get]) {
                scenario.finish($0)
            }
        }
        #expect(received == "(reset)")
    }

    // MARK: SOCKS

    @Test(
        "speaks SOCKS with a client that begins with it",
        arguments: [
            (
                ["\u{5}\u{1}\u{0}", "\u{5}\u{1}\u{0}\u{3}\u{6}a.test\u{0}\u{50}"],
                "socks a.test:80 16 2"
            ),
            (
                ["\u{5}\u{1}\u{0}\u{5}\u{1}\u{0}\u{1}\u{7f}\u{0}\u{0}\u{1}\u{1}\u{0}"],
                "socks 127.0.0.1:256 13 2"
            ),
            (["\u{5}\u{1}\u{2}"], "socks refused"), (["\u{5}\u{1}"], "closed -"),
        ]
    )
    func socks(sent: [String], first: String) async throws {
        let (events, _) = try await Self.talk(
            sent,
            endsInput: first == "closed -",
            Self.takingSocks
        ) {
            log in
            log.onEvent = { event, log in
                if case .socks = event { log.leg?.close() }
                return false
            }
        }
        #expect(events.first == first)
        #expect(events.last == "closed -")
    }

    @Test("refuses SOCKS after a request, or if it is not allowed")
    func noSocks() async throws {
        let hello = "\u{5}\u{1}\u{0}\r\n\r\n"
        let (later, _) = try await Self.talk([Self.get + hello], Self.takingSocks)
        let (never, _) = try await Self.talk([hello])
        #expect(later == ["GET /a", "answer", "malformed invalid_method 7", "closed -"])
        #expect(never == ["malformed invalid_method 7", "closed -"])
    }
}

/// Counts the ends of a conversation that have closed.
final class Ends {
    var events: [String]? { didSet { check() } }
    var received: String? { didSet { check() } }
    var whenBoth: ([String], String) -> Void = { _, _ in }

    private func check() {
        if let events, let received { whenBoth(events, received) }
    }
}
