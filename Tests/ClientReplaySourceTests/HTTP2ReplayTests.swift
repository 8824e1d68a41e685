// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineConnections
import TaplineModel
import TaplineOperations
import TaplineRuntime
import TaplineSystem
import TaplineTLS
import TaplineTesting
import TestSupport
import Testing

@testable import ClientReplaySource

/// A server of HTTP/2, by prior knowledge or in TLS; the program is that of the tests of `proxy`.
private final class HTTP2Target {
    private let server: PythonServer
    private let folder: TemporaryFolder?

    /// Starts a server without TLS.
    ///
    /// - Parameter words: How it behaves; see the program.
    /// - Throws: As `PythonServer`.
    init(_ words: String = "") throws {
        folder = nil
        server = try Self.start("http2_server", ["", "", words], scheme: "h2c")
    }

    /// Starts a server in TLS, which offers HTTP/2, or HTTP/1.1 only.
    init(secure program: String) throws {
        let folder = try TemporaryFolder()
        _ = try command(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2",
                "-keyout", folder("key.pem"), "-out", folder("cert.pem"),
            ]
        )
        let arguments = [folder("cert.pem"), folder("key.pem"), ""]
        server = try Self.start(program, arguments, scheme: "https")
        self.folder = folder
    }

    private static func start(
        _ program: String,
        _ arguments: [String],
        scheme: String
    ) throws -> PythonServer {
        let caller = "\(TestFiles.repository)/Tests/ProxySourceTests/HTTP2Harness.swift"
        return try PythonServer(program, arguments: arguments, scheme: scheme, of: caller)
    }

    /// Settings that send all requests to it.
    var settings: ClientReplaySettings {
        var settings = ClientReplaySettings()
        settings.targets.targets =
            Origin(url: server.url, allowsH2C: true).map {
                [ReplayTargets.Target(hosts: Glob("*"), origin: $0)]
            } ?? []
        settings.schedule = ReplaySchedule(.max)
        if let folder {
            settings.tls.trustsSystem = false
            settings.tls.authorityFiles = [folder("cert.pem")]
        }
        return settings
    }

    var url: String { server.url }
}

/// Recorded requests with these paths.
private func requests(_ paths: [String], _ method: ByteString = "GET") -> [Exchange] {
    paths.enumerated().map { number, path in
        var exchange = recorded(number + 1, method)
        exchange.request.target = ByteString(path)
        return exchange
    }
}

/// A recorded call with two messages.
private func call(_ path: String) -> Exchange {
    var call = recorded(1, "POST")
    call.request.target = ByteString(path)
    call.request.version = "HTTP/2"
    call.request.fields = ["content-type": "application/grpc", "te": "trailers"]
    call.request.body = Body([0, 0, 0, 0, 3] + Array("one".utf8) + [0, 0, 0, 0, 2, 1, 2])
    return call
}

