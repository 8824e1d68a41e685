// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel

/// One HTTP/2 connection without sockets: frames in, events out; messages in, frames out (nghttp2).
///
/// **Isolation**: any thread, one at a time.
@safe
package final class HTTP2Session {
    /// The end of the connection that the session is.
    package enum Role: Sendable {
        /// Receives requests.
        case server
        /// Sends requests.
        case client
    }

    /// Gets the events of the connection.
    package weak var delegate: (any HTTP2SessionDelegate)?
    /// The current time in seconds of a monotonic clock; set it before `receive`, so that budgets
    /// refill.
    package var time = 0
    /// Why the connection has to be closed after its output was sent; `nil` if it does not.
    package private(set) var failure: HTTP2Failure?

    /// Makes a session, whose first output is the connection preface and the settings.
    ///
    /// - Parameters:
    ///   - role: Which end it is.
    ///   - limits: The limits of the connection.
    ///   - scheme: The scheme of requests: `http`, or `https` within TLS. The server role refuses
    ///     requests with another one only if it is neither `http` nor `https`.
    /// - Throws: `HTTP2Failure` if there is no memory.
    package init(
        _ role: Role,
        _ limits: HTTP2Limits = HTTP2Limits(),
        scheme: ByteString = "http"
    ) throws(HTTP2Failure) {}

    /// Whether the connection has ended or failed and all output was taken: close it.
    package var isFinished: Bool { false }
    /// The number of streams that are open in either direction.
    package var activeStreams: Int { 0 }
    /// The number of streams that the peer allows us to have open at a time.
    package var peerMaxStreams: Int { 100 }
    /// Whether a request can be sent now: there is no GOAWAY, and a stream is free.
    package var acceptsStreams: Bool { true }

    /// Reads input, and delivers its events.
    ///
    /// - Throws: Why the connection has to be closed after its output was sent; the streams are
    ///   closed then.
    package func receive(_ bytes: Span<UInt8>) throws(HTTP2Failure) {}

    /// Appends frames that can be sent now, about `limit` bytes; returns whether there are more.
    ///
    /// Delivers the events of streams that were drained or closed by it.
    package func takeOutput(into output: inout [UInt8], limit: Int = 64 * 1024) -> Bool { false }

    /// Sends a request (client role).
    ///
    /// - Parameters:
    ///   - request: The request; fields of an HTTP/1 connection are omitted.
    ///   - writing: How it is written, as for HTTP/1: `host` replaces the authority; of the
    ///     framings only a length is written.
    ///   - ends: Whether the message ends with its head.
    ///   - connectProtocol: The protocol of an extended CONNECT; empty for others.
    /// - Returns: The stream, whose owner is to be set; `nil` if the connection accepts no streams.
    /// - Throws: Why the request cannot be written; nothing was sent.
    package func request(
        _ request: borrowing Request,
        _ writing: RequestWriting,
        ends: Bool,
        connectProtocol: ByteString = ByteString()
    ) throws(HTTPError) -> HTTP2Stream? { nil }

    /// Announces that no new streams are accepted, and processes the existing ones.
    ///
    /// Sends GOAWAY that allows all streams under way, and after a round trip one with the last
    /// stream (RFC 9113 §6.8). The session is finished when the last stream is closed.
    package func shutdown() {}

    /// Ends the connection: sends GOAWAY with a code; streams are closed with it.
    package func goAway(_ code: HTTP2ErrorCode) {}

    /// Closes all streams, since the connection has ended; there is no more output.
    package func connectionEnded(_ code: HTTP2ErrorCode = .cancel) {}
}
