// SPDX-License-Identifier: MIT

import StreamTestSupport
import Synchronization
import TaplinePlugin
import Testing

@testable import TaplineKafkaClient

@Suite("Clients of Kafka")
struct KafkaClientTests {
    /// A log that keeps its lines.
    private final class Book: Sendable {
        private let entries = Mutex<[String]>([])

        var log: Log {
            Log(component: "") { entry in
                self.entries.withLock { $0.append("\(entry.level.name): \(entry.message)") }
            }
        }
        var lines: [String] { entries.withLock { $0 } }
    }

    private func consumer(_ brokers: String, _ log: Log = .none) throws -> KafkaConsumer {
        let settings = [
            KafkaProperty("bootstrap.servers", brokers), KafkaProperty("group.id", "g"),
        ]
        return try KafkaConsumer(settings, topics: ["t"], log: log)
    }

    @Test("a missing file of authorities is an error when the client is made")
    func missingFile() {
        let settings = [
            KafkaProperty("bootstrap.servers", "127.0.0.1:1"),
            KafkaProperty("security.protocol", "ssl"),
            KafkaProperty("ssl.ca.location", "/no/such/file.pem"),
        ]
        let error = #expect(throws: KafkaError.self) {
            try KafkaProducer(settings, topic: "t", log: .none)
        }
        #expect(error?.message.contains("ssl.ca.location") == true, "\(error?.message ?? "")")
    }

    @Test("brokers that cannot be reached are logged once, without the library's thread")
    func unreachable() throws {
        let book = Book()
        let consumer = try consumer("127.0.0.1:1", book.log)
        for _ in 0..<100 where book.lines.isEmpty { _ = consumer.event(within: 100) }
        for _ in 0..<5 { _ = consumer.event(within: 20) }
        let lines = book.lines.filter { $0.contains("Connect to") }
        #expect(lines.count == 1, "\(book.lines)")
        #expect(lines.allSatisfy { $0.hasPrefix("warning: 127.0.0.1:1/") }, "\(lines)")
        #expect(consumer.latestError != nil)
    }

    @Test("another thread ends a wait, and may do so after the consumer is gone")
    func waker() throws {
        var consumer: KafkaConsumer? = try consumer("127.0.0.1:1")
        let waker = try #require(consumer?.waker)
        let begin = ContinuousClock.now
        waker.wake()
        // Reports of the lost connection end waits, too.
        for _ in 0..<2 { _ = consumer?.event(within: 60_000) }
        #expect(ContinuousClock.now - begin < .seconds(30))
        consumer = nil
        waker.wake()
    }

    @Test("delivery reports carry the numbers of their messages")
    func delivery() throws {
        let cluster = try KafkaMockCluster()
        let producer = try KafkaProducer(
            [KafkaProperty("bootstrap.servers", cluster.brokers)],
            topic: "t",
            log: .none
        )
        let (bytes, none): ([UInt8], [UInt8]) = ([1, 2, 3], [])
        for number in [7, 0, Int.max] {
            let error = producer.send(
                bytes.span,
                key: none.span,
                header: bytes.span,
                named: "h",
                number: number
            )
            #expect(error == nil)
        }
        var numbers: [Int] = []
        for _ in 0..<100 where numbers.count < 3 {
            producer.wait(100) { number, error in
                if error == nil { numbers.append(number) }
            }
        }
        #expect(numbers.sorted() == [0, 7, Int.max] && producer.fatalError == nil)
    }
}
