// SPDX-License-Identifier: MIT

import Dispatch
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite("A failing server")
struct ServerFaultTests {
    private var oneThread: ProxySettings {
        var settings = ProxySettings()
        settings.threads = 1
        return settings
    }

    @Test("does not get a request again that may not be repeated, even on a stale connection")
    func notRepeated() async throws {
        let server = try ScriptedServer { _, number in number == 1 ? .reset : .send(hello) }
        let proxy = await ProxyHarness.start(oneThread)
        let url = "http://\(server.address)/"
        let output = try await proxy.curl(url, "-d", "x", url, "-w", "%{http_code} ")
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasSuffix("502 "))
        #expect(exchanges.map(\.state) == [.completed, .failed])
        #expect(exchanges.last?.error?.code == "reset")
        #expect(server.seen.requests.count == 2)
    }

    @Test("is visible to the client if it fails within its response", arguments: ["50", "chunked"])
    func diesWithinBody(framing: String) async throws {
        let head = "HTTP/1.1 200 OK\r\n"
        let cut =
            framing == "50"
            ? "Content-Length: 50\r\n\r\nhello" : "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        let server = try ScriptedServer { _, _ in .sendAndClose(head + cut) }
        let proxy = await ProxyHarness.start()
        let output = try await exchangeBytes(
            with: proxy.address,
            "GET http://\(server.address)/ HTTP/1.1\r\nHost: a\r\n\r\n",
            then: "read"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasSuffix("(reset)"))
        #expect(exchanges.map(\.state) == [.failed])
        #expect(exchanges.first?.error?.code == "closed_early")
        #expect(exchanges.first?.response?.body.bytes == Array("hello".utf8))
        #expect(exchanges.first?.response?.body.isTruncated == true)
    }

    @Test("times out if it does not accept a connection")
    func connectTimeout() async throws {
        var settings = ProxySettings()
        settings.timeouts.connect = Microseconds(300_000)
        let proxy = await ProxyHarness.start(settings)
        let output = try await Python.run("full_backlog", ["http://\(proxy.address)"])
        let (_, exchanges) = await proxy.stop()
        #expect(output == "504")
        #expect(exchanges.first?.error?.code == "connect_timeout")
    }

    @Test(
        "does not delay a stop forever if it is silent, also for tunnels, and is recorded",
        arguments: [0, 1],
        ["--silent", "--proxytunnel"]
    )
    func stopped(streams: Int, way: String) async throws {
        let server = try ScriptedServer { _, _ in
            streams == 0
                ? .silence : .send("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello")
        }
        let proxy = await ProxyHarness.start(drainTimeout: Microseconds(10_000_000))
        async let output = proxy.curl(way, "http://\(server.address)/")
        await wait(for: "the request to reach the server") { !server.seen.requests.isEmpty }
        let (report, exchanges) = await proxy.stop()
        _ = try await output
        #expect(exchanges.map(\.state) == [.cancelled])
        #expect(exchanges.first?.error?.code == "stopped")
        #expect(report.isSuccess)
    }
}

@Suite("Streams and slow clients")
struct SlowClientTests {
    @Test("forward events as they arrive, byte by byte")
    func events() async throws {
        let proxy = await ProxyHarness.start(stages: [liveStage { _ in .proceed }])
        let output = try await Python.run("events_in_step", ["\(proxy.address.port)"])
        let (_, exchanges) = await proxy.stop()
        #expect(output == "19 True\n")
        #expect(exchanges.map(\.state) == [.completed])
    }

    @Test("stop the proxy from reading requests if responses are not read")
    func readsNothing() async throws {
        let requests = 300
        let body = String(repeating: "x", count: 60_000)
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n\(body)")
        }
        let proxy = await ProxyHarness.start()
        let folder = try FileSystem.makeTemporaryFolder(prefix: "late")
        defer { try? FileSystem.removeFolder(folder) }
        let go = "\(folder)/go"
        async let output = Python.run(
            "late_reader",
            ["\(proxy.address.port)", "\(server.address)", go, "\(requests)"]
        )
        // The number of responses once no more are sent.
        var answered = 0
        var since = ContinuousClock.now
        await wait(for: "half a second without a request") {
            let count = server.seen.requests.count
            if count != answered { (answered, since) = (count, .now) }
            return answered > 0 && ContinuousClock.now - since > .milliseconds(500)
        }
        #expect(answered < requests)
        _ = try File(go, for: .create)
        #expect(try await output == "\(requests)\n")
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.count == requests)
        #expect(exchanges.allSatisfy { $0.state == .completed })
    }

    @Test("do not count a client that disconnects before admission as rejected")
    func disconnectedBeforehand() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        // While the hook runs, the only thread accepts no connection.
        let isGone = DispatchSemaphore(value: 0)
        let stage = liveStage { _ in
            _ = isGone.wait(timeout: .now() + 60)
            return .proceed
        }
        var settings = ProxySettings()
        settings.threads = 1
        let proxy = await ProxyHarness.start(settings, stages: [stage])
        async let output = proxy.curl("http://\(server.address)/")
        await wait(for: "the request to reach the server") { !server.seen.requests.isEmpty }
        _ = try await Python.run("resetting_clients", ["\(proxy.address.port)"])
        isGone.signal()
        #expect(try await output == "hello")
        let (report, _) = await proxy.stop()
        #expect(report.sources.first?.counters.rejected == 0)
    }

    @Test("do not treat a client that reads slowly as idle")
    func readsSlowlyOn() async throws {
        let size = 12_000_000
        let body = String(repeating: "x", count: size)
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n\(body)")
        }
        var settings = ProxySettings()
        settings.timeouts.idle = Microseconds(4_000_000)
        let proxy = await ProxyHarness.start(settings)
        let output = try await Python.run(
            "slow_reader",
            ["\(proxy.address.port)", "\(server.address)"]
        )
        let (_, exchanges) = await proxy.stop()
        #expect((Int(output.dropLast()) ?? 0) > size)
        #expect(exchanges.map(\.state) == [.completed])
    }
}
