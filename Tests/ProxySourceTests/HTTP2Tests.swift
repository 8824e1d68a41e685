// SPDX-License-Identifier: MIT

import Glibc
import TaplineConnections
import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

@Suite("HTTP/2 without TLS")
struct HTTP2Tests {
    @Test("is read and sent by prior knowledge, and recorded with both streams")
    func streams() async throws {
        let origin = try HTTP2Origin()
        let proxy = await ProxyHarness.start(origin.settings())
        let output = try await proxy.http2("shop.test", "get", "/a")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "200 /a 1 1 0 {} [] None")
        let exchange = try #require(exchanges.first)
        #expect(exchange.state == .completed)
        #expect(exchange.request.version == "HTTP/2")
        #expect(exchange.response?.version == "HTTP/2")
        #expect(exchange.request.url == ByteString("http://\(origin.authority)/a"))
        let leg = try #require(exchange.extra?.stream?.client)
        #expect(leg.id == 1 && leg.version == "HTTP/2")
        let fields = try #require(leg.fields)
        #expect(fields.up == ":methodGET:schemehttp:authorityshop.test:path/a".utf8.count)
        #expect(fields.down > exchange.bytes?.down.headers ?? .max)
        #expect(exchange.extra?.stream?.server == StreamLegs.Leg(id: 1, version: "HTTP/2"))
        #expect(exchange.bytes?.up.line == 0)
        #expect(15..<60 ~= exchange.bytes?.up.headers ?? 0)
        // A frame has a head of nine bytes; the end may come in a frame of its own.
        let body = exchange.bytes?.down.body ?? 0
        #expect(body == 9 + "/a 1 1 0".utf8.count || body == 18 + "/a 1 1 0".utf8.count)
        #expect(exchange.response?.body.bytes == Array("/a 1 1 0".utf8))
    }

    @Test("carries many exchanges on one connection on each side")
    func many() async throws {
        let origin = try HTTP2Origin()
        let proxy = await ProxyHarness.start(origin.settings())
        let output = try await proxy.http2("shop.test", "streams", "90")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "['200'] 90\n1")
        #expect(exchanges.count == 90)
        #expect(exchanges.allSatisfy { $0.state == .completed })
        #expect(Set(exchanges.compactMap { $0.extra?.stream?.client?.id }).count == 90)
        #expect(Set(exchanges.map(\.connection.client)).count == 1)
        #expect(exchanges.filter { $0.connection.isReused == false }.count == 1)
    }

    @Test("is translated for a server of HTTP/1.1")
    func toHTTP1() async throws {
        let server = try ScriptedServer { request, _ in
            let isRight =
                request.hasPrefix("POST /upload HTTP/1.1\r\nHost: 127.0.0.1")
                && request.contains("Transfer-Encoding: chunked\r\n")
            return .send(
                "HTTP/1.1 \(isRight ? 200 : 500) OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n"
            )
        }
        var settings = ProxySettings.usingHTTP2
        settings.upstream = Origin(url: "http://\(server.address)")
        let proxy = await ProxyHarness.start(settings)
        let output = try await proxy.http2("shop.test", "post", "5")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "200 ok")
        #expect(exchanges.first?.request.version == "HTTP/2")
        #expect(exchanges.first?.response?.version == "HTTP/1.1")
        #expect(exchanges.first?.response?.trailers.first("X-Sum") == "1")
        #expect(exchanges.first?.extra?.stream?.server == StreamLegs.Leg(version: "HTTP/1.1"))
        #expect(exchanges.first?.request.body.size == 5)
    }

    @Test("is translated for a client of HTTP/1.1, with all its requests on one connection")
    func fromHTTP1() async throws {
        let origin = try HTTP2Origin()
        let proxy = await ProxyHarness.start(origin.settings())
        let url = "http://\(proxy.address)"
        let output = try await command(
            "curl",
            [
                "-sS", "-m", "20", "-d", "hello", "\(url)/a", "--next", "-sS", "-i",
                "\(url)/trailers",
            ]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("/a 1 1 5HTTP/1.1 200"))
        #expect(output.contains("\r\nTransfer-Encoding: chunked\r\n"))
        #expect(output.contains("\r\n\r\nbody"))
        #expect(exchanges.map(\.request.version) == ["HTTP/1.1", "HTTP/1.1"])
        #expect(exchanges.map(\.extra?.stream?.server?.id) == [1, 3])
        #expect(exchanges.last?.response?.trailers.first("grpc-status") == "5")
    }

    @Test("passes interim responses, trailers, and responses without content")
    func parts() async throws {
        let origin = try HTTP2Origin()
        let proxy = await ProxyHarness.start(origin.settings())
        let interim = try await proxy.http2("shop.test", "get", "/interim")
        let trailers = try await proxy.http2("shop.test", "get", "/trailers")
        let only = try await proxy.http2("shop.test", "get", "/only")
        let empty = try await proxy.http2("shop.test", "get", "/empty")
        let (_, exchanges) = await proxy.stop()
        #expect(interim == "200 /interim 1 1 0 {} ['103'] None")
        #expect(trailers == "200 body {'grpc-status': '5'} [] None")
        #expect(only == "200  {} [] None")
        #expect(empty == "204  {} [] None")
        #expect(exchanges.map(\.state) == [.completed, .completed, .completed, .completed])
        #expect(exchanges.first?.response?.interim.map(\.status) == [103])
    }

    @Test("lets both sides talk at the same time")
    func talk() async throws {
        let origin = try HTTP2Origin()
        let proxy = await ProxyHarness.start(origin.settings())
        let output = try await proxy.http2("shop.test", "talk")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "200 onetwo {'x-sum': '6'}")
        #expect(exchanges.first?.state == .completed)
        #expect(exchanges.first?.request.trailers.first("x-end") == "yes")
        #expect(exchanges.first?.request.body.bytes == Array("onetwo".utf8))
    }

    @Test("does not let a slow stream hold up the others, and passes large bodies")
    func flowControl() async throws {
        let origin = try HTTP2Origin()
        let proxy = await ProxyHarness.start(origin.settings())
        let stalled = try await proxy.http2("shop.test", "stall", "/size/3000000")
        let upload = try await proxy.http2("shop.test", "post", "3000000")
        let (_, exchanges) = await proxy.stop()
        #expect(stalled == "200 65535\n200 3000000")
        #expect(upload == "200 /upload 1 5 3000000")
        #expect(exchanges.allSatisfy { $0.state == .completed })
        #expect(exchanges.last?.request.body.size == 3_000_000)
    }

    @Test("ends an exchange whose client resets its stream, and only that one")
    func cancelled() async throws {
        let origin = try HTTP2Origin()
        let proxy = await ProxyHarness.start(origin.settings())
        let output = try await proxy.http2("shop.test", "cancel")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "200 200")
        let silent = exchanges.first { $0.request.target == "/silent" }
        #expect(silent?.state == .cancelled)
        #expect(silent?.error?.code == "client_closed")
        #expect(exchanges.filter { $0.state == .completed }.count == 2)
    }

    @Test("fails if the server resets a stream, before and within the response")
    func reset() async throws {
        let origin = try HTTP2Origin()
        let proxy = await ProxyHarness.start(origin.settings())
        let before = try await proxy.http2("shop.test", "get", "/reset")
        let within = try await proxy.http2("shop.test", "get", "/broken")
        let (_, exchanges) = await proxy.stop()
        #expect(before.hasPrefix("502 the server has reset the stream with INTERNAL_ERROR"))
        #expect(within == "200 part {} [] 2")
        #expect(exchanges.map(\.state) == [.failed, .failed])
        #expect(exchanges.map(\.error?.code) == ["stream_reset", "stream_reset"])
        #expect((exchanges.first?.bytes?.down.headers ?? 0) > 0)
    }

    @Test("repeats a request that the server has not processed")
    func refused() async throws {
        let origin = try HTTP2Origin()
        let proxy = await ProxyHarness.start(origin.settings())
        let output = try await proxy.http2("shop.test", "get", "/refuse/1")
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("200 /refuse/1 "))
        #expect(exchanges.map(\.state) == [.completed])
    }

    @Test("uses another connection after GOAWAY")
    func leaving() async throws {
        let origin = try HTTP2Origin()
        let proxy = await ProxyHarness.start(origin.settings())
        let first = try await proxy.http2("shop.test", "get", "/leave")
        let second = try await proxy.http2("shop.test", "get", "/a")
        let (_, exchanges) = await proxy.stop()
        #expect(first.hasPrefix("200 /leave 1 1 0"))
        #expect(second.hasPrefix("200 /a 2 1 0"))
        #expect(exchanges.map(\.state) == [.completed, .completed])
    }

    @Test("lets a client end an upload whose response is complete")
    func early() async throws {
        let origin = try HTTP2Origin()
        let proxy = await ProxyHarness.start(origin.settings())
        let output = try await proxy.http2("shop.test", "early")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "403 200 {}")
        #expect(exchanges.map(\.state) == [.completed, .completed])
    }

    @Test("lets streams finish when the proxy stops")
    func drain() async throws {
        let origin = try HTTP2Origin()
        let proxy = await ProxyHarness.start(origin.settings())
        let url = "http://\(proxy.address)/wait"
        async let output = command("curl", ["-sS", "-m", "20", "--http2-prior-knowledge", url])
        await wait(for: "the request") { !proxy.opened.isEmpty }
        let (_, exchanges) = await proxy.stop()
        #expect(try await output == "/wait 1 1 0")
        #expect(exchanges.map(\.state) == [.completed])
    }

    @Test("ends a stream whose server is silent for too long")
    func idle() async throws {
        let origin = try HTTP2Origin()
        var settings = origin.settings()
        settings.timeouts.idle = Microseconds(100_000)
        let proxy = await ProxyHarness.start(settings)
        let output = try await proxy.http2("shop.test", "get", "/silent")
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("504 the server sent nothing for too long"))
        #expect(exchanges.map(\.error?.code) == ["timeout"])
    }

    @Test("records a malformed request, and goes on with the others")
    func malformed() async throws {
        let origin = try HTTP2Origin()
        let proxy = await ProxyHarness.start(origin.settings())
        let output = try await proxy.http2("shop.test", "bad")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "None True 200")
        #expect(exchanges.map(\.state) == [.failed, .completed])
        #expect(exchanges.first?.error?.code == "malformed_request")
        let message = "request: the field 'transfer-encoding' belongs to connections of HTTP/1"
        #expect(exchanges.first?.error?.message == message)
        #expect(exchanges.first?.extra?.stream?.client?.id == 1)
        #expect(exchanges.first?.bytes?.up.headers ?? 0 > 20)
    }

    @Test("limits trailers of clients and servers, which fail their exchanges")
    func trailers() async throws {
        let origin = try HTTP2Origin()
        // `x-end: yes` and `grpc-status: 5` have 40 and 44 bytes with 32 for each field.
        for (client, server, isRefused) in [(40, 44, false), (39, 44, true), (40, 43, true)] {
            var settings = origin.settings()
            settings.http2.clients.messages.trailers = client
            settings.http2.servers.messages.trailers = server
            let proxy = await ProxyHarness.start(settings)
            let talk = try await proxy.http2("shop.test", "talk")
            let get = try await proxy.http2("shop.test", "get", "/trailers")
            let (_, exchanges) = await proxy.stop()
            let failed = isRefused ? exchanges.first { $0.state == .failed } : nil
            #expect(exchanges.filter { $0.state == .completed }.count == (isRefused ? 1 : 2))
            // PROTOCOL_ERROR to the client, whose trailers are wrong, or INTERNAL_ERROR.
            let isClient = client < 40
            #expect(talk == (isClient ? "200 onetwo None" : "200 onetwo {'x-sum': '6'}"))
            let got = server < 44 ? "200 body {} [] 2" : "200 body {'grpc-status': '5'} [] None"
            #expect(get == got)
            let side = isClient ? "request" : "response"
            #expect(failed?.error?.code == (isRefused ? "malformed_\(side)" : nil))
            let limit = "'max_trailers: \(isClient ? client : server)B'"
            let message = "\(side): the trailers are larger than \(limit) allows"
            #expect(failed?.error?.message == (isRefused ? message : nil))
        }
    }

    @Test("records a malformed request that has waited, with its head")
    func malformedWhileHeld() async throws {
        var settings = ProxySettings.usingHTTP2
        settings.maxCapturedPerClient = 4000
        // Each record takes longer than one turn of the loop may, so that new requests wait.
        let stage = ScriptedStage(
            request: { _, _ in .respond(Response()) },
            record: { _, _ in
                usleep(10_000)
                return .keep
            }
        )
        // One that need not wait is not answered before its end either.
        let buffer = BodyBuffer(.wire, maxBytes: 1 << 20)
        let proxy = await ProxyHarness.start(
            settings,
            stages: [Topology.Stage(id: "s", stage, buffer: buffer)]
        )
        let output = try await proxy.http2("shop.test", "late-bad")
        let (_, exchanges) = await proxy.stop()
        // PROTOCOL_ERROR.
        #expect(output == "None 1")
        let bad = exchanges.filter { $0.state == .failed }
        #expect(bad.map(\.error?.code) == ["malformed_request"])
        #expect(bad.first?.request.method == "POST")
        #expect(bad.first?.request.url == "http://shop.test/bad")
        #expect(exchanges.count == 11)
    }

    @Test("is sent to the server that the request names, if there is no upstream")
    func forward() async throws {
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let proxy = await ProxyHarness.start(ProxySettings.usingHTTP2)
        let output = try await proxy.http2("\(server.address)", "get", "/a")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "200 ok {} [] None")
        #expect(exchanges.first?.request.url == ByteString("http://\(server.address)/a"))
    }

    @Test("has streams that hooks slow down")
    func throttled() async throws {
        let origin = try HTTP2Origin()
        let stage = ScriptedStage(request: { exchange, context in
            if exchange.request.target == "/size/20000" {
                context.throttle.apply(Throttle(down: 40_000))
            }
            return .proceed
        })
        let proxy = await ProxyHarness.start(
            origin.settings(),
            stages: [Topology.Stage(id: "s", stage)]
        )
        let base = "http://\(proxy.address)"
        let output = try await command(
            "curl",
            ["-sS", "-m", "20", "--http2-prior-knowledge", "-o", "/dev/null"]
                + ["-w", "%{time_total} %{size_download}", "\(base)/size/20000"]
        )
        let (_, exchanges) = await proxy.stop()
        let words = output.split(separator: " ")
        try #require(words.count == 2)
        // The bucket begins with a tenth of a second.
        #expect(Double(words[0]) ?? 0 > 0.3)
        #expect(words[1] == "20000")
        #expect(exchanges.map(\.state) == [.completed])
    }

    @Test("opens no tunnel on a stream")
    func tunnel() async throws {
        let proxy = await ProxyHarness.start(ProxySettings.usingHTTP2)
        let output = try await proxy.http2("shop.test:443", "connect")
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("501 no tunnel is opened on a stream of HTTP/2"))
        #expect(exchanges.map(\.error?.code) == ["stream_tunnel"])
    }
}
