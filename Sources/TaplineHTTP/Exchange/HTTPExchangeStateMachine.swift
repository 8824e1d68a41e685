// SPDX-License-Identifier: MIT

/// One HTTP exchange that is passed on: what can happen to it, and what follows.
///
/// Events come in as method calls and each returns the action to carry out. The machine has no
/// sockets, no clock and no bytes, and does not know the wire version: an exchange of HTTP/1.1, a
/// stream of HTTP/2 and a replayed request pass through the same states.
///
/// ```
/// begun ──┬─▶ collecting ──┐
///         └────────────────┴─▶ requestHooks ─▶ (requestPaused) ─┬─▶ connecting ─▶ awaiting ─┐
///                                                               └─ a hook has answered ─┐   │
///     ┌─────────────────────────────────────────────────────────────────────────────────│───┘
///     ├─▶ collectingResponse ──┐                                                        │
///     └────────────────────────┴─▶ responseHooks ◀──────────────────────────────────────┘
///                                        └─▶ (responsePaused) ─┬─▶ responding ─▶ streaming ─▶ ending
///                                                              └─▶ answering (another protocol)
///
/// connecting ─▶ answering ─┬─▶ tunnel                     CONNECT
///                          └─▶ opened ─▶ joining ─▶ tunnel   CONNECT that is looked into
/// ```
/// Every state may be followed by `ended`.
///
/// An exchange ends exactly once: the action that leads to `ended` is `refuse`, `finish` or
/// `endTunnel`. Every later event returns `none`, or `abandonServer` for a connection that comes too
/// late. An event that cannot happen returns `impossible` with the reason and changes nothing.
///
/// The tests' `Fixtures/exchange-states.txt` lists every event in every state.
///
/// Everything is inlined into the owner, so that an event costs a few instructions: the types are
/// `@usableFromInline` for that, without which the compiler inlines no `package` method.
///
/// **Isolation**: any thread, one at a time.
@usableFromInline package struct HTTPExchangeStateMachine: ~Copyable {
    /// The state; each case holds what exists in it and nothing else.
    @usableFromInline package enum State: Equatable, Sendable {
        /// The head was read and nothing was decided. Next: `collecting`, `requestHooks`.
        case begun(Inbound)
        /// Hooks want the body of the request, up to so many more bytes. Next: `requestHooks`.
        case collecting(room: Int)
        /// The `request` hooks run. Next: `requestPaused`, `connecting`, `responseHooks`.
        case requestHooks(Inbound)
        /// The `request` hooks have asked for a pause. Next: `connecting`, `responseHooks`.
        case requestPaused(Inbound, RequestVerdict)
        /// A connection to the server is being opened. Next: `awaiting`, `answering`.
        case connecting(Inbound)
        /// The server has the head of the request. Next: `collectingResponse`, `responseHooks`,
        /// `connecting` for a second attempt.
        case awaiting(Upload, Attempt)
        /// Hooks want the body of the response, up to so many more bytes. Next: `responseHooks`.
        case collectingResponse(Upload, room: Int)
        /// The `response` hooks run. Next: `responsePaused`, `responding`, `answering`.
        case responseHooks(Upload, Download)
        /// The `response` hooks have asked for a pause. Next: `responding`, `answering`.
        case responsePaused(Upload, Download, ResponseVerdict)
        /// The head of the response is being written, and the body if it is whole. Next:
        /// `streaming`, `ending`.
        case responding(Upload, Download, isWhole: Bool)
        /// The body of the response passes as it comes. Next: `ending`.
        case streaming(Upload)
        /// The end of the response is being written.
        case ending(Upload, Download)
        /// The head that opens a tunnel is being written. Next: `tunnel`, `opened`.
        case answering(Opening)
        /// A client of CONNECT has its answer and there is no server: what the client says first
        /// decides. Next: `joining`.
        case opened
        /// The tunnel leads to the server after all, which is being connected to. Next: `tunnel`.
        case joining
        /// Bytes pass as they are. Next: `opened`, for a client of SOCKS that speaks HTTP.
        case tunnel(Halves)
        /// The exchange is over.
        case ended
    }

    /// What has come of the request before a server has it.
    @usableFromInline package enum Inbound: Sendable {
        /// The head alone; a body follows.
        case open
        /// A part of the body, which waits for the server.
        case held
        /// Everything.
        case whole
        /// Everything, and it asks for a tunnel.
        case connect
    }

    /// Where the body of the request goes once there is an answer or a server.
    @usableFromInline package enum Upload: Sendable {
        /// To the server, as it comes.
        case sending
        /// Nowhere: the server has another body, or none is asked.
        case dropping
        /// It has come to its end.
        case sent
    }

    /// What has come of the response that hooks see.
    @usableFromInline package enum Download: Sendable {
        /// A hook has made the response; no server was asked.
        case none
        /// A part; the rest follows.
        case open
        /// Everything.
        case whole
        /// The server speaks another protocol from here on.
        case switching
        /// The server speaks another protocol, but a hook has answered otherwise.
        case refused
    }

    /// Whether a request that got no answer may be sent again.
    @usableFromInline package enum Attempt: Equatable, Sendable {
        /// It went out on a connection that was kept, and nothing has come back.
        case repeatable
        /// It may not; so many interim responses have come.
        case final(interims: Int)
    }

    /// What follows the head that opens a tunnel.
    @usableFromInline package enum Opening: Sendable {
        /// Bytes pass.
        case bytes
        /// The client is listened to.
        case look
    }

    /// Which directions of a tunnel are open.
    @usableFromInline package enum Halves: Sendable {
        case open
        /// The client sends no more.
        case clientEnded
        /// The server sends no more.
        case serverEnded
    }

    @usableFromInline package internal(set) var state: State
    /// How many interim responses may pass.
    @usableFromInline let maxInterim: Int

    /// The machine of a request whose head was read.
    @inlinable
    package init(_ kind: Kind, maxInterim: Int) {
        self.maxInterim = maxInterim
        switch kind {
        case .bodiless: state = .begun(.whole)
        case .body: state = .begun(.open)
        case .connect: state = .begun(.connect)
        }
    }

    /// A machine in a state, for tests.
    init(_ state: State, maxInterim: Int) {
        self.state = state
        self.maxInterim = maxInterim
    }

    /// What a request is, by its head.
    @usableFromInline package enum Kind: Sendable {
        /// No body follows.
        case bodiless
        /// A body follows.
        case body
        /// CONNECT, or its like in another protocol.
        case connect
    }

    /// What the `request` hooks have decided.
    @usableFromInline package enum RequestVerdict: Sendable {
        /// The request goes to the server.
        case forward
        /// A hook has made the response.
        case respond
        /// The connection is closed.
        case abort
    }

    /// What the `response` hooks have decided, and what they have left of the response.
    @usableFromInline package enum ResponseVerdict: Sendable {
        /// The response is sent; its body is whole, or it has none.
        case whole
        /// The response is sent, and its body follows as it comes.
        case open
        /// The response switches to another protocol.
        case switches
        /// The connection is closed.
        case abort
    }

    /// What a response is, by its head.
    @usableFromInline package enum ResponseKind: Sendable {
        /// No body follows.
        case bodiless
        /// A body follows, of which hooks want up to so many bytes; 0 if they want none.
        case body(wanted: Int)
        /// The connection carries another protocol from here on.
        case switches
    }
}

