// SPDX-License-Identifier: MIT

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
    package var owner: (any HTTP2StreamOwner)?
    /// The protocol of an extended CONNECT, such as `websocket` (RFC 8441); otherwise empty.
    package internal(set) var connectProtocol = ByteString()
    /// Whether the stream is closed, so that nothing is sent or received any more.
    package private(set) var isClosed = false

    init(id: Int32) {
        self.id = id
    }

    /// The received bytes.
    package var receivedBytes: HTTP2StreamBytes { HTTP2StreamBytes() }
    /// The sent bytes: those that `takeOutput` has returned.
    package var sentBytes: HTTP2StreamBytes { HTTP2StreamBytes() }
    /// The number of bytes of content that were not sent yet.
    package var pendingBytes: Int { 0 }
    /// Whether more content should be sent now; after `false`, `streamDrained` follows.
    package var isWritable: Bool { true }

    /// Sends an interim response (server role).
    package func send(interim: InterimResponse, via: ByteString? = nil) throws(HTTPError) {}

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
    ) throws(HTTPError) {}

    /// Sends content; it is copied.
    package func send(content: Span<UInt8>) {}

    /// Ends the message, with trailers if there are any.
    ///
    /// - Throws: Why the trailers cannot be written; the message has not ended then.
    package func end(trailers: borrowing FieldSection = FieldSection()) throws(HTTPError) {}

    /// Resets the stream; what was not sent yet is discarded.
    ///
    /// `closed` of the owner follows when the reset was sent.
    package func reset(_ code: HTTP2ErrorCode) {}

    /// Gives credit back for received content, so that the peer may send as much more.
    package func consumed(_ count: Int) {}
}
