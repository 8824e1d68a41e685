// SPDX-License-Identifier: MIT

/// One forwarded HTTP exchange: which events can happen, and which actions follow.
///
/// Events are method calls, and each returns the action to carry out. The machine has no sockets,
/// no clock and no bytes, and does not depend on the wire version. An HTTP/1.1 exchange, an HTTP/2
/// stream and a replayed request pass through the same states.
///
/// ```
/// begun ──┬─▶ collecting ──┐
///         └────────────────┴─▶ requestHooks ─▶ (requestPaused) ─┬─▶ connecting ─▶ awaiting ─┐
///                                                               └─ a hook has answered ─┐   │
///     ┌─────────────────────────────────────────────────────────────────────────────────│───┘
///     ├─▶ collectingResponse ──┐                                                        │
///     └────────────────────────┴─▶ responseHooks ◀──────────────────────────────────────┘
///                                        └─▶ (responsePaused) ─┬─▶ responding ─▶ streaming ─▶ ending
///                                                              │        └─▶ (written)
///                                                              └─▶ answering (another protocol)
///
/// connecting ─▶ answering ─┬─▶ tunnel                     CONNECT
///                          └─▶ opened ─▶ joining ─▶ tunnel   CONNECT that is looked into
/// ```
/// Every state may be followed by `ended`.
///
/// An exchange ends exactly once: the action that leads to `ended` is `refuse`, `finish` or
/// `endTunnel`. Every later event returns `none`, or `abandonServer` for a connection that is
/// opened too late. An event that cannot happen returns `impossible` with the reason and changes
/// nothing.
///
/// The tests' `Fixtures/exchange-states.txt` lists every event in every state.
///
/// Everything is inlined into the owner, so that an event costs a few instructions. That is why the
/// types are `@usableFromInline`: the compiler inlines no `package` method otherwise.
///
/// **Isolation**: any thread, one at a time.
@usableFromInline package struct HTTPExchangeStateMachine: ~Copyable {
    /// The state; each case holds only what exists in it.
    @usableFromInline package enum State: Equatable, Sendable {
        /// The head was read and nothing was decided.
        ///
        /// Next: `collecting`, `requestHooks`.
        case begun(RequestProgress)
        /// Hooks want the body of the request, up to `room` more bytes.
        ///
        /// Next: `requestHooks`.
        case collecting(room: Int)
        /// The `request` hooks run. Next: `requestPaused`, `connecting`, `responseHooks`.
        case requestHooks(RequestProgress)
        /// The `request` hooks have asked for a pause. Next: `connecting`, `responseHooks`.
        case requestPaused(RequestProgress, RequestVerdict)
        /// A connection to the server is being opened, or a recording answers.
        ///
        /// Next: `awaiting`, `answering`, `requestPaused`, `responseHooks`.
        case connecting(RequestProgress)
        /// The server has the head of the request. Next: `collectingResponse`, `responseHooks`,
        /// `connecting` for a second attempt.
        case awaiting(Upload, Attempt)
        /// Hooks want the body of the response, up to `room` more bytes.
        ///
        /// Next: `responseHooks`.
        case collectingResponse(Upload, room: Int)
        /// The `response` hooks run. Next: `responsePaused`, `responding`, `answering`.
        case responseHooks(Upload, Download)
        /// The `response` hooks have asked for a pause. Next: `responding`, `answering`.
        case responsePaused(Upload, Download, ResponseVerdict)
        /// The head of the response is being written, and the body if it is complete.
        ///
        /// Next: `streaming`, `ending`, `written`.
        case responding(Upload, Download, isWhole: Bool)
        /// The body of the response is forwarded as it arrives.
        ///
        /// Next: `ending`.
        case streaming(Upload)
        /// The end of the response is being written, or waits to be sent.
        case ending(Upload, Download)
        /// The response was written as a whole, and waits to be sent.
        case written(Upload, Download)
        /// The head that opens a tunnel is being written. Next: `tunnel`, `opened`.
        case answering(Opening)
        /// A client of CONNECT has its response and there is no server: the client's first bytes
        /// decide.
        ///
        /// Next: `joining`.
        case opened
        /// The tunnel passes unread, and its server is being connected.
        ///
        /// Next: `tunnel`.
        case joining
        /// Bytes are forwarded unchanged.
        ///
        /// Next: `opened`, for a SOCKS client that speaks HTTP.
        case tunnel(OpenDirections)
        /// The exchange has ended.
        case ended
    }

    /// The part of the request that has arrived before a server has it.
    @usableFromInline package enum RequestProgress: Sendable {
        /// Only the head; a body follows.
        case open
        /// A part of the body, which waits for the server.
        case held
        /// The whole request.
        case whole
        /// The whole request, which asks for a tunnel.
        case connect
    }

    /// What happens to the body of the request once there is a response or a server.
    @usableFromInline package enum Upload: Sendable {
        /// It is sent to the server as it arrives.
        case sending
        /// It is dropped: the server has another body, or no server is involved.
        case dropping
        /// It has ended.
        case sent
    }

    /// The part of the response that has arrived when hooks see it.
    @usableFromInline package enum Download: Sendable {
        /// A hook has made the response; no server was involved.
        case none
        /// A part of the response; the rest follows.
        case open
        /// The whole response.
        case whole
        /// The server speaks another protocol from now on.
        case switching
        /// The server speaks another protocol, but a hook has replaced the response.
        case refused
    }

    /// Whether a request without a response may be sent again.
    @usableFromInline package enum Attempt: Equatable, Sendable {
        /// It was sent on a kept connection, and nothing has been received.
        case repeatable
        /// It may not; `interims` interim responses have arrived.
        case final(interims: Int)
    }

    /// What follows the head that opens a tunnel.
    @usableFromInline package enum Opening: Sendable {
        /// Bytes are forwarded.
        case bytes
        /// The client's first bytes are inspected.
        case look
    }

    /// Which directions of a tunnel are open.
    @usableFromInline package enum OpenDirections: Sendable {
        case open
        /// The client sends no more.
        case clientEnded
        /// The server sends no more.
        case serverEnded
    }

    @usableFromInline package internal(set) var state: State
    /// The maximum number of interim responses.
    @usableFromInline let maxInterim: Int

    /// Makes the machine of a request whose head was read.
    @inlinable
    package init(_ kind: Kind, maxInterim: Int) {
        self.maxInterim = maxInterim
        switch kind {
        case .bodiless: state = .begun(.whole)
        case .body: state = .begun(.open)
        case .connect: state = .begun(.connect)
        }
    }

    /// Makes a machine in a state, for tests.
    init(_ state: State, maxInterim: Int) {
        self.state = state
        self.maxInterim = maxInterim
    }

    /// The kind of a request, by its head.
    @usableFromInline package enum Kind: Sendable {
        /// No body follows.
        case bodiless
        /// A body follows.
        case body
        /// CONNECT, or its equivalent in another protocol.
        case connect
    }

    /// The decision of the `request` hooks.
    @usableFromInline package enum RequestVerdict: Sendable {
        /// The request is sent to the server.
        case forward
        /// A hook has made the response.
        case respond
        /// The connection is closed.
        case abort
    }

    /// The decision of the `response` hooks, and what they have left of the response.
    @usableFromInline package enum ResponseVerdict: Sendable {
        /// The response is sent; its body is complete, or it has none.
        case whole
        /// The response is sent, and its body follows as it arrives.
        case open
        /// The response switches to another protocol.
        case switches
        /// The connection is closed.
        case abort
    }

    /// The kind of a response, by its head.
    @usableFromInline package enum ResponseKind: Sendable {
        /// No body follows.
        case bodiless
        /// A body follows.
        ///
        /// Hooks want up to `wanted` bytes of it; 0 if they want none.
        case body(wanted: Int)
        /// The connection carries another protocol from now on.
        case switches
    }
}

