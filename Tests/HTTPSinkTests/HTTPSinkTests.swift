// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import HTTPSink

@Suite("The sink http", .timeLimit(.minutes(1)))
struct HTTPSinkTests {
    private static func text(_ exchanges: [Exchange]) -> [String] { exchanges.map { "\($0.id)" } }

    @Test("sends batches as NDJSON or as an array, compressed if that is configured")
    func formats() async throws {
        let server = try ReceivingServer()
        let exchanges = Exchange.examples(5)
        let common = "max_records: 2, max_delay: 1ms"
        let options = [
            "{ url: '\(server.url)/in', \(common) }",
            "{ url: '\(server.url)/in', \(common), format: json, gzip: true, method: PUT, "
                + "headers: { X-Token: abc, Content-Type: text/x-own } }",
        ]
        for option in options {
            let report = try await pipeline(exchanges, option).run()
            #expect(report.isSuccess && report.sinks[0].counters.written == 5, "\(report)")
        }
        let received = try server.received
        try #require(received.count == 6 && received.allSatisfy { $0.status == 200 })
        #expect(try ids(received) == Self.text(exchanges) + Self.text(exchanges))
        let (lines, array) = (received[0], received[3])
        #expect(lines.line == "POST /in HTTP/1.1" && lines.body.hasSuffix("}\n"))
        #expect(lines.fields["content-type"] == "application/x-ndjson")
        #expect(lines.fields["content-encoding"] == nil && lines.fields["user-agent"] == "tapline")
        #expect(array.line == "PUT /in HTTP/1.1" && array.body.hasPrefix("[{"))
        #expect(array.fields["content-type"] == "text/x-own" && array.fields["x-token"] == "abc")
        #expect(array.fields["content-encoding"] == "gzip")
        // Connections are kept within a run.
        #expect(Set(received.map(\.connection)) == [1, 2])
    }

    @Test("sends a batch again after 503, 429 or a closed connection: nothing lost, nothing twice")
    func retries() async throws {
        let server = try ReceivingServer(
            """
            [{"status": 503, "fields": {"Retry-After": "0"}}, {}, {"status": 429}, {"drop": true},
             {"status": 500}, {}]
            """
        )
        let exchanges = Exchange.examples(40)
        let options = "{ url: '\(server.url)', max_bytes: 4KiB, max_delay: 1ms }"
        let report = try await pipeline(exchanges, options).run()
        let counters = report.sinks[0].counters
        #expect(report.isSuccess && counters.written == 40 && counters.errors == 0)
        #expect(counters.retries >= 3)
        #expect(try ids(server.accepted) == Self.text(exchanges))
    }

    @Test("notes how long the server asks to wait")
    func retryAfter() throws {
        let server = try ReceivingServer(
            """
            [{"status": 503, "fields": {"Retry-After": "7"}},
             {"status": 429, "fields": {"Retry-After": "Thu, 01 Jan 1970 00:00:05 GMT"}},
             {"status": 503, "fields": {"Retry-After": "3600"}}, {"status": 503}]
            """
        )
        let built = factory("{ url: '\(server.url)', max_retry_after: 20s }")
        let context = SinkContext(id: "out", now: { Timestamp(microseconds: 2_000_000) })
        let sink = try #require(built.factory).open(context)
        let batch = records(Exchange.examples(2))
        for expected in [7_000_000, 3_000_000, 20_000_000, nil] as [Int64?] {
            let error = #expect(throws: SinkError.self) { _ = try sink.write(batch) }
            #expect(error?.kind == .passing && error?.retryAfter?.count == expected)
        }
        try sink.close()
    }

