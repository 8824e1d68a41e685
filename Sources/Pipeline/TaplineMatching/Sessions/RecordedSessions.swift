// SPDX-License-Identifier: MIT

package import TaplineModel

/// A recorded request, with what it needs before it can be sent.
package struct PlannedRequest: Sendable {
    /// The number of the exchange in the recording, from 0.
    package let sequence: Int
    package let session: SessionID
    /// The recorded start and end.
    package let started: Timestamp
    package let ended: Timestamp
    /// The numbers of earlier exchanges whose responses handed out tokens of the request.
    package let needs: [Int]
    /// The places of these tokens.
    package let tokens: [ValuePlace]
}

/// Assigns recorded exchanges to sessions and finds which answers their requests depend on.
///
/// **Shape**: fed with exchanges in the order in which they started.
/// **Limits**: it keeps hashes of the handed-out values, of the last `capacity` ones. A request
/// whose token was forgotten does not wait.
package struct RecordedSessions: Sendable {
    /// A token that a response handed out.
    private struct HandedOut {
        /// The session whose responses handed it out; `nil` if there are several.
        var session: SessionID?
        /// The last exchange that handed it out.
        var sequence: Int
        var started: Timestamp
        /// Whether that exchange ends only when the client ends it.
        var isStream: Bool
    }

    private let key: SessionKey
    private let map: TokenMap
    /// The tokens of each session, and those of all sessions.
    private var handedOut: BoundedTable<TokenFingerprint, HandedOut>
    private var sequence = 0

    package init(key: SessionKey, map: TokenMap, capacity: Int = 500_000) {
        self.key = key
        self.map = map
        handedOut = BoundedTable(capacity: capacity)
    }

    /// How many tokens were forgotten because there were too many.
    package var forgotten: Int { handedOut.displaced }

    /// Begins the recording again: tokens of the previous pass are forgotten, numbers go on.
    package mutating func beginPass() { handedOut.removeAll() }

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
        let session = key.session(
            of: exchange,
            owner: key.needsOwner ? owner(found, exchange.started) : nil
        )
        var needs: Set<Int> = []
        var tokens: [ValuePlace] = []
        for (value, bindings) in found {
            guard let token = token(value.bytes, bindings, session, exchange.started) else {
                continue
            }
            tokens.append(value.place)
            if !token.isStream { needs.insert(token.sequence) }
        }
        if let response = exchange.response { read(response, route, exchange, session, number) }
        return PlannedRequest(
            sequence: number,
            session: session,
            started: exchange.started,
            ended: exchange.ended,
            needs: needs.sorted(),
            tokens: tokens
        )
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
                        TokenFingerprint(value.bytes, binding: binding, session: nil)
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
    private mutating func token(
        _ bytes: [UInt8],
        _ bindings: [Int],
        _ session: SessionID,
        _ started: Timestamp
    ) -> HandedOut? {
        for scope in [session, nil] {
            var latest: HandedOut?
            for binding in bindings {
                let fingerprint = TokenFingerprint(bytes, binding: binding, session: scope)
                guard let token = handedOut.use(fingerprint), token.started <= started else {
                    continue
                }
                if token.sequence > latest?.sequence ?? -1 { latest = token }
            }
            if let latest { return latest }
        }
        return nil
    }

    private mutating func read(
        _ response: Response,
        _ route: RequestRoute,
        _ exchange: borrowing Exchange,
        _ session: SessionID,
        _ number: Int
    ) {
        let sources = map.sources(for: route)
        guard !sources.isEmpty else { return }
        let token = HandedOut(
            session: session,
            sequence: number,
            started: exchange.started,
            isStream: response.status == 101 || response.isEventStream
        )
        for pair in HandedOutValues(response, response, readsBody: sources.needBody).pairs {
            for binding in sources.bindings[pair.place] ?? [] {
                handedOut.set(
                    TokenFingerprint(pair.recorded, binding: binding, session: session),
                    to: token
                )
                let shared = TokenFingerprint(pair.recorded, binding: binding, session: nil)
                var ofAll = token
                if let former = handedOut.value(shared), former.session != session {
                    ofAll.session = nil
                }
                handedOut.set(shared, to: ofAll)
            }
        }
    }
}

extension TokenFingerprint {
    /// The fingerprint of a token of a binding, in a session or in all.
    init(_ bytes: [UInt8], binding: Int, session: SessionID?) {
        var scope = Hasher()
        scope.combine(binding)
        scope.combine(session)
        self.init(bytes, in: UInt64(bitPattern: Int64(scope.finalize())))
    }
}
