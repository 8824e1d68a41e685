// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineTesting
import TestSupport
import Testing

@testable import OTLPSink

@Suite("The sink otlp", .timeLimit(.minutes(1)))
struct OTLPSinkTests {
    private static func context(_ log: Log = .none) -> SinkContext {
        SinkContext(id: "out", log: log, now: { Timestamp(microseconds: 0) })
    }

    /// The exchange ids in requests for traces in protobuf.
    private static func ids(_ requests: [ReceivingServer.Received]) -> [String] {
        requests.flatMap { request in
            Fields(request.bytes).messages(1).flatMap { $0.messages(2) }.flatMap { $0.messages(2) }
                .compactMap { $0.attributes(9)["tapline.exchange.id"] }
        }
    }

    @Test("sends spans and log records, compressed, each once although a request fails")
    func signals() throws {
        let server = try ReceivingServer(#"[{}, {"status": 503}, {}]"#)
        let sink = try factory("{ url: '\(server.url)/otel', logs: true }").open(Self.context())
        let exchanges = Exchange.examples(3)
        let batch = records(exchanges)
        let error = #expect(throws: SinkError.self) { _ = try sink.write(batch) }
        #expect(error?.kind == .passing)
        _ = try sink.write(batch)
        _ = try sink.write([])
        try sink.close()
        let received = try server.received
        #expect(
            received.map(\.line) == [
                "POST /otel/v1/traces HTTP/1.1", "POST /otel/v1/logs HTTP/1.1",
                "POST /otel/v1/logs HTTP/1.1",
            ]
        )
        #expect(received[0].fields["content-type"] == "application/x-protobuf")
        #expect(received[0].fields["content-encoding"] == "gzip")
        #expect(Self.ids([received[0]]) == exchanges.map { "\($0.id)" })
    }

    @Test("divides batches by size, and isolates what the receiver refuses")
    func divided() throws {
        let server = try ReceivingServer(#"[{"refuse": [400, "/items/3"]}]"#)
        let sink = try factory("{ url: '\(server.url)', gzip: false, max_bytes: 2KiB }")
            .open(Self.context())
        let exchanges = Exchange.examples(5)
        let batch = records(exchanges)
        let error = #expect(throws: SinkError.self) { _ = try sink.write(batch) }
        #expect(error?.kind == .refused)
        for index in [0, 1, 2, 4] { _ = try sink.write([batch[index]]) }
        try sink.close()
        let accepted = try server.accepted
        #expect(accepted.allSatisfy { $0.body.unicodeScalars.count <= 2048 })
        let expected = [0, 1, 2, 4].map { "\(exchanges[$0].id)" }
        #expect(Self.ids(accepted) == expected)
    }

    @Test("sends metrics last; if they are refused, the exchanges are delivered nevertheless")
    func metrics() throws {
        let server = try ReceivingServer(#"[{}, {"status": 503}, {"status": 400}]"#)
        let sink = try factory("{ url: '\(server.url)', metrics: true }").open(Self.context())
        let batch = records(Exchange.examples(3))
        #expect(throws: SinkError.self) { _ = try sink.write(batch) }
        _ = try sink.write(batch)
        try sink.close()
        let paths = try server.received.map { $0.line.split(separator: " ")[1] }
        #expect(paths == ["/v1/traces", "/v1/metrics", "/v1/metrics"])
    }

    @Test("logs and counts the spans that the receiver has rejected, without its text")
    func partial() throws {
        // partial_success { rejected_spans: 2, error_message: "secret" }
        let body = #"\n\n\b\u0002\u0012\u0006secret"#
        let server = try ReceivingServer(#"[{"body": "\#(body)"}]"#)
        let lines = Mutex<[String]>([])
        let log = Log(component: "out") { entry in lines.withLock { $0.append(entry.message) } }
        let sink = try factory("{ url: '\(server.url)' }").open(Self.context(log))
        #expect(try sink.write(records(Exchange.examples(5))) == WriteResult(rejected: 2))
        #expect(try sink.write(records(Exchange.examples(4))) == WriteResult(rejected: 2))
        try sink.close()
        let host = "127.0.0.1:\(server.port)"
        #expect(
            lines.withLock { $0 } == [
                "\(host) rejected 2 of 5 spans", "\(host) rejected 2 of 4 spans",
                "\(host) rejected 4 spans in all",
            ]
        )
        #expect(try server.received.count == 2)
    }

    @Test("counts what was rejected before a retry, once for both signals")
    func partialBeforeRetry() throws {
        let rejection = ##"{"body": "\n\n\b\u0002\u0012\u0006secret"}"##
        let server = try ReceivingServer(
            #"[\#(rejection), {"status": 503}, \#(rejection), {}]"#
        )
        let sink = try factory("{ url: '\(server.url)', logs: true }").open(Self.context())
        let batch = records(Exchange.examples(5))
        #expect(throws: SinkError.self) { _ = try sink.write(batch) }
        #expect(try sink.write(batch) == WriteResult(rejected: 2))
        #expect(try sink.write(records(Exchange.examples(3))) == .written)
        try sink.close()
    }

    @Test("meets the requirements for sinks, in both encodings", arguments: ["protobuf", "json"])
    func conforms(encoding: String) async throws {
        let server = try ReceivingServer()
        let violations = await Conformance.violations(
            of: .otlp,
            options: """
                url: '\(server.url)'
                max_delay: 20ms
                encoding: \(encoding)
                logs: true
                metrics: true
                message_events: 10
                headers: { Authorization: "Bearer ${TOKEN}" }
                """,
            settings: ConformanceSettings(
                environment: ["TOKEN": "planted-token"],
                failing: ["url: 'http://127.0.0.1:9'"],
                secrets: ["planted-token"]
            )
        )
        #expect(violations == [])
        #expect(try server.received.allSatisfy { $0.fields["authorization"] != nil })
    }
}
