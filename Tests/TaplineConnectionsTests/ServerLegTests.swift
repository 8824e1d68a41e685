// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import TaplineNet
import TaplineTLS
import Testing

@testable import TaplineConnections

/// Connections to a server on a loop, for the duration of one test.
struct Servers {
    let loop: EventLoop
    let server: SteppedServer
    let pool: ServerPool
    let origin: Origin

    init(
        on loop: EventLoop,
        _ settings: ServerSettings = ServerSettings(),
        limit: Int = 8,
        maxAge: Microseconds = Microseconds(60_000_000),
        _ answer: @escaping (Int, String) -> [SteppedServer.Step]
    ) throws {
        self.loop = loop
        server = try SteppedServer(on: loop, answer)
        let context = try TLSContext(client: TLSClientOptions())
        let connector = ServerConnector(Connector(on: loop), context, settings)
        pool = ServerPool(connector, limit: limit, maxAge: maxAge, on: loop)
        origin = Origin(
            isSecure: false,
            host: ByteString("\(server.address.ip)"),
            port: server.address.port
        )
        loop.atEnd { [pool] in pool.end() }
    }

    /// Sends a request on an idle or new connection.
    ///
    /// Calls back at the end of the response.
    func exchange(
        _ request: String = "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        kind: RequestKind = RequestKind(),
        _ ended: @escaping (ServerLeg, ServerLog) -> Void
    ) {
        if let leg = pool.take(origin) { return send(request, kind, on: leg, ended) }
        pool.connect(to: origin, isTunnel: false) { [self] outcome in
            guard case .success(let leg) = outcome.result else { return }
            send(request, kind, on: leg, ended)
        }
    }

    private func send(
        _ request: String,
        _ kind: RequestKind,
        on leg: ServerLeg,
        _ ended: @escaping (ServerLeg, ServerLog) -> Void
    ) {
        leg.begin(ServerLog { ended(leg, $0) }, kind)
        leg.socket.write(request.utf8.span)
    }
}

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite("The leg to a server")
struct ServerLegTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [SteppedServer.Step]
        let events: [String]
        var keeps = true
        var kind = RequestKind()

        var testDescription: String { name }
    }

    private static let rows = [
        Row(
            name: "a response in one piece",
            steps: [.send(hello)],
            events: ["head 200", "content hello", "ended"]
        ),
        Row(
            name: "a response in pieces",
            steps: [
                .send("HTTP/1.1 200 OK\r\nContent-"), .later("Length: 5\r\n\r\nhe"), .later("llo"),
            ],
            events: ["began", "head 200", "content hello", "ended"]
        ),
        Row(
            name: "chunks with trailers",
            steps: [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"),
                .later("lo\r\n0\r\nA: b\r\n\r\n"),
            ],
            events: ["head 200", "content hello", "ended, 1 trailers"]
        ),
        Row(
            name: "an interim response before the final one",
            steps: [.send("HTTP/1.1 103 Early Hints\r\n\r\n" + hello)],
            events: ["interim 103", "head 200", "content hello", "ended"]
        ),
        Row(
            name: "a response without a body",
            steps: [.send("HTTP/1.1 204 No Content\r\n\r\n")],
            events: ["head 204"]
        ),
        Row(
            name: "the response to HEAD",
            steps: [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")],
            events: ["head 200"],
            kind: RequestKind(isHead: true)
        ),
        Row(
            name: "a body that ends with the connection",
            steps: [.send("HTTP/1.1 200 OK\r\n\r\nhello"), .end],
            events: ["head 200", "content hello", "ended"],
            keeps: false
        ),
        Row(
            name: "a truncated body",
            steps: [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"), .later(""), .end],
            events: ["head 200", "content hello", "broken closed_early"],
            keeps: false
        ),
        Row(
            name: "a truncated head",
            steps: [.send("HTTP/1.1 200 OK\r\nContent-"), .later(""), .end],
            events: ["began", "broken closed_early"],
            keeps: false
        ),
        Row(name: "no response", steps: [.end], events: ["broken closed_early"], keeps: false),
        Row(name: "a reset", steps: [.reset], events: ["broken reset"], keeps: false),
        Row(
            name: "not a response",
            steps: [.send("SSH-2.0-OpenSSH_9.2\r\n")],
            events: ["unreadable malformed_version"],
            keeps: false
        ),
        Row(
            name: "bytes after the response",
            steps: [.send(hello + "HTTP/1.1 200 OK\r\n")],
            events: ["head 200", "content hello", "ended"],
            keeps: false
        ),
        Row(
            name: "a response that closes the connection",
            steps: [
                .send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello")
            ],
            events: ["head 200", "content hello", "ended"],
            keeps: false
        ),
    ]

    @Test(
        "reports the server's input, and is kept if it can carry another exchange",
        arguments: rows
    )
    func responses(row: Row) async throws {
        let (events, isKept) = try await Scenario<([String], Bool)>.run { scenario, loop in
            let servers = try Servers(on: loop) { _, _ in row.steps }
            servers.exchange(kind: row.kind) { leg, log in
                guard leg.keepsAlive else {
                    leg.abandon()
                    return scenario.finish((log.events, false))
                }
                servers.pool.give(leg)
                scenario.finish((log.events, servers.pool.idleCount == 1))
            }
        }
        #expect(events == row.events)
        #expect(isKept == row.keeps)
    }

    @Test("carries one exchange after the other on one connection")
    func reuse() async throws {
        let received = try await Scenario<[String]>.run { scenario, loop in
            let servers = try Servers(on: loop) { _, _ in [.send(hello)] }
            func next(_ number: Int) {
                guard number < 3 else { return scenario.finish(servers.server.received) }
                servers.exchange("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n") { leg, log in
                    servers.pool.give(leg)
                    next(number + 1)
                }
            }
            next(0)
        }
        #expect(received.count == 1)
        let paths = received.first?.matches(of: /GET \/(\d)/).map { $0.1 }
        #expect(paths == ["0", "1", "2"])
    }

    @Test("passes bytes after a switch of protocols, in both directions")
    func upgrade() async throws {
        let events = try await Scenario<[String]>.run { scenario, loop in
            let servers = try Servers(on: loop) { _, text in
                text == "ping"
                    ? [.send("pong"), .later(""), .end]
                    : [.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nhi")]
            }
            servers.pool.connect(to: servers.origin, isTunnel: false) { outcome in
                guard case .success(let leg) = outcome.result else { return }
                let log = ServerLog { scenario.finish($0.events) }
                leg.begin(log, RequestKind(asksUpgrade: true))
                leg.socket.write("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\n\r\n".utf8.span)
                loop.after(60) {
                    leg.becomeTunnel()
                    leg.socket.write("ping".utf8.span)
                }
            }
        }
        #expect(events == ["head 101", "tunnel hipong", "tunnel ended"])
    }
}
