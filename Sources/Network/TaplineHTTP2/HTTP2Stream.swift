// SPDX-License-Identifier: MIT

internal import CNGHTTP2
package import TaplineHTTP
package import TaplineModel

/// The exact size of one direction of a stream.
@frozen
package struct HTTP2StreamBytes: Sendable, Equatable {
    /// HEADERS and CONTINUATION frames as on the wire: compressed, with the frames' heads.
    package var headers = 0
    /// The names and values before compression, with pseudo-fields.
    package var fields = 0
    /// DATA frames as on the wire, with their heads and padding.
    package var body = 0
    /// The content in the DATA frames.
    package var content = 0

    /// Makes counts of zero.
    package init() {}

    init(_ count: tapline_h2_count) {
        headers = Int(clamping: count.headers)
        fields = Int(clamping: count.fields)
        body = Int(clamping: count.body)
        content = Int(clamping: count.content)
    }
}

/// A stream of an HTTP/2 connection: one exchange.
///
/// What is sent on a closed stream is discarded.
///
/// **Isolation**: that of the session.
@safe
package final class HTTP2Stream {
    /// The stream's number.
    package let id: Int32
    /// The owner; released when the stream is closed.
    package var owner: (any HTTP2StreamOwner)? {
        get { handler }
        set { handler = newValue }
    }
    /// The protocol of an extended CONNECT, such as `websocket` (RFC 8441); otherwise empty.
    package internal(set) var connectProtocol = ByteString()
    /// Whether the stream is closed, so that nothing is sent or received any more.
    package var isClosed: Bool { wasClosed }
    // Package properties are checked for exclusivity at each access, so these are stored separately.
    private var handler: (any HTTP2StreamOwner)?
    private var wasClosed = false

    /// The part that nghttp2's callbacks use; freed with the stream.
    let pointer: UnsafeMutablePointer<tapline_h2_stream>
    /// The session, which clears this before it is released.
    private var session: Unmanaged<HTTP2Session>?
    /// What was received so far.
    var reception: HTTP2Reception
    /// The properties of the request that the response depends on.
    let kind: RequestKind
    /// Whether the stream was reset by us, so that nothing is delivered any more except the close.
    private(set) var isReset = false
    /// The code of our reset.
    private var resetCode = HTTP2ErrorCode.noError
    /// Whether the owner was notified of an invalid message.
    private(set) var isMalformed = false
    private var hasSentHead: Bool
    /// The trailers that are sent after the content.
    private(set) var trailers = FieldSection()

    /// Makes a stream; it belongs to the session until `finish`.
    init(
        _ pointer: UnsafeMutablePointer<tapline_h2_stream>,
        _ session: HTTP2Session,
        kind: RequestKind,
        reception: HTTP2Reception,
        hasSentHead: Bool
    ) {
        unsafe self.pointer = pointer
        unsafe id = pointer.pointee.id
        unsafe self.session = Unmanaged.passUnretained(session)
        self.kind = kind
        self.reception = reception
        self.hasSentHead = hasSentHead
        unsafe pointer.pointee.owner = Unmanaged.passRetained(self).toOpaque()
    }

    deinit {
        unsafe tapline_h2_stream_free(pointer)
    }

    /// The received bytes.
    package var receivedBytes: HTTP2StreamBytes {
        unsafe HTTP2StreamBytes(pointer.pointee.received)
    }
    /// The sent bytes: those that `takeOutput` has returned.
    package var sentBytes: HTTP2StreamBytes { unsafe HTTP2StreamBytes(pointer.pointee.sent) }
    /// The number of bytes of content that were not sent yet.
    package var pendingBytes: Int { unsafe pointer.pointee.count }

    /// Whether more content should be sent now; after `false`, `streamDrained` follows.
    package var isWritable: Bool {
        if unsafe pointer.pointee.count < pointer.pointee.mark { return true }
        unsafe pointer.pointee.was_full = 1
        return false
    }

    /// Whether the end of our message was sent.
    package var hasSentEnd: Bool { unsafe pointer.pointee.has_sent_end != 0 }

    /// Whether our reset waits until the end of our message was sent.
    private var resetWaits: Bool { unsafe pointer.pointee.resets_at_end != 0 && !hasSentEnd }

    /// The session, unless nothing can be sent any more.
    private var sender: HTTP2Session? {
        isClosed || isReset ? nil : unsafe session?.takeUnretainedValue()
    }

    /// Sends an interim response (server role).
    ///
    /// - Throws: Why the response cannot be written; nothing was sent.
    package func send(interim: InterimResponse, via: ByteString? = nil) throws(HTTPError) {
        guard let sender, !hasSentHead else { return }
        try sender.writer.write(interim, via: via)
        sender.submit(self, .interim)
    }

    /// Sends the head of the final response (server role).
    ///
    /// - Parameters:
    ///   - response: The response; fields of an HTTP/1 connection are omitted.
    ///   - writing: How it is written, as for HTTP/1; `connection` is ignored, and of the framings
    ///     only a length is written.
    ///   - ends: Whether the message ends with its head.
    /// - Throws: Why the response cannot be written; nothing was sent.
    package func send(
        _ response: borrowing Response,
        _ writing: ResponseWriting,
        ends: Bool
    ) throws(HTTPError) {
        guard let sender, !hasSentHead else { return }
        try sender.writer.write(response, writing)
        hasSentHead = true
        sender.submit(self, .response(ends: ends))
    }

    /// Sends content; it is copied.
    package func send(content: Span<UInt8>) {
        guard let sender, hasSentHead, unsafe pointer.pointee.ends == 0 else { return }
        let isKept = unsafe content.withUnsafeBufferPointer {
            unsafe tapline_h2_enqueue(pointer, $0.baseAddress, $0.count) != 0
        }
        guard isKept else { return reset(.internalError) }
        sender.resume(self)
    }

    /// Ends the message, with trailers if there are any.
    ///
    /// - Throws: Why the trailers cannot be written; the message has not ended then.
    package func end(trailers: borrowing FieldSection = FieldSection()) throws(HTTPError) {
        guard let sender, hasSentHead, unsafe pointer.pointee.ends == 0 else { return }
        if !trailers.isEmpty {
            try sender.writer.write(trailers: trailers, sender.role.sentSide)
            if !sender.writer.lines.isEmpty {
                self.trailers = copy trailers
                unsafe pointer.pointee.has_trailers = 1
            }
        }
        unsafe pointer.pointee.ends = 1
        sender.resume(self)
    }

    /// Resets the stream; what was not sent yet is discarded, and so is what is received from now
    /// on.
    ///
    /// With `noError`, a message of ours that was ended is sent before: an early response, whose
    /// request need not be sent any more (RFC 9113 §8.1). `closed` of the owner follows when the
    /// reset was sent. While it waits for that, a reset with an error replaces it.
    package func reset(_ code: HTTP2ErrorCode) {
        guard !isClosed, !isReset || resetWaits && code != .noError else { return }
        guard let session = unsafe session?.takeUnretainedValue() else { return }
        isReset = true
        resetCode = code
        let isUnsent = unsafe pointer.pointee.ends != 0 && !hasSentEnd
        if code == .noError, isUnsent {
            unsafe pointer.pointee.resets_at_end = 1
        } else {
            unsafe pointer.pointee.resets_at_end = 0
            session.submitReset(id, code)
        }
    }

    /// Notifies the owner once of an invalid message.
    func noteMalformed(_ error: HTTPError) {
        guard !isMalformed else { return }
        isMalformed = true
        owner?.malformed(error)
    }

    /// Gives credit back for received content, so that the peer may send as much more.
    ///
    /// The close of a stream gives the rest back to the connection.
    package func consumed(_ count: Int) {
        guard !isClosed, count > 0 else { return }
        unsafe session?.takeUnretainedValue().consume(self, count)
    }

    /// Ends the stream's relation to the session, and notifies the owner.
    func finish(_ code: HTTP2ErrorCode, isUnprocessed: Bool) {
        guard !isClosed else { return }
        wasClosed = true
        unsafe session = nil
        let last = owner
        owner = nil
        last?.closed(isReset ? resetCode : code, isUnprocessed: isUnprocessed)
    }

    /// Forgets the session, which is being released, and the owner, which may retain the stream.
    func detach() {
        wasClosed = true
        owner = nil
        unsafe session = nil
    }
}
