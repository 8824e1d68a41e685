// SPDX-License-Identifier: MIT

import StreamTestSupport
import TaplineKafkaClient
import TaplineModel
import TaplinePlugin
import TaplineTesting
import TestSupport
import Testing

@testable import KafkaSink

@Suite("The sink kafka")
struct KafkaSinkTests {
    private let cluster: KafkaMockCluster

    init() throws {
        cluster = try KafkaMockCluster(brokers: 1)
        try cluster.create("traffic", partitions: 4)
    }

    private func open(
        _ options: String = "",
        _ book: CollectedLog = CollectedLog()
    ) throws -> any Sink {
        let text = "{ brokers: \"\(cluster.brokers)\", topic: traffic\(options) }"
        let built = BuiltPlugin(SinkPlugin.kafka, text)
        let context = SinkContext(id: "kafka", log: book.log) { Timestamp(microseconds: 0) }
        return try #require(built.component, "\(built.problems)").open(context)
    }

    private func exchanges(_ count: Int) -> [Exchange] {
        Exchange.examples(count).enumerated().map { index, exchange in
            var exchange = exchange
            exchange.request.authority = ByteString("Host-\(index % 5).test:8080")
            return exchange
        }
    }

    /// The ids of all messages in the topic.
    private func ids() throws -> [String] {
        try ReadMessage.all(of: "traffic", at: cluster.brokers).map(\.headers).sorted()
    }

    private func expected(_ exchanges: [Exchange]) -> [String] {
        exchanges.map { "tapline.id=\($0.id)" }.sorted()
    }

    @Test("another client reads each record once, keyed by host, in the order of each host")
    func keyed() throws {
        let exchanges = exchanges(100)
        let sink = try open(", compression: zstd")
        #expect(try sink.write(records(exchanges)) == .written)
        try sink.close()
        let read = try ReadMessage.all(of: "traffic", at: cluster.brokers)
        #expect(read.map(\.headers).sorted() == expected(exchanges))
        #expect(read.allSatisfy { $0.value.hasPrefix("{\"v\":1,\"id\":\"") })
        for host in 0..<5 {
            let own = read.filter { $0.key == "host-\(host).test" }
            #expect(Set(own.map(\.partition)).count == 1)
            #expect(own.map(\.headers) == own.map(\.headers).sorted() && own.count == 20)
        }
    }

    @Test(
        "the key is what the option names; without it there is none",
        arguments: [
            ("id", "01a1"), ("none", ""), ("trace", "0af7651916cd43dd8448eb211c80319c"),
            ("session", "s-7"),
        ]
    )
    func keys(option: String, expected: String) throws {
        var exchange = Exchange.example(1)
        exchange.request.fields.append(
            name: "traceparent",
            value: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        )
        exchange.tags["session"] = "s-7"
        let sink = try open(", key: \(option)")
        _ = try sink.write(records([exchange]))
        try sink.close()
        let key = try #require(try ReadMessage.all(of: "traffic", at: cluster.brokers).first).key
        #expect(option == "id" ? key == "\(exchange.id)" : key == expected)
    }

    @Test("a record that is too large is refused; the others are published once")
    func tooLarge() throws {
        var exchanges = exchanges(6)
        exchanges[3] = .example(3, body: String(repeating: "x", count: 5000))
        let sealed = records(exchanges)
        let sink = try open(", max_message: 4KiB")
        let error = #expect(throws: SinkError.self) { try sink.write(sealed) }
        #expect(error?.kind == .refused && error?.message.contains("max_message") == true)
        // As the runtime isolates a record.
        _ = try sink.write(Array(sealed[..<3]))
        #expect(throws: SinkError.self) { try sink.write(Array(sealed[3...])) }
        _ = try sink.write(Array(sealed[4...]))
        #expect(throws: SinkError.self) { try sink.write([sealed[3]]) }
        exchanges.remove(at: 3)
        #expect(try ids() == expected(exchanges))
        #expect(try sink.write([sealed[0]]) == .written)
        #expect(try ids().count == 6, "a record of a later batch counts for itself")
    }

