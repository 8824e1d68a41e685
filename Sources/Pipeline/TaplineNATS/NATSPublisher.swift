// SPDX-License-Identifier: MIT

internal import CNATS
internal import Synchronization
internal import TaplineSystem

/// Publishes messages to a stream and waits for their acknowledgements, many at a time.
///
/// **Isolation**: one thread.
@safe
package final class NATSPublisher {
    /// What became of the messages since the last wait.
    package struct Outcome: Sendable {
        /// How many the stream had already.
        package var duplicates = 0
        /// The messages that are not stored, by their id.
        package var failures: [String: NATSError] = [:]
        /// How many got no answer, whose ids are unknown.
        package var unanswered = 0

        package init() {}
    }

    private let connection: NATSConnection
    private let context: OpaquePointer
    private let stream: String
    private let answers: PublishAnswers
    private let reference: Unmanaged<PublishAnswers>

    /// - Parameters:
    ///   - connection: The connection.
    ///   - stream: The stream that has to store the messages.
    ///   - maxPending: How many messages may wait for their acknowledgement.
    /// - Throws: `NATSError` if the library cannot.
    package init(
        _ connection: NATSConnection,
        stream: String,
        maxPending: Int
    ) throws(NATSError) {
        self.connection = connection
        self.stream = stream
        answers = PublishAnswers()
        unsafe reference = Unmanaged.passRetained(answers)
        var context: OpaquePointer?
        let status = unsafe tapline_nats_context(
            &context,
            connection.connection,
            connection.timeout,
            Int64(maxPending),
            { _, message, answer, error, closure in
                unsafe PublishAnswers.received(message, answer, error, closure)
            },
            reference.toOpaque()
        )
        guard status == NATS_OK, let made = unsafe context else {
            unsafe reference.release()
            throw NATSError("cannot use JetStream", status)
        }
        unsafe self.context = made
    }

    deinit {
        let (context, reference) = unsafe (context, reference)
        let answers = answers
        connection.afterClose {
            unsafe jsCtx_Destroy(context)
            // With messages that wait, the handler may be running, and nothing says when it has ended.
            if answers.isComplete { unsafe reference.release() }
        }
    }

    /// Begins to publish a message.
    ///
    /// - Parameters:
    ///   - subject: The subject, with a zero byte at its end.
    ///   - id: The message id, with a zero byte at its end.
    ///   - payload: The payload.
    /// - Throws: `NATSError` if it is not sent; then it is not part of the outcome.
    package func publish(
        subject: [UInt8],
        id: [UInt8],
        _ payload: Span<UInt8>
    ) throws(NATSError) {
        guard let length = Int32(exactly: payload.count) else { throw tooLarge(payload.count) }
        answers.expect()
        let status = unsafe payload.withUnsafeBytes { bytes in
            unsafe tapline_nats_publish(
                context,
                subject,
                id,
                stream,
                bytes.baseAddress,
                length,
                connection.timeout
            )
        }
        guard status != NATS_OK else { return }
        answers.retract()
        throw status == NATS_MAX_PAYLOAD
            ? tooLarge(payload.count) : NATSError("cannot publish", status)
    }

    private func tooLarge(_ size: Int) -> NATSError {
        NATSError(
            .tooLarge,
            "the record has \(size) bytes, and the server accepts \(connection.maxPayload) in a "
                + "message"
        )
    }

    /// How long messages with this timeout may take, in milliseconds.
    private static func longest(_ timeout: Int64) -> Int64 {
        2 * min(max(timeout, 0), NATSKeys.maxTimeout) + 1000
    }

    /// Waits until all messages are acknowledged or have failed.
    ///
    /// Each message fails after the timeout of the connection, so this takes little longer.
    package func wait() -> Outcome { answers.wait(milliseconds: Self.longest(connection.timeout)) }
}

/// The answers to published messages, which arrive on threads of the library.
private final class PublishAnswers: Sendable {
    private struct State {
        var waiting = 0
        var isAwaited = false
        var outcome = NATSPublisher.Outcome()
    }

    private let state = Mutex(State())
    private let complete = ThreadEvent()

    var isComplete: Bool { state.withLock { $0.waiting == 0 } }

    /// A message is about to be published.
    func expect() { state.withLock { $0.waiting += 1 } }

    /// The last message was not published.
    func retract() { state.withLock { $0.waiting -= 1 } }

    func wait(milliseconds: Int64) -> NATSPublisher.Outcome {
        let end = SteadyClock.microseconds + milliseconds * 1000
        while true {
            let isComplete = state.withLock { state -> Bool in
                state.isAwaited = state.waiting > 0
                return state.waiting == 0
            }
            guard !isComplete, complete.take(until: end) else { break }
        }
        return state.withLock { state in
            state.isAwaited = false
            state.outcome.unanswered = state.waiting
            defer { state.outcome = NATSPublisher.Outcome() }
            return state.outcome
        }
    }

    private func arrived(isDuplicate: Bool, failure: (id: String, error: NATSError)?) {
        let isLast = state.withLock { state -> Bool in
            state.waiting -= 1
            if isDuplicate { state.outcome.duplicates += 1 }
            if let failure { state.outcome.failures[failure.id] = failure.error }
            return state.waiting == 0 && state.isAwaited
        }
        if isLast { complete.signal() }
    }

    /// The handler of the library, which owns the message.
    @unsafe
    static func received(
        _ message: OpaquePointer?,
        _ answer: UnsafeMutablePointer<jsPubAck>?,
        _ error: UnsafeMutablePointer<jsPubAckErr>?,
        _ closure: UnsafeMutableRawPointer?
    ) {
        defer { unsafe natsMsg_Destroy(message) }
        guard let closure = unsafe closure else { return }
        let answers = unsafe Unmanaged<PublishAnswers>.fromOpaque(closure).takeUnretainedValue()
        guard let error = unsafe error?.pointee else {
            let isDuplicate = unsafe answer?.pointee.Duplicate ?? false
            return answers.arrived(isDuplicate: isDuplicate, failure: nil)
        }
        let id = unsafe message.flatMap { unsafe tapline_nats_message_id($0) }
        let text = unsafe error.ErrText.map { unsafe String(cString: $0) } ?? ""
        let failure = unsafe NATSError("not stored", error.Err, error.ErrCode, text: text)
        let name = unsafe id.map { unsafe String(cString: $0) } ?? ""
        answers.arrived(isDuplicate: false, failure: (name, failure))
    }
}
