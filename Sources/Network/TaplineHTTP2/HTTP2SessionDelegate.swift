// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel

/// The owner of a connection: gets what concerns no stream, or a stream that has no owner yet.
///
/// Methods are called after nghttp2 has returned, so they may call any method of the session and of
/// its streams except `receive` and `takeOutput`.
package protocol HTTP2SessionDelegate: AnyObject {
    /// A request's head was received (server role): set the stream's owner.
    ///
    /// Content, the end and the close of the stream follow, if there is an owner. An extended
    /// CONNECT (RFC 8441) has the method CONNECT, a target in origin-form, and `connectProtocol` of
    /// the stream.
    func opened(_ stream: HTTP2Stream, _ head: consuming RequestHead)

    /// A malformed request was refused before it had an owner (server role).
    ///
    /// The stream was already reset, or answered with the error's status. `received` is what has
    /// arrived of it.
    func refused(_ stream: Int32, _ error: HTTPError, _ received: HTTP2StreamBytes)

    /// The peer has sent GOAWAY: no new streams.
    ///
    /// Streams after the last one are closed as unprocessed, others end normally.
    func goingAway(lastStream: Int32, code: HTTP2ErrorCode)

    /// The peer has sent or acknowledged settings: `peerMaxStreams` may differ.
    func settingsChanged()

    /// There is output where there was none: call `takeOutput` later in this turn of the loop.
    func hasOutput()
}

/// The owner of a stream: an exchange's side of it.
///
/// Methods are called in this order: heads, content, `ended`; `closed` is always the last one. A
/// reset may end the stream at any point. The stream releases its owner after `closed`.
package protocol HTTP2StreamOwner: AnyObject {
    /// An interim response was received (client role): 1xx.
    func received(interim: consuming Response)
    /// The final response was received (client role).
    func received(_ head: consuming ResponseHead)
    /// Content was received; give credit back with `consumed`, at once or later.
    func received(content: Span<UInt8>)
    /// The peer has ended the message; called for each complete message, with or without content.
    func ended(_ trailers: consuming FieldSection)
    /// The stream was not writable, and is again.
    func streamDrained()
    /// What the peer sent is malformed: the stream was reset, and `closed` follows.
    func malformed(_ error: HTTPError)
    /// The stream is closed.
    ///
    /// - Parameters:
    ///   - code: `noError` if both messages are complete, or the peer needs no more of ours;
    ///     otherwise the code of the reset, whichever side sent it.
    ///   - isUnprocessed: Whether the peer has done nothing with the request, so that it may be
    ///     repeated on another connection (RFC 9113 §8.7).
    func closed(_ code: HTTP2ErrorCode, isUnprocessed: Bool)
}