// MARK: - Queries of the owner

extension HTTPExchangeStateMachine {
    /// Whether the exchange has ended.
    @inlinable
    package var isEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// Whether bytes are forwarded unchanged.
    @inlinable
    package var isTunnel: Bool {
        if case .tunnel = state { true } else { false }
    }

    /// Whether no more of the request will arrive.
    @inlinable
    package var isRequestWhole: Bool {
        switch state {
        case .begun(let inbound), .requestHooks(let inbound), .requestPaused(let inbound, _),
            .connecting(let inbound):
            inbound.isWhole
        case .collecting: false
        case .awaiting(let upload, _), .collectingResponse(let upload, _),
            .responseHooks(let upload, _), .responsePaused(let upload, _, _),
            .responding(let upload, _, _), .streaming(let upload), .ending(let upload, _),
            .written(let upload, _):
            upload.isSent
        case .answering, .opened, .joining, .tunnel, .ended: true
        }
    }

    /// Whether a body is in progress and only its sender and its receiver determine its speed.
    @inlinable @inline(__always)
    package var isBodyUnderWay: Bool {
        switch state {
        case .tunnel, .ended: false
        case .collectingResponse, .streaming: true
        default:
            if !isRequestWhole, case .withheld = requestCredit { false } else { !isRequestWhole }
        }
    }

    /// Whether the client is being sent the response, whose head was written.
    @inlinable
    package var isResponding: Bool {
        switch state {
        case .streaming, .ending, .written: true
        default: false
        }
    }

    /// Whether the client may send more of its request; withheld while content waits for the
    /// server.
    @inlinable
    package var requestCredit: Credit {
        switch state {
        case .requestHooks(.held), .requestPaused(.held, _), .connecting(.held): .withheld
        case .awaiting(.sending, _), .collectingResponse(.sending, _), .responseHooks(.sending, _),
            .responsePaused(.sending, _, _), .responding(.sending, _, _), .streaming(.sending),
            .ending(.sending, _), .written(.sending, _), .tunnel:
            .whilePeerTakes
        default: .granted
        }
    }

    /// Whether the server may send more of its response; withheld while hooks pause.
    @inlinable
    package var responseCredit: Credit {
        switch state {
        case .responsePaused: .withheld
        case .streaming, .tunnel: .whilePeerTakes
        default: .granted
        }
    }

    /// Whether a peer may send more.
    @usableFromInline package enum Credit: Sendable {
        /// It may.
        case granted
        /// It may, as long as the output to the other peer does not pile up.
        case whilePeerTakes
        /// It may not.
        case withheld
    }
}

// Compared by pattern, since the synthesised operators are calls into this module.
extension HTTPExchangeStateMachine.RequestProgress {
    @inlinable var isWhole: Bool {
        switch self {
        case .whole, .connect: true
        case .open, .held: false
        }
    }
}

extension HTTPExchangeStateMachine.Upload {
    @inlinable var isSent: Bool {
        if case .sent = self { true } else { false }
    }
}
