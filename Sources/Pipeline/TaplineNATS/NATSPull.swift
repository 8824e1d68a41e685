// SPDX-License-Identifier: MIT

internal import CNATS

/// Fetches messages of a durable consumer.
///
/// **Isolation**: one thread, besides `answer`.
@safe
package final class NATSPull: @unchecked Sendable {
    private let connection: NATSConnection
    private let subscription: OpaquePointer

    /// The answers to a delivered message.
    ///
    /// **Source**: ADR-15 of NATS.
    package enum Answer: Sendable {
        /// It is done with.
        case done
        /// It is being worked on; the time for an answer begins again.
        case working
        /// It is delivered again, after a time in microseconds.
        case again(after: Int64)
        /// It is never delivered again.
        case never

        fileprivate var text: String {
            switch self {
            case .done: "+ACK"
            case .working: "+WPI"
            case .again(let delay) where delay <= 0: "-NAK"
            // In nanoseconds; a day is the most.
            case .again(let delay): "-NAK {\"delay\": \(min(delay, 86_400_000_000) * 1000)}"
            case .never: "+TERM"
            }
        }
    }

    /// Binds to a consumer that exists.
    package init(
        _ connection: NATSConnection,
        stream: String,
        consumer: String
    ) throws(NATSError) {
        self.connection = connection
        var subscription: OpaquePointer?
        var code = jsErrCode(0)
        let status = unsafe tapline_nats_pull(
            &subscription,
            connection.context,
            stream,
            consumer,
            &code
        )
        guard status == NATS_OK, let made = unsafe subscription else {
            throw NATSError("cannot use the consumer '\(consumer)' of '\(stream)'", status, code)
        }
        unsafe self.subscription = made
        // The library raises the limit of the connection to that of the consumer. The number of
        // fetched messages bounds the bytes.
        try NATSError.check(
            "cannot limit what waits",
            unsafe natsSubscription_SetPendingLimits(made, connection.maxWaiting, -1)
        )
    }

    deinit {
        _ = unsafe natsSubscription_Unsubscribe(subscription)
        let subscription = unsafe subscription
        connection.afterClose { unsafe natsSubscription_Destroy(subscription) }
    }

    /// Fetches messages.
    ///
    /// - Parameters:
    ///   - count: The most messages.
    ///   - milliseconds: How long to wait for the first one.
    ///   - body: Gets payload and reply subject of each. The payload is freed after the call.
    /// - Returns: The number of messages; 0 if there were none in time.
    /// - Throws: `NATSError` if the server or the connection refuses.
    package func fetch(
        _ count: Int,
        waiting milliseconds: Int64,
        _ body: (_ payload: Span<UInt8>, _ reply: Span<UInt8>) -> Void
    ) throws(NATSError) -> Int {
        var list = unsafe natsMsgList()
        var code = jsErrCode(0)
        let status = unsafe natsSubscription_Fetch(
            &list,
            subscription,
            Int32(clamping: count),
            max(milliseconds, 1),
            &code
        )
        if status == NATS_TIMEOUT { return 0 }
        try NATSError.check("cannot fetch", status, code)
        defer { unsafe natsMsgList_Destroy(&list) }
        let fetched = Int(unsafe list.Count)
        for index in 0..<max(fetched, 0) {
            guard let message = unsafe list.Msgs?[index] else { continue }
            unsafe Self.pass(message, body)
            // Frees the payload now, so that a batch is not in memory twice.
            unsafe natsMsg_Destroy(message)
            unsafe list.Msgs?[index] = nil
        }
        return max(fetched, 0)
    }

    @unsafe
    private static func pass(
        _ message: OpaquePointer,
        _ body: (_ payload: Span<UInt8>, _ reply: Span<UInt8>) -> Void
    ) {
        guard let reply = unsafe natsMsg_GetReply(message) else { return }
        let length = max(Int(unsafe natsMsg_GetDataLength(message)), 0)
        let payload = unsafe UnsafeRawBufferPointer(
            start: natsMsg_GetData(message),
            count: natsMsg_GetData(message) == nil ? 0 : length
        )
        let subject = unsafe UnsafeRawBufferPointer(start: reply, count: strlen(reply))
        unsafe payload.withMemoryRebound(to: UInt8.self) { payload in
            unsafe subject.withMemoryRebound(to: UInt8.self) { subject in
                body(unsafe payload.span, unsafe subject.span)
            }
        }
    }

    /// Sends an answer to each of several messages.
    ///
    /// A lost answer is not an error: the server delivers the message again.
    /// - Parameters:
    ///   - answer: The answer.
    ///   - replies: The reply subjects, with a zero byte at the end of each.
    package func answer(_ answer: Answer, _ replies: [UInt8]) {
        guard replies.last == 0 else { return }
        _ = unsafe tapline_nats_answer(
            connection.connection,
            replies,
            replies.count,
            answer.text
        )
    }
}
