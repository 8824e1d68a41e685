// SPDX-License-Identifier: MIT

package import TaplineModel

/// A recorded request, with what it needs before it can be sent.
package struct PlannedRequest: Sendable {
    /// The number of the exchange; they ascend in the order of the recording.
    package let sequence: Int
    package let session: SessionID
    /// How often the recording was read before.
    package let pass: Int
    /// When the request was recorded.
    package let started: Timestamp
    /// From when on the recorded client may have had the answer.
    package let answered: Timestamp
    /// The connection, if requests on it come one after the other; a hash.
    package let connection: UInt64?
    /// The numbers of earlier exchanges whose responses handed out tokens of the request or of the
    /// client's messages, and those of messages that did.
    package let needs: [Int]
    /// The places of these tokens.
    package let tokens: [ValuePlace]
    /// Whether the recorded response hands out tokens.
    package let handsOut: Bool
    /// The messages of a WebSocket; `nil` if they contain no tokens.
    package let messages: PlannedMessages?

    /// The numbers of its messages that hand out tokens.
    package var messageNumbers: [Int] { messages?.issuing.map(\.number) ?? [] }

    package init(
        sequence: Int,
        session: SessionID,
        pass: Int = 0,
        started: Timestamp,
        answered: Timestamp,
        connection: UInt64? = nil,
        needs: [Int] = [],
        tokens: [ValuePlace] = [],
        handsOut: Bool = false,
        messages: PlannedMessages? = nil
    ) {
        self.sequence = sequence
        self.session = session
        self.pass = pass
        self.started = started
        self.answered = answered
        self.connection = connection
        self.needs = needs
        self.tokens = tokens
        self.handsOut = handsOut
        self.messages = messages
    }
}