    @Test("a batch that is larger than the client's queue waits for room")
    func queueFull() throws {
        let exchanges = exchanges(40)
        let sink = try open(", max_pending: 3")
        _ = try sink.write(records(exchanges))
        try sink.close()
        #expect(try ids() == expected(exchanges))
    }

    @Test("errors of a broker that pass are retried within the batch, and nothing is there twice")
    func passing() throws {
        let exchanges = exchanges(50)
        let sink = try open()
        // Not the leader, a timeout, too few replicas, a lost connection.
        cluster.fail(requests: 0, with: [6, 7, 19, -195])
        _ = try sink.write(records(exchanges))
        #expect(try ids() == expected(exchanges))
    }

    @Test("a batch fails while brokers are down, and is written once when they are back")
    func outage() throws {
        let exchanges = exchanges(20)
        let sealed = records(exchanges)
        let sink = try open(", timeout: 1s, properties: { reconnect.backoff.max.ms: 100 }")
        _ = try sink.write(Array(sealed[..<10]))
        try cluster.setDown()
        let error = #expect(throws: SinkError.self) { try sink.write(Array(sealed[10...])) }
        #expect(error?.kind == .passing)
        let message = error?.message ?? ""
        #expect(message.hasPrefix("10 records not confirmed in the topic 'traffic': "))
        #expect(message.contains("; the last problem was: "))
        try cluster.setUp()
        blockingWait(for: "the broker") {
            (try? sink.write(Array(sealed[10...]))) == .written
        }
        #expect(try ids() == expected(exchanges))
    }

    @Test("after a fatal error a new producer writes the rest of the batch")
    func fatal() throws {
        let exchanges = exchanges(10)
        let sealed = records(exchanges)
        let sink = try open()
        // An unknown id of the producer, which no retry can repair (OUT_OF_ORDER_SEQUENCE_NUMBER).
        cluster.fail(requests: 0, with: [45])
        let error = #expect(throws: SinkError.self) { try sink.write(sealed) }
        #expect(error?.kind == .passing)
        #expect(error?.message.hasSuffix("; connecting again") == true, "\(error?.message ?? "")")
        #expect(try sink.write(sealed) == .written)
        #expect(try ids() == expected(exchanges))
    }

    @Test("a batch without delivery reports is given up, and can be written again")
    func unreported() throws {
        let factory = KafkaSinkFactory(
            properties: [
                KafkaProperty("bootstrap.servers", cluster.brokers),
                KafkaProperty("delivery.report.only.error", "true"),
            ],
            topic: "traffic",
            key: .none,
            batchLimit: 10,
            reportTime: .milliseconds(100)
        )
        let sink = try factory.open(SinkContext(id: "kafka") { Timestamp(microseconds: 0) })
        let error = #expect(throws: SinkError.self) { try sink.write(records(exchanges(3))) }
        #expect(error?.kind == .passing)
        let message = error?.message ?? ""
        #expect(message.contains("of the topic 'traffic' without a report"), "\(message)")
    }

    @Test("a setting that contradicts the others is an error when the sink opens")
    func contradiction() {
        let error = #expect(throws: (any Error).self) {
            try open(", properties: { max.in.flight.requests.per.connection: 10 }")
        }
        #expect("\(String(describing: error))".contains("max.in.flight"))
    }

    @Test(
        "values out of range are errors",
        arguments: ["timeout: 1ms", "max_message: 1B", "max_pending: 0", "compression: rar"]
    )
    func ranges(option: String) {
        let built = BuiltPlugin(SinkPlugin.kafka, "{ brokers: a:1, topic: t, \(option) }")
        let isExpected = built.component == nil && built.problems.contains("expected")
        #expect(isExpected, "\(built.problems)")
    }
}

@Suite("The sink kafka conforms to the requirements for sinks")
struct KafkaSinkConformanceTests {
    @Test("with its defaults") func conforms() async throws {
        let cluster = try KafkaMockCluster()
        let violations = await Conformance.violations(
            of: SinkPlugin.kafka,
            options: "{ brokers: \"\(cluster.brokers)\", topic: conformance }"
        )
        #expect(violations.isEmpty, "\(violations)")
    }
}
