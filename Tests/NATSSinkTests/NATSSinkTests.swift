// SPDX-License-Identifier: MIT

import StreamTestSupport
import TaplineModel
import TaplineNATS
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@Suite("Records published to a stream")
struct NATSSinkTests {
    @Test("that are published twice are stored once")
    func duplicates() async throws {
        let server = try NATSServer()
        let exchanges = Exchange.examples(100)
        try await server.publish(exchanges)
        let report = try await server.publish(exchanges)
        #expect(report.sinks[0].counters.duplicates == 100)
        #expect(try server.connect().stream("T")?.messages == 100)
    }

    @Test("may be stored twice in a stream with a short duplicate window, which is a warning")
    func window() async throws {
        let server = try NATSServer()
        try await server.publish([], "create: { duplicate_window: 1s }")
        let short = CollectedLog()
        try await server.publish([], "timeout: 2s", log: short.log)
        #expect(short.text.contains("recognises a message for 1000 ms"), "\(short.text)")
        #expect(short.text.contains("at least 10000 ms"), "\(short.text)")
        let usual = try NATSServer()
        try await usual.publish([])
        let log = CollectedLog()
        try await usual.publish([], "timeout: 2s", log: log.log)
        #expect(!log.text.contains("recognises"), "\(log.text)")
    }

    @Test("wait in the queue while no server can be reached, also at the start")
    func lateServer() async throws {
        let server = try NATSServer()
        server.kill()
        let log = CollectedLog()
        let retry = RetryOptions(
            initial: Microseconds(10_000),
            maxInterval: Microseconds(50_000)
        )
        let publishing = Task {
            try await server.publish(Exchange.examples(20), retry: retry, log: log.log)
        }
        await wait(for: "the first try") { log.text.contains("connects again") }
        try server.start()
        let report = try await publishing.value
        #expect(report.isSuccess && report.isBalanced, "\(report.failures) \(log.text)")
        #expect(report.sinks[0].counters.written == 20)
        #expect(try server.connect().stream("T")?.messages == 20)
    }

    @Test("that the server refuses for good are counted, and the others stored")
    func refused() async throws {
        let server = try NATSServer("max_payload: 4096")
        var exchanges = Exchange.examples(20)
        exchanges[7] = .example(7, body: String(repeating: "x", count: 5000))
        exchanges[13] = .example(13, body: String(repeating: "x", count: 5000))
        let log = CollectedLog()
        let report = try await server.publish(exchanges, log: log.log)
        #expect(report.sinks[0].counters.written == 18 && report.sinks[0].counters.errors == 2)
        #expect(report.sinks[0].counters.duplicates == 0)
        #expect(try server.connect().stream("T")?.messages == 18)
        #expect(log.text.contains("the server accepts 4096 in a message"), "\(log.text)")
    }

    @Test("fail a full stream with the server's reason, until it has room")
    func full() async throws {
        let server = try NATSServer()
        let log = CollectedLog()
        let retry = RetryOptions(
            initial: Microseconds(10_000),
            maxInterval: Microseconds(20_000),
            maxElapsed: Microseconds(100_000)
        )
        let limited = "create: { max_messages: 5 }"
        let report = try await server.publish(
            Exchange.examples(8),
            limited,
            retry: retry,
            log: log.log
        )
        #expect(!report.isSuccess && log.text.contains("maximum messages exceeded"), "\(log.text)")
        #expect(try server.connect().stream("T")?.messages == 5)
    }
}