// MARK: - What an owner may ask

extension HTTPExchangeStateMachine {
    /// Whether the exchange is over.
    @inlinable
    package var isEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// Whether bytes pass as they are.
    @inlinable
    package var isTunnel: Bool {
        if case .tunnel = state { true } else { false }
    }

    /// Whether nothing more of the request is to come.
    @inlinable
    package var isRequestWhole: Bool {
        switch state {
        case .begun(let inbound), .requestHooks(let inbound), .requestPaused(let inbound, _),
            .connecting(let inbound):
            inbound.isWhole
        case .collecting: false
        case .awaiting(let upload, _), .collectingResponse(let upload, _),
            .responseHooks(let upload, _), .responsePaused(let upload, _, _),
            .responding(let upload, _, _), .streaming(let upload), .ending(let upload, _):
            upload.isSent
        case .answering, .opened, .joining, .tunnel, .ended: true
        }
    }

    /// Whether a body is on its way, and nothing but its sender and its receiver says how fast.
    @inlinable @inline(__always)
    package var isBodyUnderWay: Bool {
        switch state {
        case .tunnel, .ended: false
        case .collectingResponse, .streaming: true
        default:
            if !isRequestWhole, case .withheld = requestCredit { false } else { !isRequestWhole }
        }
    }

    /// Whether the client may send more of its request: not while content waits for the server.
    @inlinable
    package var requestCredit: Credit {
        switch state {
        case .requestHooks(.held), .requestPaused(.held, _), .connecting(.held): .withheld
        case .awaiting(.sending, _), .collectingResponse(.sending, _), .responseHooks(.sending, _),
            .responsePaused(.sending, _, _), .responding(.sending, _, _), .streaming(.sending),
            .ending(.sending, _), .tunnel:
            .whilePeerTakes
        default: .granted
        }
    }

    /// Whether the server may send more of its response: not while hooks pause.
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
        /// It may as long as what is sent to the other peer does not pile up.
        case whilePeerTakes
        /// It may not.
        case withheld
    }
}

// Compared by pattern: the operators that the compiler makes are calls into this module.
extension HTTPExchangeStateMachine.Inbound {
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
