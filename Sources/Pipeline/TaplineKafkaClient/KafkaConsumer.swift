// SPDX-License-Identifier: MIT

internal import CKafka
internal import Synchronization
internal import TaplineModel
package import TaplinePlugin
internal import TaplineSystem

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A received message.
package struct KafkaMessage: Sendable {
    /// Where it was.
    package let partition: KafkaPartition
    /// Its position in the partition.
    package let offset: Int64
    /// The content; `nil` for a message that deletes a key.
    package let value: [UInt8]?
}

/// What happens to a consumer.
package enum KafkaConsumerEvent: Sendable {
    /// A message has come.
    case message(KafkaMessage)
    /// All messages of a partition have been received so far.
    case reachedEnd(KafkaPartition)
    /// The group has given these partitions to the consumer.
    case assigned([KafkaPartition])
    /// The group takes these partitions away; the group waits for `completeRevocation`.
    ///
    /// If they are lost, another consumer may already have them, and nothing can be committed.
    case revoked([KafkaPartition], isLost: Bool)
    /// A commit has ended.
    case committed(KafkaError?)
    /// An error of the group, of a topic or of a partition.
    case failed(KafkaError, isFatal: Bool)
}

/// A member of a group of consumers, which share the partitions of topics.
///
/// Nothing is committed unless the owner does it.
///
/// **Isolation**: one thread, besides `waker`. The owner polls it all the time, also while it is
/// paused, since the group excludes members that do not (`max.poll.interval.ms`).
@safe package final class KafkaConsumer {
    private let client: KafkaClient
    private let reports: KafkaReports
    /// Ends a wait of `event`.
    package let waker: KafkaWaker
    /// The topic of the last message, so that not every message makes a text.
    private var topic = KafkaPartition("", 0)
    private var topicName: [CChar] = [0]
    /// The partitions whose revocation is not complete.
    private var leaving: [KafkaPartition] = []

    /// Creates a consumer that joins its group when it is polled.
    ///
    /// **Throws**: an error for settings that contradict each other, for files that cannot be read,
    /// and for invalid names of topics.
    package init(
        _ properties: [KafkaProperty],
        topics: [String],
        log: Log
    ) throws(KafkaError) {
        client = try KafkaClient(.consumer, properties)
        reports = KafkaReports(log)
        waker = unsafe KafkaWaker(client.queue)
        guard let list = KafkaPartitionList(topics.map { KafkaPartition($0, -1) }) else { return }
        let code = unsafe rd_kafka_subscribe(client.handle, list.pointer)
        if code != RD_KAFKA_RESP_ERR_NO_ERROR { throw KafkaError(code) }
    }

    deinit { waker.invalidate() }

    /// The last error that the client reported, to explain others.
    package var latestError: String? { reports.latest }

    /// Logs a problem, unless it was logged a short time ago.
    package func warn(_ text: String) { reports.write(.warning, text) }

    /// The next event; `nil` if there is none in time, or if the wait was ended.
    package func event(within milliseconds: Int32) -> KafkaConsumerEvent? {
        guard let event = client.event(within: milliseconds) else { return nil }
        return decode(event)
    }

    private func decode(_ event: borrowing KafkaEvent) -> KafkaConsumerEvent? {
        if reports.handle(event) { return nil }
        switch event.kind {
        case RD_KAFKA_EVENT_FETCH: return message(event)
        case RD_KAFKA_EVENT_REBALANCE: return rebalance(event)
        case RD_KAFKA_EVENT_OFFSET_COMMIT: return .committed(event.error)
        case RD_KAFKA_EVENT_ERROR: return failure(event)
        default: return nil
        }
    }

    private func message(_ event: borrowing KafkaEvent) -> KafkaConsumerEvent? {
        guard let pointer = unsafe rd_kafka_event_message_next(event.pointer) else { return nil }
        let message = unsafe pointer.pointee
        guard unsafe message.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
            return .failed(KafkaError(unsafe message.err), isFatal: false)
        }
        let name = unsafe rd_kafka_topic_name(message.rkt)
        let isSame = unsafe topicName.withUnsafeBufferPointer { known in
            guard let known = known.baseAddress, let name = unsafe name else { return false }
            return unsafe strcmp(known, name) == 0
        }
        let number = unsafe message.partition
        if !isSame {
            let text = unsafe KafkaText.of(name)
            topic = KafkaPartition(text, number)
            topicName = Array(text.utf8CString)
        } else if topic.number != number {
            topic = KafkaPartition(topic.topic, number)
        }
        let value = unsafe message.payload.map { payload in
            unsafe Array(UnsafeRawBufferPointer(start: payload, count: Int(clamping: message.len)))
        }
        return .message(
            KafkaMessage(partition: topic, offset: unsafe message.offset, value: value)
        )
    }

    private func failure(_ event: borrowing KafkaEvent) -> KafkaConsumerEvent? {
        guard let error = event.error else { return nil }
        if error.code == RD_KAFKA_RESP_ERR__PARTITION_EOF.rawValue {
            guard let found = unsafe rd_kafka_event_topic_partition(event.pointer) else {
                return nil
            }
            defer { unsafe rd_kafka_topic_partition_destroy(found) }
            let topic = unsafe KafkaText.of(found.pointee.topic)
            return .reachedEnd(KafkaPartition(topic, unsafe found.pointee.partition))
        }
        reports.note(error)
        let isFatal = unsafe rd_kafka_event_error_is_fatal(event.pointer) != 0
        return .failed(error, isFatal: isFatal || error.isFatal)
    }
}

