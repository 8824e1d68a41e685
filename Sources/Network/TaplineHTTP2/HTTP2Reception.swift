// SPDX-License-Identifier: MIT

internal import TaplineHTTP

/// What a stream has received of its message, and whether that is valid (RFC 9113 §8.1).
///
/// ```
/// client role: awaitingHead ─▶ body, bodiless ─▶ ended
/// server role:                 body, bodiless ─▶ ended
/// ```
struct HTTP2Reception: Sendable, Equatable {
    private enum State: Equatable {
        /// Interim responses, then the final one.
        case awaitingHead
        /// Content; `remaining` is the rest of a known length.
        case body(remaining: Int?)
        /// Neither content nor the end, after a head that allows no content.
        case bodiless
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
        Self(state(after: framing, isTunnel: isTunnel), .request)
    }

    private static func state(after framing: BodyFraming, isTunnel: Bool) -> State {
        switch framing {
        case .none: isTunnel ? .body(remaining: nil) : .bodiless
        case .length(let length): .body(remaining: length)
        case .chunked, .untilClose: .body(remaining: nil)
        }
    }

    /// Why a DATA frame is refused that is received now.
    var contentError: HTTPError {
        switch state {
        case .awaitingHead:
            HTTPError(.malformedMessage, side, "a DATA frame precedes the head of the response")
        case .body(.some): HTTPError(.lengthMismatch, side)
        case .bodiless:
            HTTPError(
                .malformedMessage,
                side,
                "there is content in a response to HEAD, or with a status that allows none"
            )
        case .body(nil), .ended: HTTPError(.malformedMessage, side)
        }
    }

    /// Returns what a list of fields is that was received now.
    func fieldsReceived(ends: Bool) throws(HTTPError) -> List {
        switch state {
        case .awaitingHead: return .head
        case .body, .bodiless:
            // RFC 9113 §8.1: trailers end the message.
            guard ends else {
                throw HTTPError(.malformedMessage, side, "the trailers do not end the message")
            }
            return .trailers
        case .ended: throw HTTPError(.malformedMessage, side)
        }
    }

    /// The list was the head of the final response.
    mutating func finalHeadReceived(_ framing: BodyFraming, isTunnel: Bool) {
        state = Self.state(after: framing, isTunnel: isTunnel)
    }

    /// Content was received.
    mutating func contentReceived(_ count: Int) throws(HTTPError) {
        switch state {
        case .body(nil): return
        case .body(let remaining?):
            guard count <= remaining else { throw contentError }
            state = .body(remaining: remaining - count)
        case .awaitingHead, .bodiless, .ended: throw contentError
        }
    }

    /// The message has ended.
    mutating func endReceived() throws(HTTPError) {
        switch state {
        case .body(nil), .body(0?), .bodiless: state = .ended
        case .awaitingHead, .body, .ended: throw contentError
        }
    }
}
