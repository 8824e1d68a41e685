// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineKafkaClient
internal import TaplineModel
internal import TaplinePlugin

/// Publishes records, and waits in each `write` until brokers have confirmed all of them.
///
/// A batch that fails is written again by the runtime, whole or in pieces. Its records that are
/// already confirmed are not sent again.
final class KafkaSink: Sink {
    private static let header = "tapline.id"

    private let factory: KafkaSinkFactory
    private let log: Log
    /// `nil` after a fatal error, until the next write.
    private var producer: KafkaProducer?
    private var json = JSONWriter(capacity: 65_536)
    private var key: [UInt8] = []
    private var id: [UInt8] = []
    /// The confirmed records of a batch that has failed.
    private var confirmed: [ObjectIdentifier: Record] = [:]

    init(_ factory: KafkaSinkFactory, _ context: SinkContext) throws {
        self.factory = factory
        log = context.log
        producer = try makeProducer()
    }

    func write(_ batch: [Record]) throws -> WriteResult {
        let producer = try self.producer ?? makeProducer()
        self.producer = producer
        var delivery = Delivery(count: batch.count, reportTime: factory.reportTime)
        for (number, record) in batch.enumerated() {
            if confirmed[ObjectIdentifier(record)] == nil {
                send(record, number, by: producer, &delivery)
            } else {
                delivery.isConfirmed[number] = true
            }
        }
        while delivery.isAwaited { receive(from: producer, &delivery) }
        try conclude(batch, delivery, producer)
        return .written
    }

    func close() throws { producer = nil }

    private func makeProducer() throws -> KafkaProducer {
        try KafkaProducer(factory.properties, topic: factory.topic, log: log)
    }

    /// Sends a record; waits for room in the client's queue.
    private func send(
        _ record: Record,
        _ number: Int,
        by producer: KafkaProducer,
        _ delivery: inout Delivery
    ) {
        json.removeAll()
        json.record(record)
        factory.key.write(of: record.exchange, to: &key)
        id.removeAll(keepingCapacity: true)
        record.exchange.id.append(to: &id)
        while true {
            let error = producer.send(
                json.bytes,
                key: key.span,
                header: id.span,
                named: Self.header,
                number: number
            )
            guard let error else {
                delivery.pending += 1
                return
            }
            guard error.isQueueFull, delivery.isAwaited else {
                return delivery.note(number, error)
            }
            receive(from: producer, &delivery)
        }
    }

    private func receive(from producer: KafkaProducer, _ delivery: inout Delivery) {
        producer.wait(delivery.pollTime) { number, error in
            delivery.reported(number, error)
        }
    }

    /// Throws an error if not all records of the batch are confirmed.
    private func conclude(
        _ batch: [Record],
        _ delivery: Delivery,
        _ producer: KafkaProducer
    ) throws {
        let isReported = delivery.pending == 0
        guard !isReported || delivery.failure != nil || delivery.refusal != nil else {
            if !confirmed.isEmpty {
                for record in batch { confirmed[ObjectIdentifier(record)] = nil }
            }
            return
        }
        for (number, record) in batch.enumerated() where delivery.isConfirmed[number] {
            confirmed[ObjectIdentifier(record)] = record
        }
        guard isReported else {
            // Late reports carry numbers of this batch, so no later batch may receive them.
            self.producer = nil
            throw SinkError(
                .passing,
                "\(Counted.text(delivery.pending, "record")) of the topic '\(factory.topic)' without "
                    + "a report; connecting again"
            )
        }
        if let fatal = producer.fatalError {
            self.producer = nil
            throw SinkError(.passing, "\(fatal); connecting again")
        }
        guard let error = delivery.failure else {
            let refusal = delivery.refusal?.description ?? ""
            throw SinkError(.refused, "\(refusal) (see 'max_message')")
        }
        let count = Counted.text(delivery.failures, "record")
        let latest = producer.latestError.map { "; the last problem was: \($0)" } ?? ""
        throw SinkError(
            .passing,
            "\(count) not confirmed in the topic '\(factory.topic)': \(error)\(latest)"
        )
    }
}

/// The delivery of a batch.
private struct Delivery {
    /// The messages whose delivery report has not come.
    var pending = 0
    var isConfirmed: [Bool]
    /// How many messages failed that may succeed later.
    private(set) var failures = 0
    /// The first of these errors.
    private(set) var failure: KafkaError?
    /// The first error of a message that can never be delivered.
    private(set) var refusal: KafkaError?

    /// The longest time between two reports.
    private let reportTime: Duration
    /// When the wait for the next report ends.
    private var end: ContinuousClock.Instant

    init(count: Int, reportTime: Duration) {
        isConfirmed = Array(repeating: false, count: count)
        self.reportTime = reportTime
        end = ContinuousClock.now + reportTime
    }

    /// Whether a report is missing and may still come.
    var isAwaited: Bool { pending > 0 && ContinuousClock.now < end }

    /// How long to wait for the next report, in milliseconds.
    var pollTime: Int32 {
        let rest: Double = ContinuousClock.now.duration(to: end) / Duration.milliseconds(1)
        return Int32(min(max(rest, 0), 999)) + 1
    }

    /// Notes the delivery report of a message.
    mutating func reported(_ number: Int, _ error: KafkaError?) {
        pending -= 1
        end = ContinuousClock.now + reportTime
        note(number, error)
    }

    /// Notes the end of a message.
    mutating func note(_ number: Int, _ error: KafkaError?) {
        guard isConfirmed.indices.contains(number) else { return }
        guard let error else {
            isConfirmed[number] = true
            return
        }
        if error.isRefusal {
            if refusal == nil { refusal = error }
        } else {
            failures += 1
            if failure == nil { failure = error }
        }
    }
}
