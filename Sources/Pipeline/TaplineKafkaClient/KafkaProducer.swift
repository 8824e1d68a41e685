// SPDX-License-Identifier: MIT

internal import CKafka
package import TaplinePlugin

/// A producer of messages for one topic.
///
/// **Isolation**: one thread.
@safe package final class KafkaProducer {
    private let client: KafkaClient
    private let reports: KafkaReports
    private let topic: String

    /// Creates a producer; it connects later.
    ///
    /// **Throws**: an error for settings that contradict each other, and for files that cannot be
    /// read.
    package init(
        _ properties: [KafkaProperty],
        topic: String,
        log: Log
    ) throws(KafkaError) {
        client = try KafkaClient(.producer, properties)
        reports = KafkaReports(log)
        self.topic = topic
    }

    /// The error that ended the client; `nil` if it goes on.
    package var fatalError: KafkaError? { client.fatalError }

    /// The last error that the client reported, to explain others.
    package var latestError: String? { reports.latest }

    /// Sends a message; the library copies it.
    ///
    /// - Parameters:
    ///   - value: The content.
    ///   - key: The key that selects the partition; if it is empty, there is none.
    ///   - header: The value of the header.
    ///   - name: The name of the header.
    ///   - number: Comes back with the delivery report.
    /// - Returns: The error if it cannot be sent; there is no delivery report then.
    package func send(
        _ value: Span<UInt8>,
        key: Span<UInt8>,
        header: Span<UInt8>,
        named name: String,
        number: Int
    ) -> KafkaError? {
        let code = unsafe value.withUnsafeBytes { value in
            unsafe key.withUnsafeBytes { key in
                unsafe header.withUnsafeBytes { header in
                    unsafe tapline_kafka_produce(
                        client.handle,
                        topic,
                        key.isEmpty ? nil : key.baseAddress,
                        key.count,
                        value.baseAddress,
                        value.count,
                        name,
                        header.baseAddress,
                        header.count,
                        number
                    )
                }
            }
        }
        return code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(code)
    }

    /// Waits for delivery reports, and hands on those that have come.
    ///
    /// - Parameters:
    ///   - milliseconds: The longest wait for the first of them.
    ///   - report: Is called with the number and the error of each message.
    package func wait(_ milliseconds: Int32, _ report: (Int, KafkaError?) -> Void) {
        guard let event = client.event(within: milliseconds) else { return }
        if reports.handle(event) { return }
        switch event.kind {
        case RD_KAFKA_EVENT_DR:
            while let message = unsafe rd_kafka_event_message_next(event.pointer) {
                let code = unsafe message.pointee.err
                let number = Int(clamping: unsafe tapline_kafka_number(message))
                report(number, code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(code))
            }
        case RD_KAFKA_EVENT_ERROR:
            if let error = event.error { reports.write(.warning, error.message) }
        default: break
        }
    }
}
