// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

@Suite("Exchanges that wait for a decision", .timeLimit(.minutes(2))) struct PauseTests {
    /// How the pauses of a stage ended.
    private final class Ends: Sendable {
        private let ends = Mutex<[Pause.End]>([])
        var all: [Pause.End] { ends.withLock { $0 } }
        func add(_ end: Pause.End) { ends.withLock { $0.append(end) } }

        private let attendances = Mutex<[PauseAttendance]>([])
        /// Lets exchanges wait as long as this object lives.
        func attend(_ board: PausedExchanges) {
            let new = board.attend()
            attendances.withLock { $0.append(new) }
        }
    }

    private let ends = Ends()

    /// A proxy whose stage pauses requests to `/request`, and the responses of `/response`.
    private func proxy(
        _ settings: ProxySettings = ProxySettings(),
        timeout: Int64 = 30_000_000,
        limit: Int = 16,
        isAttended: Bool = true
    ) async -> ProxyHarness {
        let ends = ends
        let pause = Pause(
            stage: "s",
            rule: "r",
            timeout: Microseconds(timeout),
            limit: limit
        ) { ends.add($0) }
        let stage = ScriptedStage(
            request: { exchange, _ in
                exchange.request.method == "CONNECT"
                    || "\(exchange.request.target)".contains("/request")
                    ? .proceed.paused(by: pause) : .proceed
            },
            response: { exchange, _ in
                exchange.response?.fields.append(name: "Seen".utf8.span, value: "1".utf8.span)
                return "\(exchange.request.target)".contains("/response")
                    ? .proceed.paused(by: pause) : .proceed
            }
        )
        let hidden = ScriptedStage(record: { exchange, _ in
            exchange.request.fields.removeAll("Secret")
            return .keep
        })
        let harness = await ProxyHarness.start(
            settings,
            stages: [Topology.Stage(id: "s", stage), Topology.Stage(id: "hide", hidden)],
            recordsProvenance: true
        )
        if isAttended { ends.attend(harness.paused) }
        return harness
    }

    private func server() throws -> ScriptedServer {
        try ScriptedServer { _, _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
    }

    /// Waits until an exchange waits.
    private func shown(by proxy: ProxyHarness) async throws -> PausedExchanges.Entry {
        await wait(for: "an exchange that waits") { !proxy.paused.all.isEmpty }
        return try #require(proxy.paused.all.first)
    }

    @Test("are shown as redacted copies, and go on with changes to what is hidden, too")
    func changes() async throws {
        let (server, proxy) = (try server(), await proxy())
        let url = "http://\(server.address)/request"
        async let answer = proxy.curl("-H", "Secret: key", "-H", "X-A: 1", url)
        let entry = try await shown(by: proxy)
        #expect(entry.hook == .request)
        #expect(entry.rule == "r")
        let fields = try #require(entry.record).exchange.request.fields
        #expect(fields.first("x-a") == "1")
        #expect(!fields.contains("secret"))
        #expect(server.seen.requests.isEmpty)
        let decision = PauseDecision(edit: { exchange in
            exchange.request.fields.set("X-A".utf8.span, to: "2".utf8.span)
        })
        #expect(try proxy.paused.resume(entry.active.id, decision))
        #expect(try !proxy.paused.resume(entry.active.id, decision))
        #expect(try await answer == "ok")
        let (_, exchanges) = await proxy.stop()
        let request = try #require(server.seen.requests.first)
        #expect(request.contains("X-A: 2"))
        #expect(request.contains("Secret: key"))
        #expect(exchanges.first?.tags[Pause.tag] == "changed")
        #expect(ends.all == [.decided])
        let step = try #require(exchanges.first?.extra?.provenance.first { $0.waited != nil })
        #expect(step.decision == "changed")
        #expect(step.changes.map(\.name) == ["X-A"])
    }

    @Test("wait on, unchanged, after a change that is not possible")
    func refusal() async throws {
        let (server, proxy) = (try server(), await proxy())
        let url = "http://\(server.address)/request"
        async let answer = proxy.curl("-H", "X-A: 1", url)
        let entry = try await shown(by: proxy)
        let refusal = PauseRefusal([PauseRefusal.Problem("request.body.$.a", "it is not there")])
        let decision = PauseDecision(edit: { exchange throws(PauseRefusal) in
            exchange.request.fields.set("X-A".utf8.span, to: "2".utf8.span)
            throw refusal
        })
        #expect(throws: refusal) { try proxy.paused.resume(entry.active.id, decision) }
        #expect(proxy.paused.entry(entry.active.id) != nil)
        #expect(server.seen.requests.isEmpty)
        #expect(try proxy.paused.resume(entry.active.id, PauseDecision()))
        #expect(try await answer == "ok")
        let (_, exchanges) = await proxy.stop()
        #expect(try #require(server.seen.requests.first).contains("X-A: 1"))
        #expect(exchanges.first?.tags[Pause.tag] == "resumed")
        #expect(ends.all == [.decided])
    }

    @Test("are answered by hand, and the hooks for responses see the answer")
    func answers() async throws {
        let (server, proxy) = (try server(), await proxy())
        async let answer = proxy.curl("-i", "http://\(server.address)/request")
        let entry = try await shown(by: proxy)
        let response = Response(status: 418, body: Body(Array("by hand".utf8)))
        #expect(try proxy.paused.resume(entry.active.id, PauseDecision(.respond(response))))
        let text = try await answer
        #expect(text.hasPrefix("HTTP/1.1 418"))
        #expect(text.contains("Seen: 1"))
        #expect(text.hasSuffix("by hand"))
        _ = await proxy.stop()
        #expect(server.seen.requests.isEmpty)
    }

    @Test("wait as responses, which are replaced or pass")
    func responses() async throws {
        let (server, proxy) = (try server(), await proxy())
        async let answer = proxy.curl("http://\(server.address)/response")
        let entry = try await shown(by: proxy)
        #expect(entry.hook == .response)
        #expect(entry.record?.exchange.response?.status == 200)
        let response = Response(status: 200, body: Body(Array("another".utf8)))
        #expect(try proxy.paused.resume(entry.active.id, PauseDecision(.respond(response))))
        #expect(try await answer == "another")
        async let second = proxy.curl("http://\(server.address)/response")
        let other = try await shown(by: proxy)
        #expect(try proxy.paused.resume(other.active.id, PauseDecision()))
        #expect(try await second == "ok")
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.map { $0.tags[Pause.tag] } == ["answered", "resumed"])
    }

    @Test("are aborted by hand")
    func aborts() async throws {
        let (server, proxy) = (try server(), await proxy())
        let url = "http://\(server.address)/request"
        let client = Task { try? await proxy.curl(url) }
        let entry = try await shown(by: proxy)
        #expect(try proxy.paused.resume(entry.active.id, PauseDecision(.abort)))
        _ = await client.value
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.first?.state == .cancelled)
        #expect(exchanges.first?.error?.message == "aborted by hand")
        #expect(server.seen.requests.isEmpty)
    }

    @Test("pass after the time is over")
    func timeout() async throws {
        let (server, proxy) = (try server(), await proxy(timeout: 50_000))
        #expect(try await proxy.curl("http://\(server.address)/request") == "ok")
        #expect(proxy.paused.all.isEmpty)
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.first?.tags[Pause.tag] == "passed, since nobody decided in time")
        #expect(ends.all == [.timeout])
    }

    @Test(
        "are not ended by the time limits of exchanges while they wait",
        arguments: ["request", "response"]
    )
    func limits(hook: String) async throws {
        var settings = ProxySettings()
        settings.timeouts.exchange = Microseconds(400_000)
        settings.timeouts.idle = Microseconds(400_000)
        let (server, proxy) = (try server(), await proxy(settings, timeout: 1_200_000))
        #expect(try await proxy.curl("http://\(server.address)/\(hook)") == "ok")
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.map(\.state) == [.completed])
        #expect(ends.all == [.timeout])
        let step = try #require(exchanges.first?.extra?.provenance.first { $0.waited != nil })
        #expect(step.decision == "timeout")
        #expect(step.hook == hook)
        #expect(try #require(step.waited).count >= 1_200_000)
    }

    @Test("are ended by the time limits afterwards, which then go on")
    func limitsGoOn() async throws {
        var settings = ProxySettings()
        settings.timeouts.exchange = Microseconds(400_000)
        let server = try ScriptedServer { _, _ in .silence }
        let proxy = await proxy(settings, timeout: 600_000)
        let status = try await proxy.curl(
            "-o",
            "/dev/null",
            "-w",
            "%{http_code}",
            "http://\(server.address)/request"
        )
        #expect(status == "504")
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.first?.error?.code == "timeout")
        let total = try #require(exchanges.first?.timing.total).count
        #expect(1_000_000..<10_000_000 ~= total)
    }

    @Test("pass at once if too many wait, or if nobody can decide")
    func passes() async throws {
        let server = try server()
        let full = await proxy(limit: 0)
        #expect(try await full.curl("http://\(server.address)/request") == "ok")
        _ = await full.stop()
        let alone = await proxy(isAttended: false)
        #expect(try await alone.curl("http://\(server.address)/request") == "ok")
        let (_, exchanges) = await alone.stop()
        #expect(exchanges.first?.tags[Pause.tag] == "passed, since nobody could decide")
        #expect(ends.all == [.full, .unattended])
    }

    @Test("do not wait before a tunnel is open")
    func tunnels() async throws {
        let (server, proxy) = (try server(), await proxy())
        #expect(try await proxy.curl("-p", "http://\(server.address)/") == "ok")
        let (_, exchanges) = await proxy.stop()
        let tunnel = try #require(exchanges.first { $0.request.method == "CONNECT" })
        #expect(tunnel.tags[Pause.tag] == "passed, since a tunnel cannot wait")
        #expect(ends.all.isEmpty)
    }

    @Test("end when their client disconnects, and pass when the pipeline stops")
    func endings() async throws {
        let (server, proxy) = (try server(), await proxy())
        let request = "GET http://\(server.address)/request HTTP/1.1\r\nHost: a.test\r\n\r\n"
        do {
            let client = try SocketClient(port: proxy.address.port)
            try client.send(Array(request.utf8))
            _ = try await shown(by: proxy)
            withExtendedLifetime(client) {}
        }
        await wait(for: "the end of the exchange") { proxy.paused.all.isEmpty }
        let client = try SocketClient(port: proxy.address.port)
        try client.send(Array(request.utf8))
        let entry = try await shown(by: proxy)
        #expect(server.seen.requests.isEmpty)
        let (_, exchanges) = await proxy.stop()
        #expect(proxy.paused.all.isEmpty)
        #expect(try !proxy.paused.resume(entry.active.id, PauseDecision()))
        #expect(exchanges.count == 2)
        for exchange in exchanges {
            let hasPassed = exchange.state == .completed
            let tag = hasPassed ? "passed, since nobody could decide" : "ended while it waited"
            #expect(exchange.tags[Pause.tag] == tag)
            let step = exchange.extra?.provenance.first { $0.waited != nil }
            #expect(step?.decision == (hasPassed ? "unattended" : "ended"))
        }
        #expect(server.seen.requests.count == 1)
        withExtendedLifetime(client) {}
    }
}