@Suite("Requests that are replayed with HTTP/2", .timeLimit(.minutes(2)))
struct HTTP2ReplayTests {
    @Test("a gRPC call is recorded with its messages, trailers and final status")
    func grpc() async throws {
        let target = try HTTP2Target()
        let replayed = try await send([call("/shop.v1.Orders/Echo")], target.settings)
        let sent = try #require(replayed.exchanges.first)
        #expect(sent.state == .completed && sent.error == nil)
        #expect(sent.request.version == "HTTP/2" && sent.response?.version == "HTTP/2")
        #expect(sent.request.fields.first("TE") == "trailers")
        #expect(!sent.request.fields.contains("Content-Length"))
        #expect(sent.response?.status == 200)
        #expect(
            sent.response?.trailers == ["grpc-status": "5", "grpc-message": "no%20order"]
        )
        #expect(sent.response?.body.bytes == sent.request.body.bytes)
        #expect(sent.tags == ["grpc.status": "NOT_FOUND", "grpc.message": "no order"])
        #expect(sent.extra?.grpc?.method == "Echo")
        #expect(sent.messages.map(\.direction) == [.up, .up, .down, .down])
        #expect(sent.messages.map(\.size) == [3, 2, 3, 2])
        let stream = try #require(sent.extra?.stream)
        #expect(stream.client == nil && stream.server?.version == "HTTP/2")
        #expect(stream.server?.id == 1 && stream.server?.fields?.down ?? 0 > 20)
        let bytes = try #require(sent.bytes)
        // The frames have heads of 9 bytes.
        #expect(bytes.isExact && (15 + 9...15 + 18).contains(bytes.up.body) && bytes.up.headers > 9)
        #expect(bytes.down.body >= 15 + 9 && bytes.down.headers > 9)
        #expect(replayed.figures.targets == [target.url: 1])
    }

    @Test("a gRPC call that is answered with trailers only has their status")
    func trailersOnly() async throws {
        let target = try HTTP2Target()
        let replayed = try await send([call("/only")], target.settings)
        let sent = try #require(replayed.exchanges.first)
        #expect(sent.state == .completed && sent.tags == ["grpc.status": "UNIMPLEMENTED"])
        #expect(sent.messages.map(\.size) == [3, 2])
    }

    @Test("requests share connections, and wait for the streams that a server allows")
    func many() async throws {
        let target = try HTTP2Target("streams=5")
        var settings = target.settings
        settings.concurrency.limit = 20
        let all = requests((0..<150).map { "/\($0)" }) + requests(["/fields"], "POST")
        let replayed = try await send(all, settings)
        #expect(replayed.figures.statuses == [200: 151])
        #expect(replayed.exchanges.filter { $0.connection.isReused == false }.count <= 20)
        let fields = replayed.exchanges.first { $0.request.target == "/fields" }
        let text = String(decoding: fields?.response?.body.bytes ?? [], as: UTF8.self)
        #expect(text.contains("\ncontent-length: 6") && !text.contains("host:"))
        let authority = target.url.dropFirst("h2c://".count)
        #expect(text.contains(":authority: \(authority)\n"))
    }

    @Test(
        "requests that a server has not processed are sent again, whatever their method",
        arguments: [("leave=10", "/a", "POST"), ("", "/refuse", "DELETE")]
            as [(String, String, ByteString)]
    )
    func unprocessed(words: String, path: String, method: ByteString) async throws {
        let target = try HTTP2Target(words)
        let paths = (0..<10).map { "\(path)\($0)" }
        let replayed = try await send(requests(paths, method), target.settings)
        #expect(replayed.figures.statuses == [200: 10])
        // The answers end with the size of the body, which was sent again, too.
        let bodies = replayed.exchanges.compactMap(\.response?.body.bytes)
        #expect(bodies.allSatisfy { ($0.last == UInt8(ascii: "0")) == (method == "DELETE") })
    }

    @Test("streams that the server resets fail, and are sent again as often as 'retries' allows")
    func resets() async throws {
        let target = try HTTP2Target()
        var settings = target.settings
        settings.retries = 1
        settings.concurrency.limit = 1
        let paths = ["/reset", "/broken", "/a"]
        let replayed = try await send(requests(paths), settings)
        #expect(replayed.exchanges.map(\.state) == [.failed, .failed, .completed])
        #expect(replayed.figures.errors == ["stream_reset": 2])
        #expect(replayed.exchanges.map(\.extra?.stream?.server?.id) == [3, 7, 9])
        #expect(replayed.exchanges[1].response?.body.bytes == Array("part".utf8))
    }

    @Test("a request without an answer ends by 'timeout', and its stream is reset")
    func timeout() async throws {
        let target = try HTTP2Target()
        var settings = target.settings
        settings.timeout = Microseconds(200_000)
        settings.concurrency.limit = 1
        let replayed = try await send(requests(["/silent", "/resets"]), settings)
        #expect(replayed.exchanges.map(\.error?.code) == ["timeout", nil])
        #expect(replayed.exchanges.last?.response?.body.bytes == Array("[8]".utf8))
    }

    @Test("an early response ends a request whose body the server does not take")
    func early() async throws {
        let target = try HTTP2Target()
        var upload = requests(["/early"], "POST")
        upload[0].request.body = Body([UInt8](repeating: 0x78, count: 1 << 20))
        let replayed = try await send(upload, target.settings)
        #expect(replayed.figures.statuses == [403: 1])
        #expect(replayed.exchanges.first?.bytes?.up.body ?? 0 < 1 << 20)
    }

    // MARK: TLS

    @Test(
        "is chosen by ALPN for requests that were recorded with it, or by the option",
        arguments: [
            ("HTTP/2", nil, "HTTP/2"), ("HTTP/3", nil, "HTTP/2"), ("HTTP/1.1", true, "HTTP/2"),
            ("HTTP/1.1", nil, nil), ("HTTP/2", false, nil),
        ] as [(ByteString, Bool?, ByteString?)]
    )
    func secure(recordedVersion: ByteString, option: Bool?, version: ByteString?) async throws {
        let target = try HTTP2Target(secure: "http2_server")
        var settings = target.settings
        settings.offersHTTP2 = option
        settings.timeout = Microseconds(5_000_000)
        var all = requests(["/a", "/b"])
        for index in all.indices { all[index].request.version = recordedVersion }
        let replayed = try await send(all, settings)
        // The server leaves connections that did not choose it.
        #expect(replayed.exchanges.allSatisfy { ($0.state == .completed) == (version != nil) })
        for exchange in replayed.exchanges where version != nil {
            #expect(exchange.request.version == version)
            #expect(exchange.connection.serverTLS?.alpn == "h2")
        }
    }

    @Test("a gRPC call is offered as HTTP/2, whatever version was recorded")
    func secureCall() async throws {
        let target = try HTTP2Target(secure: "http2_server")
        var call = call("/shop.v1.Orders/Echo")
        call.request.version = ""
        let replayed = try await send([call], target.settings)
        #expect(replayed.exchanges.first?.tags["grpc.status"] == "NOT_FOUND")
    }

    @Test("falls back to HTTP/1.1 if the server chooses that, whose connections are kept")
    func fallback() async throws {
        let target = try HTTP2Target(secure: "secure_server")
        var settings = target.settings
        settings.offersHTTP2 = true
        settings.concurrency.limit = 1
        let replayed = try await send(requests(["/a", "/b", "/c"]), settings)
        #expect(replayed.figures.statuses == [200: 3])
        #expect(replayed.exchanges.map(\.connection.isReused) == [false, true, true])
        #expect(replayed.exchanges.allSatisfy { $0.request.version == "HTTP/1.1" })
        #expect(replayed.exchanges.allSatisfy { $0.extra?.stream == nil })
    }

    // MARK: WebSockets

    private static let conversation = [
        "up text one @ 0", "down text one @ 1", "up close 1000 @ 2", "down close 1000 @ 3",
    ]

    @Test("a WebSocket is opened on a stream of a server that offers that")
    func webSocket() async throws {
        let target = try HTTP2Target("websocket")
        let replayed = try await send([recordedWebSocket(Self.conversation)], target.settings)
        let sent = try #require(replayed.exchanges.first)
        #expect(sent.state == .completed && sent.response?.status == 101)
        let messages = sent.messages.map { "\($0.direction == .up ? "up" : "down") \($0.type)" }
        #expect(messages == ["up text", "down text", "up close", "down close"])
        #expect(sent.extra?.stream?.server?.id == 1)
        #expect(replayed.figures.webSockets.received == 1)
    }

    @Test("a WebSocket fails if a server of HTTP/2 offers none")
    func noWebSocket() async throws {
        let target = try HTTP2Target()
        let replayed = try await send([recordedWebSocket(Self.conversation)], target.settings)
        #expect(replayed.exchanges.first?.error?.code == "stream_tunnel")
        #expect(replayed.figures.counts.failed == 1)
    }

    // MARK: Options

    /// Decodes options in YAML; problems are those of `to` and `http2`.
    private func decode(_ yaml: String) throws -> (options: Options?, problems: String) {
        let text = "{ path: a.db, \(yaml) }"
        let source = ConfigSource(name: "p.yaml", bytes: Array(text.utf8), folder: "/")
        var diagnostics = Diagnostics()
        let node = ConfigReader().read(source, into: &diagnostics)
        let options = node.flatMap {
            ClientReplayOptions.schema.decode(
                $0,
                owner: "client_replay",
                into: &diagnostics,
                environment: Environment([:])
            )
        }
        return (options, diagnostics.rendered)
    }

    @Test("h2c is a server without TLS that is known to speak HTTP/2, in each place of 'to'")
    func options() throws {
        for to in ["h2c://127.0.0.1:9000", "{ \"*\": \"H2C://127.0.0.1:9000\" }"] {
            let (options, problems) = try decode("to: \(to)")
            let targets = try #require(options, "\(problems)")[ClientReplayOptions.to]
            #expect(targets.first?.origin.hasPriorKnowledge == true)
            #expect(targets.first?.origin.isSecure == false)
        }
        let (options, _) = try decode("to: 'http://127.0.0.1:9000'")
        #expect(options?[ClientReplayOptions.to].first?.origin.hasPriorKnowledge == false)
        #expect(options?[ClientReplayOptions.http2] == .some(nil))
        let (set, _) = try decode("to: 'https://a.test', http2: false")
        #expect(set?[ClientReplayOptions.http2] == false)
        let problems = try decode("to: 'h3://127.0.0.1:9000'").problems
        #expect(problems.contains("found 'h3://127.0.0.1:9000'"))
    }
}