// MARK: - Partitions

extension KafkaConsumer {
    /// Whether the group changes owners of partitions one at a time (KIP-429).
    private var isCooperative: Bool {
        unsafe KafkaText.of(rd_kafka_rebalance_protocol(client.handle)) == "COOPERATIVE"
    }

    private func rebalance(_ event: borrowing KafkaEvent) -> KafkaConsumerEvent {
        let list = unsafe rd_kafka_event_topic_partition_list(event.pointer)
        let partitions = unsafe KafkaPartitionList.partitions(list)
        let kind = unsafe rd_kafka_event_error(event.pointer)
        if kind == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS {
            if isCooperative {
                unsafe report(rd_kafka_incremental_assign(client.handle, list))
            } else {
                report(unsafe rd_kafka_assign(client.handle, list))
            }
            return .assigned(partitions)
        }
        leaving = partitions
        return .revoked(partitions, isLost: unsafe rd_kafka_assignment_lost(client.handle) != 0)
    }

    /// Lets the group give revoked partitions to others; nothing of them may be committed any more.
    package func completeRevocation() {
        let list = KafkaPartitionList(leaving)
        leaving = []
        if isCooperative, let list {
            unsafe report(rd_kafka_incremental_unassign(client.handle, list.pointer))
        } else {
            report(unsafe rd_kafka_assign(client.handle, nil))
        }
    }

    /// Fetches no more messages of partitions; those that have been fetched are fetched again.
    package func pause(_ partitions: [KafkaPartition]) {
        guard let list = KafkaPartitionList(partitions) else { return }
        report(unsafe rd_kafka_pause_partitions(client.handle, list.pointer))
    }

    /// Fetches messages of partitions again.
    package func resume(_ partitions: [KafkaPartition]) {
        guard let list = KafkaPartitionList(partitions) else { return }
        report(unsafe rd_kafka_resume_partitions(client.handle, list.pointer))
    }

    /// How many messages of a partition are after an offset, as far as is known.
    package func lag(of partition: KafkaPartition, after offset: Int64) -> Int? {
        guard let high = end(of: partition), offset >= 0 else { return nil }
        return Int(clamping: max(0, high - offset))
    }

