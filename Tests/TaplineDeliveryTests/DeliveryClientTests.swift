// SPDX-License-Identifier: MIT

import Dispatch
import TaplineConnections
import TaplineModel
import TaplineSystem
import TaplineTLS
import TestSupport
import Testing

@testable import TaplineDelivery

@Suite("A client for sinks", .timeLimit(.minutes(1)))
struct DeliveryClientTests {
    private static func request(_ url: String, body: String = "x") throws -> DeliveryRequest {
        let endpoint = try #require(DeliveryEndpoint(url: url))
        return DeliveryRequest(to: endpoint, fields: ["X-Own": "1"], body: Array(body.utf8))
    }

    /// Sends requests one after the other on a thread that may block.
    private static func send(
        _ requests: [DeliveryRequest],
        _ settings: DeliverySettings = DeliverySettings()
    ) async throws -> [Result<DeliveryResponse, DeliveryError>] {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        let client = try DeliveryClient(settings)
                        defer { client.close() }
                        return requests.map { request in
                            do throws(DeliveryError) {
                                return .success(try client.send(request))
                            } catch {
                                return .failure(error)
                            }
                        }
                    }
                )
            }
        }
    }

    private static func settings(timeout: Int64) -> DeliverySettings {
        var settings = DeliverySettings()
        settings.timeout = Microseconds(timeout)
        return settings
    }

    @Test("sends over one connection, and returns status, fields and body")
    func keepsAlive() async throws {
        let server = try ReceivingServer(
            #"[{"status": 503, "body": "no"}, {"fields": {"X-A": "b"}}]"#
        )
        let url = "\(server.url)/in?a=b"
        let responses = try await Self.send([Self.request(url), Self.request(url, body: "")])
        let first = try responses[0].get()
        #expect(first.status == 503 && first.body == Array("no".utf8) && first.isComplete)
        #expect(try responses[1].get().fields.first("X-A") == "b")
        let received = try server.received
        #expect(received.map(\.line) == Array(repeating: "POST /in?a=b HTTP/1.1", count: 2))
        #expect(received.map(\.connection) == [1, 1] && received.map(\.body) == ["x", ""])
        #expect(received[0].fields["host"] == "127.0.0.1:\(server.port)")
        #expect(received[0].fields["x-own"] == "1")
    }

    @Test("sends again over a new connection if the server closes a kept one")
    func keptConnectionCloses() async throws {
        let server = try ReceivingServer(#"[{}, {"drop": true}, {"status": 201}]"#)
        let request = try Self.request(server.url)
        let responses = try await Self.send([request, request])
        #expect(try responses.map { try $0.get().status } == [200, 201])
        #expect(try server.received.map(\.connection) == [1, 1, 2])
    }

    @Test("reports a server that is slow, closes or does not listen, without parts of the request")
    func failures() async throws {
        let server = try ReceivingServer(
            #"[{"wait": 5}, {"drop": true}, {"raw": "nonsense\r\n\r\n"}]"#
        )
        let request = try Self.request("\(server.url)/secret")
        let responses = try await Self.send(
            [request, request, request, Self.request("http://127.0.0.1:9/secret")],
            Self.settings(timeout: 100_000)
        )
        let texts = responses.map { response in
            if case .failure(let error) = response { "\(error)" } else { "a response" }
        }
        #expect(texts[0].contains("within 'timeout'"))
        #expect(texts[1].contains("closed"))
        #expect(texts.allSatisfy { $0 != "a response" && !$0.contains("secret") }, "\(texts)")
    }

    @Test("gets an answer that comes before the server has read the body")
    func early() async throws {
        let server = try ReceivingServer(#"[{"status": 413, "early": true}, {}]"#)
        let body = String(repeating: "x", count: 8 << 20)
        let large = try Self.request(server.url, body: body)
        let responses = try await Self.send([large, Self.request(server.url)])
        #expect(try responses.map { try $0.get().status } == [413, 200])
    }

    @Test("bounds heads, interim responses and bodies of a hostile server")
    func hostile() async throws {
        let fields = String(repeating: #"X-Long: yyyyyyyyyyyyyyyyyyyy\r\n"#, count: 4000)
        let interim = String(repeating: #"HTTP/1.1 103 Early\r\n\r\n"#, count: 40)
        let endless = #"HTTP/1.1 202 Ok\r\n\r\n"#
        let stuck = #"HTTP/1.1 204 Ok\r\nContent-Length: 5\r\n\r\nab"#
        let half = #"HTTP/1.1 200 Ok\r\nContent-Length: 5\r\n\r\nab"#
        let server = try ReceivingServer(
            """
            [{"raw": "HTTP/1.1 200 Ok\\r\\n\(fields)\\r\\n"}, {"raw": "\(interim)"},
             {"raw": "\(endless)", "then": "endless"}, {"raw": "\(half)", "then": "close"},
             {"raw": "\(endless)body", "then": "close"}, {"raw": "\(stuck)"},
             {"raw": "HTTP/1.1 101 Switching\\r\\nUpgrade: x\\r\\nConnection: upgrade\\r\\n\\r\\n"}]
            """
        )
        let request = try Self.request(server.url)
        let responses = try await Self.send(Array(repeating: request, count: 7))
        for response in responses[..<2] {
            #expect(throws: DeliveryError.self) { try response.get() }
        }
        let long = try responses[2].get()
        #expect(long.status == 202 && !long.isComplete && long.body.count <= 64 * 1024)
        // The status was received, so the request is not sent again.
        let cut = try responses[3].get()
        #expect(cut.status == 200 && !cut.isComplete)
        let untilClose = try responses[4].get()
        #expect(untilClose.isComplete && untilClose.body == Array("body".utf8))
        #expect(try responses[5].get().status == 204)
        if case .success(let response) = responses[6] { #expect(response.status == 101) }
    }

    @Test("in TLS accepts a server whose authority is trusted, and no other")
    func secure() async throws {
        let folder = try TemporaryFolder()
        let certificate = try LoopbackCertificate(in: folder)
        let server = try ReceivingServer(certificate: (certificate.file, certificate.key))
        let request = try Self.request(server.url)
        let refused = try await Self.send([request])
        #expect(throws: DeliveryError.self) { try refused[0].get() }
        var settings = DeliverySettings()
        settings.tls.authorityFiles = [certificate.file]
        let responses = try await Self.send([request, request], settings)
        #expect(try responses.map { try $0.get().status } == [200, 200])
        #expect(try server.received.count == 2)
    }

    @Test("reaches a server through another proxy, in absolute-form")
    func parent() async throws {
        let proxy = try ReceivingServer()
        var settings = DeliverySettings()
        var parent = ParentProxy(try #require(Origin(url: proxy.url)))
        parent.authorization = "Basic abc"
        settings.parent = parent
        _ = try await Self.send([Self.request("http://logs.test:81/in")], settings)
        let received = try #require(try proxy.received.first)
        #expect(received.line == "POST http://logs.test:81/in HTTP/1.1")
        #expect(received.fields["proxy-authorization"] == "Basic abc")
    }

    @Test("that is closed ends a request under way, and sends no other")
    func closed() async throws {
        let server = try ReceivingServer(#"[{"wait": 30}]"#)
        let request = try Self.request(server.url)
        let client = try DeliveryClient(DeliverySettings())
        let ended = OneShotEvent()
        DispatchQueue.global().async {
            #expect(throws: DeliveryError.self) { try client.send(request) }
            ended.signal()
        }
        try await wait(for: "the request") { try server.received.count == 1 }
        client.close()
        await ended.wait()
        #expect(throws: DeliveryError.self) { try client.send(request) }
    }
}