    @Test("isolates a record that the server refuses, and stores the others once")
    func refused() async throws {
        let server = try ReceivingServer(#"[{"refuse": [400, "/items/13\""], "limit": 9000}]"#)
        let exchanges = Exchange.examples(30)
        let report = try await pipeline(exchanges, "{ url: '\(server.url)', max_delay: 1s }").run()
        let counters = report.sinks[0].counters
        #expect(counters.written == 29 && counters.errors == 1, "\(counters)")
        let statuses = Set(try server.received.map(\.status))
        #expect(statuses == [200, 400, 413])
        let expected = exchanges.enumerated().filter { $0.offset != 13 }.map { "\($0.element.id)" }
        #expect(try ids(server.accepted) == expected)
    }

    @Test("divides a batch by its size, and does not send delivered parts again")
    func parts() throws {
        let server = try ReceivingServer(#"[{}, {"status": 503}, {}]"#)
        let built = factory("{ url: '\(server.url)', max_bytes: 2KiB }")
        let sink = try #require(built.factory).open(SinkContext(id: "out", now: Self.now))
        let exchanges = Exchange.examples(12)
        let batch = records(exchanges)
        #expect(throws: SinkError.self) { _ = try sink.write(batch) }
        _ = try sink.write(batch)
        try sink.close()
        let accepted = try server.accepted
        #expect(accepted.count >= 3 && accepted.allSatisfy { $0.body.utf8.count <= 2048 })
        #expect(try ids(accepted) == Self.text(exchanges))
    }

    @Test("goes on when a server that was killed is back")
    func restarted() async throws {
        var server: ReceivingServer? = try ReceivingServer()
        let port = try #require(server?.port)
        let built = factory("{ url: 'http://127.0.0.1:\(port)' }")
        let sink = try #require(built.factory).open(SinkContext(id: "out", now: Self.now))
        let exchanges = Exchange.examples(4)
        let batch = records(exchanges)
        _ = try sink.write(Array(batch[..<2]))
        server = nil
        let error = #expect(throws: SinkError.self) { _ = try sink.write(Array(batch[2...])) }
        #expect(error?.kind == .passing)
        let restarted = try ReceivingServer(port: port)
        _ = try sink.write(Array(batch[2...]))
        try sink.close()
        #expect(try ids(restarted.accepted) == Self.text(Array(exchanges[2...])))
    }

    @Test(
        "stops within the drain timeout while the server asks to wait, or does not answer",
        arguments: [#"{"status": 503, "fields": {"Retry-After": "30"}}"#, #"{"wait": 30}"#]
    )
    func stopped(answer: String) async throws {
        let server = try ReceivingServer("[\(answer)]")
        let options = "{ url: '\(server.url)', max_delay: 1ms }"
        let pipeline = try pipeline(
            Exchange.examples(3),
            options,
            drainTimeout: Microseconds(50_000)
        )
        let run = Task { await pipeline.run() }
        try await wait(for: "a request") { try !server.received.isEmpty }
        pipeline.stop()
        let begin = ContinuousClock.now
        let report = await run.value
        #expect(ContinuousClock.now - begin < .seconds(10))
        #expect(!report.isSuccess && report.sinks[0].counters.written == 0)
        #expect(try server.received.count == 1)
    }

    private static let now: @Sendable () -> Timestamp = { Timestamp(microseconds: 0) }
}

@Suite("The options of http")
struct HTTPSinkOptionsTests {
    @Test(
        "that are wrong are refused without a secret in the message",
        arguments: [
            ("{ url: 'http://me:hunter2@a.test' }", "'url' is not a URL to send to"),
            ("{ url: 'ftp://a.test' }", "'url' is not a URL to send to"),
            ("{ url: 'http://a.test', headers: { Content-Length: hunter2 } }", "Content-Length"),
            ("{ url: 'http://a.test', headers: { X-A: \"hunter2\\r\\nB\" } }", "does not allow"),
            ("{ url: 'http://a.test', headers: { 'a b': hunter2 } }", "does not allow"),
            ("{ url: 'http://a.test', max_bytes: 100B }", "'max_bytes' is too small"),
            ("{ url: 'http://a.test', timeout: 0s }", "'timeout' is too short"),
            ("{ url: 'http://a.test', client_certificate: none.pem }", "without its key"),
        ]
    )
    func refused(options: String, error: String) {
        let built = factory(options)
        #expect(built.factory == nil && built.errors.contains(error), "\(built.errors)")
        #expect(!built.errors.contains("hunter2"))
    }

    @Test("the sink meets the requirements for sinks, and never logs its headers")
    func conforms() async throws {
        let server = try ReceivingServer()
        let violations = await Conformance.violations(
            of: .http,
            options: """
                url: '\(server.url)/planted-path'
                max_delay: 20ms
                headers: { Authorization: "Bearer ${TOKEN}" }
                """,
            settings: ConformanceSettings(
                environment: ["TOKEN": "planted-token"],
                failing: ["{ url: 'http://127.0.0.1:9', headers: { X-Key: planted-token } }"],
                secrets: ["planted-token", "planted-path"]
            )
        )
        #expect(violations == [])
    }
}