/// Assigns recorded exchanges to sessions and finds which answers their requests depend on.
///
/// **Shape**: fed with exchanges in the order in which they started.
/// **Limits**: it keeps hashes of the handed-out values, of the last `capacity` ones. A request
/// whose token was forgotten does not wait.
package struct RecordedSessions: Sendable {
    /// A token that a response or a message handed out.
    struct HandedOut {
        /// The session whose responses handed it out; `nil` if there are several.
        var session: SessionID?
        /// The number of the last exchange or message that handed it out.
        var sequence: Int
        var started: Timestamp
        /// Whether that exchange ends only when the client ends it.
        var isStream: Bool
    }

    private let key: SessionKey
    let map: TokenMap
    /// The tokens of each session, and those of all sessions.
    private var handedOut: BoundedTable<TokenFingerprint, HandedOut>
    /// The number of the next exchange or message.
    var sequence = 0
    private var pass = 0

    package init(key: SessionKey, map: TokenMap, capacity: Int = 500_000) {
        self.key = key
        self.map = map
        handedOut = BoundedTable(capacity: capacity)
    }

    /// How many tokens were forgotten because there were too many.
    package var forgotten: Int { handedOut.displaced }

    /// Begins the recording again: its sessions are new ones, numbers go on.
    package mutating func beginPass() {
        handedOut.removeAll()
        pass += 1
    }

    /// Reads the next exchange.
    package mutating func read(_ exchange: borrowing Exchange) -> PlannedRequest {
        let number = sequence
        sequence += 1
        let route = RequestRoute(exchange.request)
        let targets = map.targets(for: route)
        var found: [(value: RequestValue, bindings: [Int])] = []
        if !targets.isEmpty {
            for value in RequestValues(exchange.request, readsBody: targets.needBody).values {
                if let bindings = targets.bindings[value.place] { found.append((value, bindings)) }
            }
        }
        var messages = MessagePlanner(exchange, map, route)
        let session = session(of: exchange, found + (messages?.found ?? []), number)
        var needs: Set<Int> = []
        var tokens: [ValuePlace] = []
        for (value, bindings) in found {
            guard let token = token(value.bytes, bindings, session, exchange.started) else {
                continue
            }
            tokens.append(value.place)
            if !token.isStream { needs.insert(token.sequence) }
        }
        let sources = map.sources(for: route)
        if let response = exchange.response, !sources.isEmpty {
            let token = HandedOut(
                session: session,
                sequence: number,
                started: exchange.started,
                isStream: response.status == 101 || response.isEventStream
            )
            let values = IssuedValues(response, response, readsBody: sources.needBody)
            handOut(values.pairs, sources, token, session)
        }
        messages?.plan(&self, session, number, needs: &needs)
        return PlannedRequest(
            sequence: number,
            session: session,
            pass: pass,
            started: exchange.started,
            answered: exchange.answered,
            connection: exchange.serialConnection,
            needs: needs.sorted(),
            tokens: tokens,
            handsOut: !sources.isEmpty,
            messages: messages?.planned
        )
    }

    /// The session in this pass; each pass has its own.
    private func session(
        of exchange: borrowing Exchange,
        _ found: [(value: RequestValue, bindings: [Int])],
        _ number: Int
    ) -> SessionID {
        let owner = key.needsOwner ? owner(found, exchange.started) : nil
        if let owner { return owner }
        var hasher = Hasher()
        if let session = key.session(of: exchange, owner: nil) {
            hasher.combine(session)
            hasher.combine(pass)
        } else {
            hasher.combine(number)
        }
        return SessionID(value: UInt64(bitPattern: Int64(hasher.finalize())))
    }

    /// The session of the first token that only one session got; fields and cookies come first.
    private func owner(
        _ found: [(value: RequestValue, bindings: [Int])],
        _ started: Timestamp
    ) -> SessionID? {
        var owner: SessionID?
        for (value, bindings) in found where TokenLikelihood(value.bytes) == .long {
            for binding in bindings {
                guard
                    let token = handedOut.value(
                        TokenFingerprint(value.bytes, binding: binding, scope: .pass(pass))
                    ),
                    token.started <= started, let session = token.session
                else { continue }
                if value.place.isEverywhere { return session }
                owner = owner ?? session
            }
        }
        return owner
    }

    /// The latest token with a value: of the session, else of any.
    mutating func token(
        _ bytes: [UInt8],
        _ bindings: [Int],
        _ session: SessionID,
        _ started: Timestamp
    ) -> HandedOut? {
        for scope in [TokenScope.session(session), .pass(pass)] {
            var latest: HandedOut?
            for binding in bindings {
                let fingerprint = TokenFingerprint(bytes, binding: binding, scope: scope)
                guard let token = handedOut.use(fingerprint), token.started <= started else {
                    continue
                }
                if token.sequence > latest?.sequence ?? -1 { latest = token }
            }
            if let latest { return latest }
        }
        return nil
    }

    /// Notes the tokens that a response or a message hands out.
    mutating func handOut(
        _ pairs: [IssuedValues.Pair],
        _ sources: TokenMap.Places,
        _ token: HandedOut,
        _ session: SessionID
    ) {
        for pair in pairs {
            for binding in sources.bindings[pair.place] ?? [] {
                handedOut.set(
                    TokenFingerprint(pair.recorded, binding: binding, scope: .session(session)),
                    to: token
                )
                let shared = TokenFingerprint(
                    pair.recorded,
                    binding: binding,
                    scope: .pass(pass)
                )
                var ofAll = token
                if let former = handedOut.value(shared), former.session != session {
                    ofAll.session = nil
                }
                handedOut.set(shared, to: ofAll)
            }
        }
    }
}

/// The requests among which a token is known.
enum TokenScope: Hashable {
    case session(SessionID)
    /// All sessions of a pass over the recording.
    case pass(Int)
}

extension TokenFingerprint {
    /// The fingerprint of a token of a binding.
    init(_ bytes: [UInt8], binding: Int, scope: TokenScope) {
        var hasher = Hasher()
        hasher.combine(binding)
        hasher.combine(scope)
        self.init(bytes, in: UInt64(bitPattern: Int64(hasher.finalize())))
    }
}
