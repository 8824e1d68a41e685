// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConnections
import TaplineModel
import TaplineNet
import TaplineOperations
import TaplinePlugin
import TaplineQuery
import TaplineRuntime
import TaplineStatistics
import TaplineTesting
import TestSupport
import Testing

@testable import ClientReplaySource

@Suite("The source client_replay", .timeLimit(.minutes(3)))
struct ClientReplaySourceTests {
    @Test(
        "sends the requests in the order of the recording, and records them with what they repeat"
    )
    func recording() async throws {
        let target = try TestTarget()
        var settings = settings(target.url)
        settings.concurrency.limit = 1
        let result = try await send([recorded(2, "POST"), recorded(1), recorded(3)], settings)
        #expect(target.paths == ["/1", "/2", "/3"])
        #expect(
            target.requests[1]
                == "POST /2 HTTP/1.1\r\nHost: \(target.address)\r\nContent-Length: 6\r\n\r\nbody 2"
        )
        let sent = try #require(result.exchanges.first { $0.request.target == "/2" })
        #expect(sent.state == .completed && sent.response?.status == 200)
        #expect(sent.response?.body.bytes == Array("hello".utf8))
        #expect(sent.request.url == ByteString("\(target.url)/2"))
        #expect(sent.connection.server == "\(target.address)")
        let facts = try #require(sent.extra?.replay)
        #expect(facts.original == recorded(2).id && facts.status == 201)
        #expect(try #require(facts.due) <= #require(facts.sent))
        #expect(sent.id != recorded(2).id && sent.timing.total != nil)
        #expect(sent.bytes?.up.body == 6 && sent.bytes?.down.body == 5)
        #expect(result.report.isSuccess && result.figures.counts.sent == 3)
        #expect(result.figures.statuses == [200: 3] && result.figures.changedStatuses == 3)
        #expect(result.figures.latencies.service.count == 3)
        // Routes are those of the recording, which has been redacted.
        #expect(result.figures.routes.keys.allSatisfy { $0.contains(" api.test/") })
    }

    @Test("a gRPC call is recorded with its final status")
    func grpc() async throws {
        let target = try TestTarget { _, _ in
            .send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n0\r\ngrpc-status: 5\r\n"
                    + "grpc-message: no%20order\r\n\r\n"
            )
        }
        var call = recorded(1, "POST")
        call.request.target = "/shop.v1.Orders/Get"
        call.request.fields = ["Content-Type": "application/grpc"]
        let result = try await send([call], settings(target.url))
        let sent = try #require(result.exchanges.first)
        #expect(sent.tags["grpc.status"] == "NOT_FOUND")
        #expect(sent.tags["grpc.message"] == "no order")
        #expect(sent.extra?.grpc?.service == "shop.v1.Orders" && sent.extra?.replay != nil)
        let filter = try Filter(#"grpc.status == "NOT_FOUND" and grpc.method == "Get""#)
        #expect(filter.matches(sent))
    }

    @Test("nothing is sent to an inspector that begins to listen during the run")
    func inspector() async throws {
        let folder = try TemporaryFolder()
        let ports = ProtectedPorts(folder: folder("ports"))
        let held = Mutex<ProtectedPort?>(nil)
        // Each request needs a connection of its own.
        let target = try TestTarget { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        let port = target.address.port
        let stage = Topology.Stage(
            id: "s",
            ScriptedStage(response: { _, _ in
                held.withLock { if $0 == nil { $0 = try? ports.protect(port) } }
                return .proceed
            })
        )
        var settings = settings(target.url)
        settings.protectedPorts = ports
        settings.concurrency.limit = 1
        let result = try await send([recorded(1), recorded(2)], settings, stages: [stage])
        #expect(target.requests.count == 1)
        #expect(result.figures.errors == ["target_denied": 1])
        #expect(held.withLock { $0 } != nil)
    }

    @Test("a constant rate is kept even if the server answers late")
    func rate() async throws {
        let target = try TestTarget { _, _ in .later(30_000, TestTarget.ok) }
        var settings = settings(target.url)
        settings.schedule = ReplaySchedule(.constant(500))
        let result = try await send((1...100).map { recorded($0) }, settings)
        #expect(result.figures.counts.sent == 100)
        let due = result.exchanges.compactMap { $0.extra?.replay?.due?.microseconds }.sorted()
        let first = try #require(due.first)
        #expect(due == (0..<100).map { first + $0 * 2000 })
        // 99 gaps of 2 ms, of which a busy machine may lose some at the beginning.
        let arrivals = target.arrivals.sorted()
        #expect(try #require(arrivals.last) - #require(arrivals.first) > 100_000)
        #expect(result.figures.wantedRate == 500)
    }

    @Test("a bound that is reached skips requests, or sends them late, and both are counted")
    func bound() async throws {
        for whenFull in [ReplayConcurrency.WhenFull.skip, .wait] {
            let target = try TestTarget { _, _ in .later(50_000, TestTarget.ok) }
            var settings = settings(target.url)
            settings.schedule = ReplaySchedule(.constant(1000))
            settings.concurrency = ReplayConcurrency(limit: 1, whenFull: whenFull)
            let result = try await send((1...20).map { recorded($0) }, settings)
            let counts = result.figures.counts
            #expect(counts.due == 20 && target.requests.count == counts.sent)
            #expect((counts.skipped > 10) == (whenFull == .skip))
            #expect((counts.sent == 20) == (whenFull == .wait))
            guard whenFull == .wait else { continue }
            #expect(counts.lateByTarget > 10)
            // The time in which a request waited counts for one of the two latencies.
            let latencies = result.figures.latencies
            #expect(latencies.service.maximum < latencies.response.maximum)
            #expect(latencies.response.maximum > 500_000_000)
        }
    }

    @Test(
        "a server that is killed and comes back: each request is sent once, and the counts are right"
    )
    func killed() async throws {
        let first = try TestTarget()
        let port = first.address.port
        let state = Mutex<TestTarget?>(nil)
        var settings = settings(first.url)
        settings.schedule = ReplaySchedule(.constant(1000))
        let refused = Mutex(0)
        let observer = Topology.Stage(
            id: "s",
            ScriptedStage(record: { exchange, _ in
                let isRefused = exchange.error?.code == "connect_refused"
                if isRefused { refused.withLock { $0 += 1 } }
                return .keep
            })
        )
        let change = Task {
            await wait(for: "some requests") { first.requests.count >= 50 }
            first.stop()
            await wait(for: "some that are refused") { refused.withLock { $0 } >= 50 }
            let second = try await restarted(on: port)
            state.withLock { $0 = second }
        }
        // The run goes on until the second server has answered, however long its start takes.
        let result = try await send(
            (1...30_000).map { recorded($0) },
            settings,
            stages: [observer]
        ) {
            (state.withLock { $0 }?.requests.count ?? 0) >= 20
        }
        try await change.value
        let second = try #require(state.withLock { $0 })
        let counts = result.figures.counts
        #expect(counts.due == counts.sent + counts.skipped + counts.failed && counts.failed > 0)
        let seen = first.paths + second.paths
        #expect(Set(seen).count == seen.count, "a request was sent twice")
        #expect(second.paths.count >= 20 && seen.count <= counts.sent)
        #expect(result.exchanges.count == counts.due)
        #expect(result.exchanges.filter { $0.state == .failed }.count >= counts.failed)
        let answered = result.figures.statuses[200] ?? 0
        #expect(result.figures.errors.values.reduce(0, +) + answered == counts.due)
    }

    /// Listens again on a port whose old connections may not have ended.
    private func restarted(on port: UInt16) async throws -> TestTarget {
        let state = Mutex<TestTarget?>(nil)
        await wait(for: "the port to be free") {
            guard let target = try? TestTarget(port: port) else { return false }
            state.withLock { $0 = target }
            return true
        }
        return try #require(state.withLock { $0 })
    }

    @Test("what cannot be sent is counted by reason, and nothing of it is sent")
    func obstacles() async throws {
        let target = try TestTarget()
        var settings = ClientReplaySettings()
        settings.schedule = ReplaySchedule(.max)
        let origin = try #require(Origin(url: target.url))
        let elsewhere = try #require(Origin(url: "http://shop.test"))
        settings.targets.targets = [
            ReplayTargets.Target(hosts: Glob("api.test"), origin: origin),
            ReplayTargets.Target(hosts: Glob("far.test"), origin: elsewhere),
        ]
        var masked = recorded(3)
        masked.request.fields.append(name: "Authorization", value: "[redacted]")
        var cut = recorded(4, "POST")
        cut.request.body.isTruncated = true
        let result = try await send(
            [
                recorded(1), recorded(2, host: "other.test"), masked, cut,
                recorded(5, "POST", host: "far.test"),
            ],
            settings
        )
        #expect(target.paths == ["/1"])
        #expect(
            result.figures.obstacles
                == [.noTarget: 1, .masked: 1, .missingBody: 1, .unsafeMethod: 1]
        )
        #expect(result.figures.hostsWithoutTarget == ["other.test": 1])
        #expect(result.figures.counts.due == 1)
    }

    @Test("hooks change the request, answer it, abort it, and see the response")
    func hooks() async throws {
        let target = try TestTarget()
        let stage = Topology.Stage(
            id: "s",
            ScriptedStage(
                request: { exchange, _ in
                    exchange.request.fields.set("X-Hook", to: "1")
                    if exchange.request.target == "/2" {
                        return .respond(Response(status: 299))
                    }
                    return exchange.request.target == "/3"
                        ? .abort : .delay(Microseconds(20_000))
                },
                response: { exchange, _ in
                    exchange.tags["seen"] = "\(exchange.response?.status ?? 0)"
                    return .proceed
                }
            )
        )
        let result = try await send(
            (1...3).map { recorded($0) },
            settings(target.url),
            stages: [stage]
        )
        #expect(target.requests.count == 1 && target.requests[0].contains("X-Hook: 1\r\n"))
        let states = result.exchanges.reduce(into: [:]) { $0["\($1.request.target)"] = $1 }
        #expect(states["/1"]?.tags["seen"] == "200")
        #expect(try #require(states["/1"]?.timing.total).count >= 20_000)
        #expect(states["/2"]?.tags["seen"] == "299" && states["/2"]?.response?.status == 299)
        #expect(states["/3"]?.state == .cancelled && states["/3"]?.error?.code == "aborted")
        let counts = result.figures.counts
        #expect(counts.sent == 2 && counts.failed == 1)
    }

    @Test("a hook cannot send a change to another machine")
    func unsafeHook() async throws {
        let target = try TestTarget()
        let stage = Topology.Stage(
            id: "s",
            ScriptedStage(request: { exchange, _ in
                exchange.request.authority = "192.0.2.1"
                return .proceed
            })
        )
        let result = try await send([recorded(1, "POST")], settings(target.url), stages: [stage])
        #expect(result.exchanges.first?.error?.code == "unsafe_method")
        #expect(target.requests.isEmpty && result.figures.counts.failed == 1)
    }

    @Test(
        "a request is sent again only if that is asked for and its method allows it",
        arguments: [
            (0, "GET", 1), (2, "GET", 3), (2, "POST", 1),
        ] as [(Int, ByteString, Int)]
    )
    func retries(retries: Int, method: ByteString, count: Int) async throws {
        let target = try TestTarget { _, _ in .reset }
        var settings = settings(target.url)
        settings.retries = retries
        let result = try await send([recorded(1, method)], settings)
        #expect(target.requests.count == count)
        #expect(result.exchanges.map(\.state) == [.failed])
        #expect(result.figures.errors.count == 1)
    }

    @Test("a retry that fails keeps nothing of the response to the first try")
    func failedRetry() async throws {
        let target = try TestTarget { _, number in
            number == 0
                ? .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n") : .reset
        }
        var settings = settings(target.url)
        settings.retries = 1
        let result = try await send([recorded(1)], settings)
        #expect(target.requests.count == 2)
        let exchange = try #require(result.exchanges.first)
        #expect(exchange.state == .failed && exchange.response == nil)
    }

    @Test("a run that has sent nothing says why")
    func emptiness() {
        var report = ReplayReport()
        #expect(report.emptiness == "the recordings have no requests that match")
        report.obstacles[.masked] = 2
        #expect(report.emptiness == "none of the 2 recorded requests can be sent")
        report.isDryRun = true
        #expect(report.emptiness == nil)
    }

    @Test("a server that never answers ends with the time limit")
    func timeout() async throws {
        let target = try TestTarget { _, _ in .silence }
        var settings = settings(target.url)
        settings.timeout = Microseconds(100_000)
        let result = try await send([recorded(1)], settings)
        #expect(result.exchanges.first?.error?.code == "timeout")
        #expect(result.figures.counts.sent == 1 && result.figures.errors == ["timeout": 1])
        #expect(
            result.report.failures.contains { $0.contains("no request was answered; 1 were due") }
        )
    }

    @Test("a server without TLS fails the handshake, and the request counts as failed")
    func handshake() async throws {
        let target = try TestTarget { _, _ in .reset }
        var settings = settings("https://\(target.address)")
        settings.timeout = Microseconds(200_000)
        let result = try await send([recorded(1)], settings)
        #expect(result.exchanges.map(\.state) == [.failed])
        #expect(result.figures.counts.failed == 1 && result.figures.errors.count == 1)
        #expect(target.requests.isEmpty && !result.report.isSuccess)
    }

    @Test("recordings are sent again and again until the limit, and a dry run sends nothing")
    func passes() async throws {
        let target = try TestTarget()
        var settings = settings(target.url)
        settings.loop = .forever
        settings.limit = 7
        settings.concurrency.limit = 1
        let result = try await send([recorded(1), recorded(2)], settings)
        #expect(target.paths == ["/1", "/2", "/1", "/2", "/1", "/2", "/1"])
        #expect(result.figures.counts.due == 7)
        settings.isDryRun = true
        let dry = try await send([recorded(1), recorded(2)], settings)
        #expect(target.requests.count == 7 && dry.exchanges.isEmpty)
        #expect(dry.figures.targets == [target.url: 7])
    }

    @Test("a stop sends nothing more, and lets what is in flight end")
    func stops() async throws {
        let target = try TestTarget { _, _ in .later(100_000, TestTarget.ok) }
        var settings = settings(target.url)
        settings.schedule = ReplaySchedule(.constant(200))
        settings.loop = .forever
        let result = try await send([recorded(1)], settings) { target.requests.count >= 3 }
        // On a busy machine, requests may be late.
        #expect(result.report.failures.allSatisfy { $0.contains("the generator fell behind") })
        #expect(result.exchanges.count == result.figures.counts.sent)
        #expect(result.exchanges.allSatisfy { $0.state == .completed })
    }

    @Test("recordings that do not exist fail the run")
    func missing() async throws {
        var settings = settings("http://127.0.0.1:1")
        settings.paths = ["/nowhere/recording.ndjson"]
        let topology = Topology(
            sources: [Topology.Source(id: "r", ClientReplaySource(settings: settings))],
            sinks: [Topology.Sink(id: "kept", RecordingSink())]
        )
        let report = await Pipeline(topology) { Timestamp(microseconds: 0) }.run()
        #expect(report.failures.count == 1 && !report.isSuccess)
    }
}
