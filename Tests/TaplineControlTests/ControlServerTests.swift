// SPDX-License-Identifier: MIT

import Glibc
import TaplineModel
import TaplineNet
import TaplineOperations
import TaplineStatistics
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineControl

@Suite("The control listener", .timeLimit(.minutes(1)))
struct ControlServerTests {
    @Test("answers every endpoint that reads", arguments: [false, true])
    func reads(socket: Bool) throws {
        let listener = try Listener(socket: socket)
        let metrics = try listener.call("GET", "/metrics")
        #expect(metrics.status == 200)
        #expect(
            metrics.text.contains(
                "\ntapline_component_received_total{kind=\"source\",id=\"replay\"} 7\n"
            )
        )
        #expect(!metrics.text.contains("# EOF"))
        let open = try listener.call(
            "GET",
            "/metrics",
            accepting: "application/openmetrics-text; version=1.0.0"
        )
        #expect(open.text.hasSuffix("# EOF\n"))
        #expect(try listener.call("GET", "/health/live").text == "{\"live\":true}\n")
        let ready = try listener.call("GET", "/health/ready")
        #expect(ready.text == "{\"ready\":true,\"reasons\":[]}\n")
        let status = try listener.call("GET", "/status")
        #expect(status.status == 200)
        #expect(status.text.contains("\"dropped\":{\"when\":1}"))
        #expect(status.text.contains("\"lag_ms\":1500"))
        #expect(status.text.contains("\"plugin\":\"ndjson\",\"generation\":1,\"state\""))
        let program = "\"program\":{\"name\":\"keep\",\"version\":\"1.0\"}"
        #expect(status.text.contains("\"plugin\":\"redact\",\"generation\":3,\(program),"))
        #expect(try listener.call("GET", "/why-blocked").text == "{\"blocked\":[]}\n")
        let top = try listener.call("GET", "/top")
        let snapshot = try #require(TopSnapshot(Array(top.text.utf8)))
        #expect(snapshot.rows.map(\.id) == ["replay", "redact", "ndjson"])
        #expect(snapshot.rows[0].times?.count == 3)
        listener.server.stop()
    }

    @Test("answers although other clients send nothing or half a head", arguments: [false, true])
    func halfHeads(socket: Bool) throws {
        let listener = try Listener(socket: socket)
        let others = try (0..<300).map { number in
            try HalfRequest(number % 2 == 0 ? "GET /status HT" : "", to: listener)
        }
        let begin = ContinuousClock.now
        #expect(try listener.call("GET", "/status").status == 200)
        #expect(ContinuousClock.now - begin < .seconds(5))
        #expect(others.count == 300)
        listener.server.stop()
    }

    @Test("changes only with the token", arguments: [false, true])
    func token(socket: Bool) throws {
        let listener = try Listener(socket: socket)
        let token = try #require(try listener.token())
        #expect(token.utf8.count == 64)
        for wrong in [nil, "", "x", String(token.dropLast()), token.uppercased() + "A"] {
            for path in ["/reload", "/drain"] {
                let answer = try listener.call("POST", path, token: wrong)
                #expect(answer.status == 401)
                #expect(answer.text.contains("needs the token"))
            }
        }
        #expect(listener.pipeline.drains == 0)
        #expect(listener.pipeline.reloads.generation == 1)
        let reload = try listener.call("POST", "/reload", token: token)
        #expect(reload.status == 200)
        #expect(reload.text == "{\"generation\":2,\"changed\":[\"ndjson\"]}\n")
        #expect(try listener.call("POST", "/drain", token: token).status == 202)
        #expect(listener.pipeline.drains == 1)
        listener.server.stop()
    }

    @Test("keeps a generated token private, and removes it at the end", arguments: [false, true])
    func tokenFile(socket: Bool) throws {
        let listener = try Listener(socket: socket)
        let file = try #require(listener.server.token.file)
        #expect(try FileSystem.status(of: file)?.permissions == 0o600)
        if socket {
            #expect(try FileSystem.status(of: listener.folder("control"))?.permissions == 0o600)
        }
        listener.server.stop()
        #expect(try FileSystem.status(of: file) == nil)
        if !socket { #expect(try FileSystem.names(in: FileSystem.folder(of: file)).isEmpty) }
        if socket { #expect(try FileSystem.status(of: listener.folder("control")) == nil) }
    }

    @Test("finds the token of the packaged service after that of the user's own listener")
    func serviceToken() throws {
        let folder = try TemporaryFolder()
        try FileSystem.makeFolder(folder("service"))
        let listener = try Listener()
        let name = FileSystem.name(of: try #require(listener.server.token.file))
        let address = listener.server.address
        try folder.write("of-the-service\n", to: "service/\(name)")
        _ = unsafe chmod(folder("service/\(name)"), 0o600)
        func found() throws -> String? {
            try ControlToken.find(
                for: address,
                file: nil,
                variable: nil,
                in: listener.ports,
                ofService: folder("service")
            )
        }
        #expect(try found() == listener.token())
        listener.server.stop()
        #expect(try found() == "of-the-service")
        try FileSystem.remove(folder("service/\(name)"))
        #expect(try found() == nil)
    }

    @Test("takes the token of a file that others cannot read")
    func givenToken() throws {
        let folder = try TemporaryFolder()
        try folder.write("0123456789abcdef\n", to: "token")
        _ = unsafe chmod(folder("token"), 0o600)
        let listener = try Listener(token: .file(folder("token")))
        #expect(listener.server.token.file == nil)
        #expect(try listener.call("POST", "/drain", token: "0123456789abcdef").status == 202)
        listener.server.stop()
        _ = unsafe chmod(folder("token"), 0o644)
        #expect(throws: ControlServerError.self) { try Listener(token: .file(folder("token"))) }
        #expect(throws: ControlServerError.self) { try Listener(token: .text("short")) }
    }

    @Test("says why a reload has failed, or is not possible")
    func failedReload() throws {
        let listener = try Listener()
        listener.pipeline.set(.failed("pipeline.yaml:3:1: error: unknown key 'sink'"))
        let failed = try listener.call("POST", "/reload", token: try listener.token())
        #expect(failed.status == 422)
        #expect(failed.text.contains("pipeline.yaml:3:1: error: unknown key 'sink'"))
        listener.server.stop()
        let other = try Listener(reloads: false)
        let answer = try other.call("POST", "/reload", token: try other.token())
        #expect(answer.status == 501)
        #expect(answer.text.contains("this run cannot reload"))
        other.server.stop()
    }

    @Test("names the methods of a path, and the paths")
    func others() throws {
        let listener = try Listener()
        let get = try listener.raw("GET /drain HTTP/1.1\nHost: localhost:\(listener.port)\n")
        #expect(get.hasPrefix("HTTP/1.1 405 "))
        #expect(get.contains("\r\nAllow: POST\r\n"))
        let none = try listener.call("GET", "/metric")
        #expect(none.status == 404)
        #expect(none.text.contains("unknown path; available: GET /metrics, "))
        #expect(listener.pipeline.drains == 0)
        listener.server.stop()
    }

    @Test(
        "refuses what a page or a proxy may have sent",
        arguments: [
            "Host: evil.test\n", "Host: 127.0.0.1:1\n", "Host: OWN\nOrigin: http://evil.test\n",
            "Host: OWN\nOrigin: http://OWN\n", "Host: OWN\nSec-Fetch-Site: cross-site\n",
            "Host: OWN\nVia: 1.1 tapline\n", "Host: OWN\nX-Forwarded-For: 127.0.0.1\n",
        ]
    )
    func foreign(fields: String) throws {
        let listener = try Listener()
        let token = try #require(try listener.token())
        let fields = fields.replacing("OWN", with: "127.0.0.1:\(listener.port)")
        for line in ["GET /metrics", "GET /status", "POST /drain"] {
            let answer = try listener.raw(
                "\(line) HTTP/1.1\n\(fields)Authorization: Bearer \(token)\n"
            )
            #expect(answer.hasPrefix("HTTP/1.1 403 "))
        }
        #expect(listener.pipeline.drains == 0)
        listener.server.stop()
    }

    @Test("is known to proxies, which must not connect their clients to it")
    func protected() throws {
        let listener = try Listener()
        #expect(listener.ports.contains(listener.port))
        #expect(listener.server.warning == nil)
        listener.server.stop()
    }

    @Test("replaces a socket that nobody listens on, and nothing else")
    func leftSocket() throws {
        let folder = try TemporaryFolder()
        let path = folder("control")
        let pipeline = ControlledPipeline.running()
        func start() throws -> ControlServer {
            try ControlServer(
                at: .socket(path: path),
                of: pipeline,
                reloading: nil,
                token: .text("0123456789abcdef"),
                protectedPorts: ProtectedPorts(folder: folder("ports"))
            )
        }
        let first = try start()
        #expect(throws: ControlServerError.self) { try start() }
        #expect(try ControlClient(first.address).call("GET", "/health/live").status == 200)
        first.stop()
        // A bound address that is released leaves its socket.
        do { _ = try BoundAddress(path: path) }
        let second = try start()
        #expect(try ControlClient(second.address).call("GET", "/health/live").status == 200)
        second.stop()
        try folder.write("a file", to: "control")
        #expect(throws: ControlServerError.self) { try start() }
        #expect(try FileSystem.status(of: path)?.size == 6)
    }

    @Test("reports that nobody listens, and rejects an answer that is not HTTP")
    func nobody() throws {
        let folder = try TemporaryFolder()
        let client = ControlClient(.socket(path: folder("none")))
        let error = #expect(throws: ControlClientError.self) {
            _ = try client.call("GET", "/status")
        }
        #expect(error?.description == "nobody listens at 'unix:\(folder("none"))'")
        #expect(error?.help?.contains("runtime: { control:") == true)
        #expect(ControlClient.answer(Array("SSH-2.0-OpenSSH_9.2\r\n\r\n".utf8)) == nil)
    }
}

/// A connection to a listener that has sent a part of a request.
private final class HalfRequest {
    private let connection: File

    init(_ text: String, to listener: Listener) throws {
        switch listener.server.address {
        case .socket(let path): connection = try File(connectingToSocket: path, seconds: 5)
        case .loopback(_, let port):
            connection = try File(connectingTo: port, ofLoopback: "127.0.0.1", seconds: 5)
        }
        // Fails if the listener has closed the connection already.
        try? connection.write(Array(text.utf8).span)
    }
}