    /// The offset after the last message of a partition, when messages were fetched last; `nil` if it
    /// is not known.
    package func end(of partition: KafkaPartition) -> Int64? {
        var (low, high): (Int64, Int64) = (0, 0)
        let code = unsafe rd_kafka_get_watermark_offsets(
            client.handle,
            partition.topic,
            partition.number,
            &low,
            &high
        )
        return code == RD_KAFKA_RESP_ERR_NO_ERROR && high >= 0 ? high : nil
    }

    private func report(_ code: rd_kafka_resp_err_t) {
        if code != RD_KAFKA_RESP_ERR_NO_ERROR { warn(KafkaError(code).message) }
    }

    @unsafe
    private func report(_ error: OpaquePointer?) {
        guard let error = unsafe error else { return }
        warn(unsafe KafkaText.of(rd_kafka_error_string(error)))
        unsafe rd_kafka_error_destroy(error)
    }
}

// MARK: - Offsets

extension KafkaConsumer {
    /// Commits the offsets of the next messages to read; the event `committed` reports the result.
    ///
    /// - Returns: Whether a commit has begun.
    package func commit(_ offsets: [(partition: KafkaPartition, offset: Int64?)]) -> Bool {
        guard !offsets.isEmpty, let list = KafkaPartitionList(offsets) else { return false }
        let code = unsafe rd_kafka_commit_queue(
            client.handle,
            list.pointer,
            client.queue,
            nil,
            nil
        )
        report(code)
        return code == RD_KAFKA_RESP_ERR_NO_ERROR
    }

    /// Commits offsets and waits for the result, without handling other events.
    package func commit(
        _ offsets: [(partition: KafkaPartition, offset: Int64?)],
        within milliseconds: Int32
    ) -> KafkaError? {
        guard !offsets.isEmpty, let list = KafkaPartitionList(offsets) else { return nil }
        guard let queue = unsafe rd_kafka_queue_new(client.handle) else { return nil }
        defer { unsafe rd_kafka_queue_destroy(queue) }
        let code = unsafe rd_kafka_commit_queue(client.handle, list.pointer, queue, nil, nil)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { return KafkaError(code) }
        guard let pointer = unsafe rd_kafka_queue_poll(queue, milliseconds) else {
            return KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT)
        }
        return unsafe KafkaEvent(pointer).error
    }

    /// Leaves the group.
    ///
    /// - Parameters:
    ///   - milliseconds: The longest wait for the group; it notices a missing member later.
    ///   - revoked: Is called with the partitions that the group takes away.
    package func close(within milliseconds: Int, _ revoked: ([KafkaPartition], Bool) -> Void) {
        guard let queue = unsafe rd_kafka_queue_new(client.handle) else { return }
        defer { unsafe rd_kafka_queue_destroy(queue) }
        if let error = unsafe rd_kafka_consumer_close_queue(client.handle, queue) {
            return unsafe report(error)
        }
        let end = SteadyClock.microseconds.addingClamped(Int64(clamping: milliseconds) * 1000)
        while unsafe rd_kafka_consumer_closed(client.handle) == 0, SteadyClock.microseconds < end {
            guard let pointer = unsafe rd_kafka_queue_poll(queue, 20) else { continue }
            guard case .revoked(let partitions, let isLost)? = decode(unsafe KafkaEvent(pointer))
            else { continue }
            revoked(partitions, isLost)
            completeRevocation()
        }
    }
}

/// Ends a wait of a consumer.
///
/// **Isolation**: any thread, at any time; does nothing after the consumer is gone.
@safe package final class KafkaWaker: Sendable {
    @safe private struct Target: @unchecked Sendable { var queue: OpaquePointer? }

    private let target: Mutex<Target>

    @unsafe
    init(_ queue: OpaquePointer) { target = unsafe Mutex(Target(queue: queue)) }

    /// Ends the current wait, or the next one.
    package func wake() {
        target.withLock { target in
            if let queue = unsafe target.queue { unsafe rd_kafka_queue_yield(queue) }
        }
    }

    func invalidate() { target.withLock { unsafe $0.queue = nil } }
}
