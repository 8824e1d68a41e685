// SPDX-License-Identifier: MIT

internal import CNATS

/// What is known of a stream.
package struct NATSStream: Sendable {
    /// The subjects that it stores.
    package var subjects: [String]
    /// The number of stored messages.
    package var messages: Int
    /// How long the server recognises a message id that it has stored, in microseconds.
    package var duplicateWindow: Int64
}

/// What a missing stream is created with.
package struct NATSStreamSettings: Sendable {
    /// Whether messages are kept in the memory of the servers, and not in files.
    package var isInMemory = false
    /// Whether a full stream refuses new messages, instead of removing the oldest.
    package var refusesWhenFull = true
    /// The number of servers that keep each message.
    package var replicas = 1
    /// The limit of all messages together, in bytes.
    package var maxBytes: Int?
    /// The limit of the number of messages.
    package var maxMessages: Int?
    /// How long messages are kept, in microseconds.
    package var maxAge: Int64?
    /// How long message ids are remembered, in microseconds.
    package var duplicateWindow: Int64 = 120_000_000

    /// The defaults.
    package init() {}
}

/// What is known of a consumer.
package struct NATSConsumer: Sendable {
    /// How long the server waits for an acknowledgement, in microseconds.
    package var ackWait: Int64
    /// Whether each message is acknowledged by itself.
    package var isExplicit: Bool
    /// Whether it delivers by itself, instead of on request.
    package var isPush: Bool
    /// The subjects that it selects; empty for all.
    package var filter: String
    /// The number of messages that have not been delivered.
    package var pending: Int
    /// The number of messages that are delivered and not acknowledged.
    package var unacknowledged: Int
}

/// What a missing consumer is created with.
package struct NATSConsumerSettings: Sendable {
    /// The subjects that it selects; `nil` for all.
    package var filter: String?
    /// Whether it begins with the next message, instead of the first one.
    package var startsAtEnd = false
    /// How long the server waits for an acknowledgement, in microseconds.
    package var ackWait: Int64 = 30_000_000
    /// How many messages may be delivered and not acknowledged.
    package var maxUnacknowledged = 20_000

    /// The defaults.
    package init() {}
}

extension NATSConnection {
    /// Asks for a stream; `nil` if it does not exist.
    package func stream(_ name: String) throws(NATSError) -> NATSStream? {
        var info: UnsafeMutablePointer<jsStreamInfo>?
        var code = jsErrCode(0)
        let status = unsafe js_GetStreamInfo(&info, context, name, nil, &code)
        if code == JSStreamNotFoundErr { return nil }
        try NATSError.check("stream '\(name)'", status, code)
        defer { unsafe jsStreamInfo_Destroy(info) }
        guard let found = unsafe info?.pointee, let config = unsafe found.Config?.pointee else {
            throw NATSError(.other, "stream '\(name)': no answer")
        }
        var subjects: [String] = []
        for index in 0..<Int(max(unsafe config.SubjectsLen, 0)) {
            guard let subject = unsafe config.Subjects?[index] else { continue }
            subjects.append(unsafe String(cString: subject))
        }
        return NATSStream(
            subjects: subjects,
            messages: Int(clamping: unsafe found.State.Msgs),
            duplicateWindow: unsafe config.Duplicates / 1000
        )
    }

    /// Creates a stream for one subject, possibly with wildcards.
    package func addStream(
        _ name: String,
        subject: String,
        _ settings: NATSStreamSettings
    ) throws(NATSError) {
        let limits = tapline_nats_stream(
            in_memory: settings.isInMemory ? 1 : 0,
            discards_new: settings.refusesWhenFull ? 1 : 0,
            replicas: Int64(settings.replicas),
            max_bytes: settings.maxBytes.map { Int64($0) } ?? -1,
            max_messages: settings.maxMessages.map { Int64($0) } ?? -1,
            max_age: nanoseconds(settings.maxAge ?? 0),
            duplicate_window: nanoseconds(settings.duplicateWindow)
        )
        var code = jsErrCode(0)
        let status = unsafe tapline_nats_add_stream(context, name, subject, limits, &code)
        try NATSError.check("cannot create the stream '\(name)'", status, code)
    }

    /// Asks for a consumer; `nil` if it does not exist.
    package func consumer(
        _ name: String,
        of stream: String
    ) throws(NATSError) -> NATSConsumer? {
        var info: UnsafeMutablePointer<jsConsumerInfo>?
        var code = jsErrCode(0)
        let status = unsafe js_GetConsumerInfo(&info, context, stream, name, nil, &code)
        if code == JSConsumerNotFoundErr { return nil }
        try NATSError.check("consumer '\(name)' of '\(stream)'", status, code)
        defer { unsafe jsConsumerInfo_Destroy(info) }
        guard let found = unsafe info?.pointee, let config = unsafe found.Config?.pointee else {
            throw NATSError(.other, "consumer '\(name)': no answer")
        }
        let filter = unsafe config.FilterSubject
        return NATSConsumer(
            ackWait: unsafe config.AckWait / 1000,
            isExplicit: unsafe config.AckPolicy == js_AckExplicit,
            isPush: unsafe config.DeliverSubject.map { unsafe $0.pointee != 0 } ?? false,
            filter: unsafe filter.map { unsafe String(cString: $0) } ?? "",
            pending: Int(clamping: unsafe found.NumPending),
            unacknowledged: Int(clamping: unsafe found.NumAckPending)
        )
    }

    /// Creates a durable consumer that delivers on request, with explicit acknowledgements.
    package func addConsumer(
        _ name: String,
        of stream: String,
        _ settings: NATSConsumerSettings
    ) throws(NATSError) {
        var code = jsErrCode(0)
        let status = unsafe tapline_nats_add_consumer(
            context,
            stream,
            name,
            settings.filter,
            settings.startsAtEnd ? 1 : 0,
            nanoseconds(settings.ackWait),
            Int64(settings.maxUnacknowledged),
            &code
        )
        try NATSError.check("cannot create the consumer '\(name)' of '\(stream)'", status, code)
    }

    private func nanoseconds(_ microseconds: Int64) -> Int64 {
        let (count, isTooLarge) = microseconds.multipliedReportingOverflow(by: 1000)
        return isTooLarge ? .max : count
    }
}
