// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

@Suite("Speed limits of hooks") struct ThrottleTests {
    private static let count = 40_000
    private let body = String(repeating: "x", count: Self.count)

    /// A proxy that limits exchanges whose path is `/slow` to 80 kB a second.
    private func proxy(up: Bool) async -> ProxyHarness {
        let limits = up ? Throttle(up: 80_000) : Throttle(down: 80_000)
        let stage = ScriptedStage(request: { exchange, context in
            if "\(exchange.request.target)".hasSuffix("/slow") { context.throttle.apply(limits) }
            return .proceed
        })
        return await ProxyHarness.start(stages: [Topology.Stage(id: "s", stage)])
    }

    /// The seconds that curl takes for each of two requests, the slow one first.
    private func times(_ proxy: ProxyHarness, _ words: String...) async throws -> [Double] {
        let output = try await command(
            "curl",
            ["-sS", "-m", "20", "-x", "http://\(proxy.address)", "-w", "%{time_total} "] + words
        )
        return output.split(separator: " ").compactMap { Double($0) }
    }

    @Test("slow down a response, but not the next one on the connection")
    func down() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.count)\r\n\r\n\(body)"
        let server = try ScriptedServer { _, _ in .send(answer) }
        let proxy = await proxy(up: false)
        let base = "http://\(server.address)"
        let times = try await times(
            proxy,
            "-o",
            "/dev/null",
            "\(base)/slow",
            "-o",
            "/dev/null",
            "\(base)/fast"
        )
        let (_, exchanges) = await proxy.stop()
        try #require(times.count == 2)
        // 8 kB at once, and 32 kB in 0.4 s.
        #expect(times[0] > 0.35)
        #expect(times[1] < times[0])
        #expect(exchanges.map(\.response?.body.bytes.count) == [Self.count, Self.count])
    }

    @Test("slow down a request, and lose nothing")
    func up() async throws {
        let server = try ScriptedServer { _, _ in .send("HTTP/1.1 204 No Content\r\n\r\n") }
        let proxy = await proxy(up: true)
        let times = try await times(
            proxy,
            "-H",
            "Expect:",
            "--data-binary",
            body,
            "http://\(server.address)/slow"
        )
        let (_, exchanges) = await proxy.stop()
        try #require(times.count == 1)
        #expect(times[0] > 0.35)
        #expect(server.seen.requests.first?.hasSuffix(body) == true)
        #expect(exchanges.first?.response?.status == 204)
    }

    @Test("drop what they hold back of a request over HTTP/2 that the server has answered")
    func early() async throws {
        let origin = try HTTP2Origin("hasty")
        let stage = ScriptedStage(request: { _, context in
            context.throttle.apply(Throttle(up: 80_000))
            return .proceed
        })
        // The request is whole before it is sent.
        let buffer = BodyBuffer(.wire, maxBytes: 1 << 20)
        let proxy = await ProxyHarness.start(
            origin.settings(),
            stages: [Topology.Stage(id: "s", stage, buffer: buffer)]
        )
        let output = try await proxy.http2("shop.test", "post", "\(Self.count)")
        let resets = try await proxy.http2("shop.test", "resets")
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("200 /upload 1 1 "))
        // CANCEL.
        #expect(resets == "[8]")
        let upload = try #require(exchanges.first { $0.request.method == "POST" })
        #expect(upload.state == .completed)
        #expect(upload.request.body.size == Self.count)
        // The client has sent all, in three DATA frames and one for the end.
        #expect(upload.bytes?.up.body == Self.count + 4 * 9)
        #expect(upload.bytes?.isExact == true)
    }
}
