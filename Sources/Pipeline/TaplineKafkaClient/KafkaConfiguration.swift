// SPDX-License-Identifier: MIT

internal import CKafka
internal import TaplineSystem

/// A setting of librdkafka, by the library's own name.
package struct KafkaProperty: Sendable, Equatable {
    /// The name, such as `linger.ms`.
    package let name: String
    /// The value as text.
    package let value: String

    /// Creates a setting.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Returns why the library refuses the setting; `nil` if it accepts it.
    ///
    /// The library has to be loaded. It opens no file and no connection; files are read when a client
    /// is made. The text may contain the value.
    package var problem: String? {
        if name == "partition.assignment.strategy", value.contains("cooperative-sticky"),
            rd_kafka_version() < Self.safeStickiness
        {
            return "before version 2.3 it aborts the process when a member with cooperative-sticky "
                + "ends"
        }
        let configuration = unsafe rd_kafka_conf_new()
        defer { unsafe rd_kafka_conf_destroy(configuration) }
        do throws(KafkaError) {
            try unsafe set(in: configuration)
            return nil
        } catch {
            return error.message
        }
    }

    /// The first version whose members can end with the strategy cooperative-sticky.
    ///
    /// Before, `rd_kafka_cgrp_destroy_final` asserts that a member has been the leader.
    private static let safeStickiness: Int32 = 0x0203_00FF

    @unsafe
    fileprivate func set(in configuration: OpaquePointer?) throws(KafkaError) {
        // C text ends at the first zero byte.
        guard !name.utf8.contains(0), !value.utf8.contains(0) else {
            throw KafkaError("a name and a value cannot contain a zero byte")
        }
        var text = [CChar](repeating: 0, count: 512)
        let result = unsafe rd_kafka_conf_set(configuration, name, value, &text, text.count)
        if result != RD_KAFKA_CONF_OK { throw KafkaError(KafkaText.of(text)) }
    }
}

/// Texts that the library writes.
enum KafkaText {
    /// The text up to the first zero byte, without line breaks at its end.
    static func of(_ characters: [CChar]) -> String {
        let bytes = characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        var text = String(decoding: bytes, as: UTF8.self)
        while text.last?.isNewline ?? false { text.removeLast() }
        return text
    }

    /// A copy of a C text; empty if there is none.
    @unsafe
    static func of(_ characters: UnsafePointer<CChar>?) -> String {
        guard let characters = unsafe characters else { return "" }
        return unsafe String(cString: characters)
    }
}

/// A client of librdkafka, and the queue of its events.
///
/// **Isolation**: one thread. The library has threads of its own, but calls back nowhere: everything
/// it reports is an event in the queue.
@safe final class KafkaClient {
    /// The two kinds of client.
    enum Kind {
        case producer
        case consumer
    }

    let handle: OpaquePointer
    let queue: OpaquePointer
    private let kind: Kind

    /// Creates a client; it connects later.
    ///
    /// **Throws**: an error for settings that contradict each other, and for files that cannot be
    /// read.
    init(_ kind: Kind, _ properties: [KafkaProperty]) throws(KafkaError) {
        do throws(LibraryError) {
            try SharedLibrary.kafka.load()
        } catch {
            throw KafkaError(error.description)
        }
        let configuration = unsafe rd_kafka_conf_new()
        do throws(KafkaError) {
            for property in properties { try unsafe property.set(in: configuration) }
            try unsafe KafkaProperty("log.queue", "true").set(in: configuration)
        } catch {
            unsafe rd_kafka_conf_destroy(configuration)
            throw error
        }
        unsafe rd_kafka_conf_set_events(configuration, Self.events)
        var text = [CChar](repeating: 0, count: 512)
        let type = kind == .producer ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER
        guard let handle = unsafe rd_kafka_new(type, configuration, &text, text.count) else {
            // The library takes the configuration only if it succeeds.
            unsafe rd_kafka_conf_destroy(configuration)
            throw KafkaError(KafkaText.of(text))
        }
        if kind == .consumer { unsafe rd_kafka_poll_set_consumer(handle) }
        let found =
            kind == .producer
            ? unsafe rd_kafka_queue_get_main(handle) : unsafe rd_kafka_queue_get_consumer(handle)
        guard let queue = unsafe found else {
            unsafe rd_kafka_destroy_flags(handle, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE)
            throw KafkaError("the client has no queue of events")
        }
        unsafe rd_kafka_set_log_queue(handle, queue)
        unsafe self.handle = handle
        unsafe self.queue = queue
        self.kind = kind
    }

    deinit {
        unsafe rd_kafka_queue_destroy(queue)
        // A consumer has been closed before, or cannot be in time.
        unsafe rd_kafka_destroy_flags(
            handle,
            kind == .consumer ? RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE : 0
        )
    }

    private static var events: Int32 {
        RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_FETCH | RD_KAFKA_EVENT_LOG | RD_KAFKA_EVENT_ERROR
            | RD_KAFKA_EVENT_REBALANCE | RD_KAFKA_EVENT_OFFSET_COMMIT
    }

    /// The next event; `nil` if there is none in time, or if a waker ended the wait.
    func event(within milliseconds: Int32) -> KafkaEvent? {
        guard let event = unsafe rd_kafka_queue_poll(queue, milliseconds) else { return nil }
        return unsafe KafkaEvent(event)
    }

    /// The error that ended the client; `nil` if it goes on.
    var fatalError: KafkaError? {
        var text = [CChar](repeating: 0, count: 512)
        let code = unsafe rd_kafka_fatal_error(handle, &text, text.count)
        return code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(code, KafkaText.of(text))
    }
}

/// An event of a client.
@safe struct KafkaEvent: ~Copyable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe rd_kafka_event_destroy(pointer) }

    /// One of `RD_KAFKA_EVENT_…`.
    var kind: Int32 { unsafe rd_kafka_event_type(pointer) }

    /// The error that the event reports; `nil` if it reports none.
    var error: KafkaError? {
        let code = unsafe rd_kafka_event_error(pointer)
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return nil }
        return KafkaError(code, unsafe KafkaText.of(rd_kafka_event_error_string(pointer)))
    }
}
