// SPDX-License-Identifier: MIT

internal import TaplineHTTP

/// What a stream has received of its message, and whether that is valid (RFC 9113 §8.1).
///
/// ```
/// client role: awaitingHead ─▶ body ─▶ ended
/// server role:                 body ─▶ ended
/// ```
struct HTTP2Reception: Sendable, Equatable {
    private enum State: Equatable {
        /// Interim responses, then the final one.
        case awaitingHead
        /// Content; `remaining` is the rest of a known length.
        case body(remaining: Int?)
        case ended
    }

    private var state: State
    private let side: HTTPError.Side

    /// What a list of fields is.
    enum List: Equatable {
        /// An interim response or the final one.
        case head
        /// Trailers, which end the message.
        case trailers
    }

    private init(_ state: State, _ side: HTTPError.Side) {
        self.state = state
        self.side = side
    }

    /// Awaits the head of a response.
    static var response: Self { Self(.awaitingHead, .response) }

    /// A request whose head was received.
    static func request(_ framing: BodyFraming, isTunnel: Bool) -> Self {
        Self(.body(remaining: length(framing, isTunnel: isTunnel)), .request)
    }

    private static func length(_ framing: BodyFraming, isTunnel: Bool) -> Int? {
        switch framing {
        case .none: isTunnel ? nil : 0
        case .length(let length): length
        case .chunked, .untilClose: nil
        }
    }

    /// A list of fields was received.
    mutating func fieldsReceived(ends: Bool) throws(HTTPError) -> List {
        switch state {
        case .awaitingHead: return .head
        case .body:
            // RFC 9113 §8.1: trailers end the message.
            guard ends else { throw HTTPError(.malformedMessage, side) }
            return .trailers
        case .ended: throw HTTPError(.malformedMessage, side)
        }
    }

    /// The list was the head of the final response.
    mutating func finalHeadReceived(_ framing: BodyFraming, isTunnel: Bool) {
        state = .body(remaining: Self.length(framing, isTunnel: isTunnel))
    }

    /// Content was received.
    mutating func contentReceived(_ count: Int) throws(HTTPError) {
        switch state {
        case .body(nil): return
        case .body(let remaining?):
            guard count <= remaining else { throw HTTPError(.lengthMismatch, side) }
            state = .body(remaining: remaining - count)
        case .awaitingHead, .ended: throw HTTPError(.malformedMessage, side)
        }
    }

    /// The message has ended.
    mutating func endReceived() throws(HTTPError) {
        switch state {
        case .body(nil), .body(0?): state = .ended
        case .body: throw HTTPError(.lengthMismatch, side)
        case .awaitingHead, .ended: throw HTTPError(.malformedMessage, side)
        }
    }
}
