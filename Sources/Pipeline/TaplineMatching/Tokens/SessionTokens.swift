// SPDX-License-Identifier: MIT

package import TaplineModel

/// What was done with the tokens of a request or a message.
package struct TokenUse: Sendable, Equatable {
    /// A token that was replaced by the live one.
    package struct Bound: Sendable, Equatable {
        /// The name of the binding.
        package let name: String
        package let place: ValuePlace
    }

    package internal(set) var bound: [Bound] = []
    /// The places of tokens for which there is no live value; the recorded ones are sent.
    package internal(set) var missing: [ValuePlace] = []
    /// The places of masks without a value to send; masked cookies are removed.
    package fileprivate(set) var masked: [ValuePlace] = []
}

/// A value for masks of a recording, which cannot be sent as they are.
package struct TokenSubstitute: Sendable {
    package let place: TokenPlace
    package let value: [UInt8]

    package init(place: TokenPlace, value: [UInt8]) {
        self.place = place
        self.value = value
    }

    /// Returns whether it replaces masks at a place of a recorded request.
    package func covers(_ place: ValuePlace, of recorded: borrowing Request) -> Bool {
        covers(place, of: RequestRoute(recorded))
    }

    func covers(_ place: ValuePlace, of route: RequestRoute) -> Bool {
        self.place.place == place && self.place.route?.matches(route) ?? true
    }
}

/// The tokens that the server of a replay handed out, in place of the recorded ones.
///
/// **Shape**: tokens belong to the session whose response handed them out. Another session may use
/// one if the sessions never got different live values for the recorded one.
/// **Limits**: about `capacity` bytes; tokens that were not used for long are forgotten.
package struct SessionTokens: Sendable {
    private struct Live {
        let bytes: [UInt8]
        let session: SessionID
        /// Whether several sessions got different values.
        var isAmbiguous = false
        /// The number of the response that handed it out, among those observed.
        let order: Int
    }

    /// What a value takes besides its bytes.
    private static let overhead = 128

    private let map: TokenMap
    private let masks: MaskedValues
    private let substitutes: [TokenSubstitute]
    private var values: BoundedTable<TokenFingerprint, Live>
    /// The last value of each cookie that the live server set, by session, host and name.
    private var cookies: BoundedTable<TokenFingerprint, [UInt8]>
    var order = 0
    private var maskedPlaces = MaskedPlaces()

    package init(
        map: TokenMap,
        masks: MaskedValues = .standard,
        substitutes: [TokenSubstitute] = [],
        capacity: Int = 64 << 20
    ) {
        self.map = map
        self.masks = masks
        self.substitutes = substitutes
        values = BoundedTable(capacity: capacity)
        cookies = BoundedTable(capacity: capacity / 4)
    }

    /// How many tokens were forgotten because there were too many.
    package var forgotten: Int { values.displaced }

    /// The places of masks that were sent, and how many requests had one there.
    package var masked: [(place: TokenPlace, count: Int)] { maskedPlaces.places }

    // MARK: Responses

    /// Binds what a recorded response handed out to what the live one hands out at the same places.
    ///
    /// - Parameters:
    ///   - live: The response of the server.
    ///   - recorded: The recorded exchange.
    ///   - session: Its session.
    ///   - pass: How often the recording was read before.
    /// - Returns: How many values were bound.
    @discardableResult
    package mutating func observe(
        _ live: borrowing Response,
        for recorded: borrowing Exchange,
        in session: SessionID,
        pass: Int = 0
    ) -> Int {
        keepCookies(live.fields, RouteTemplate.authority(of: recorded.request), session)
        guard let former = recorded.response else { return 0 }
        let sources = map.sources(for: RequestRoute(recorded.request))
        guard !sources.isEmpty else { return 0 }
        order += 1
        var count = 0
        for pair in IssuedValues(former, live, readsBody: sources.needBody).pairs {
            for binding in sources.bindings[pair.place] ?? [] {
                bind(pair.recorded, to: pair.live, binding, session, pass)
                count += 1
            }
        }
        return count
    }

    mutating func bind(
        _ recorded: [UInt8],
        to bytes: [UInt8],
        _ binding: Int,
        _ session: SessionID,
        _ pass: Int
    ) {
        var live = Live(bytes: bytes, session: session, order: order)
        let cost = bytes.count + Self.overhead
        values.set(
            TokenFingerprint(recorded, binding: binding, scope: .session(session)),
            to: live,
            cost: cost
        )
        let shared = TokenFingerprint(recorded, binding: binding, scope: .pass(pass))
        if let former = values.value(shared) {
            // Once ambiguous, a value stays so: a session may get several live ones.
            live.isAmbiguous =
                former.isAmbiguous || former.session != session && former.bytes != bytes
        }
        values.set(shared, to: live, cost: cost)
    }

    private mutating func keepCookies(
        _ fields: borrowing FieldSection,
        _ authority: ByteString,
        _ session: SessionID
    ) {
        var start = 0
        while let position = fields.firstIndex(of: "set-cookie", from: start) {
            start = position + 1
            let field = fields.value(at: position)
            guard let pair = CookiePair(field, from: 0), let value = pair.value else { continue }
            let name = ByteString(field.extracting(pair.name))
            cookies.set(
                TokenFingerprint(cookie: name, authority, session),
                to: Array(copying: field.extracting(value)),
                cost: value.count + Self.overhead
            )
        }
    }

    // MARK: Requests

    /// Replaces the tokens of a recorded request by the live ones.
    ///
    /// A value is replaced as a whole, and only at the places of the map; all other bytes stay as
    /// they are.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - recorded: The recorded request, whose host and path choose the bindings; `nil` if the
    ///     request still has them.
    ///   - session: Its session.
    ///   - pass: How often the recording was read before.
    ///   - tokens: The places of its tokens, from `PlannedRequest`.
    /// - Returns: What was replaced, and what could not be.
    package mutating func apply(
        to request: inout Request,
        of recorded: Request? = nil,
        in session: SessionID,
        pass: Int = 0,
        expecting tokens: [ValuePlace] = []
    ) -> TokenUse {
        let recorded = recorded ?? request
        let route = RequestRoute(recorded)
        let scopes = [TokenScope.session(session), .pass(pass)]
        let targets = map.targets(for: route)
        let hasMaskedBody = masks.occur(in: request.body.bytes)
        let read = RequestValues(request, readsBody: targets.needBody || hasMaskedBody)
        var use = TokenUse()
        var edits = RequestEdits()
        for value in read.values where !edits.contains(value) {
            if let (name, live) = live(value, targets, scopes), edits.replace(value, with: live) {
                use.bound.append(TokenUse.Bound(name: name, place: value.place))
            } else if masks.occur(in: value.bytes) {
                let text = substitute(for: value, route, session)
                if let text, edits.replace(value, with: text) { continue }
                use.masked.append(value.place)
                edits.leave(value)
            }
        }
        if !edits.apply(to: &request, body: read.body) {
            // The body keeps what was recorded.
            use.bound.removeAll { $0.place.isInBody }
        }
        use.missing = tokens.filter { place in !use.bound.contains { $0.place == place } }
        if !use.masked.isEmpty {
            masks.removeCookies(of: &request, at: use.masked)
            let template = RouteTemplate(recorded)
            for place in Set(use.masked) { maskedPlaces.add(place, template) }
        }
        return use
    }

    /// The live value of a token and the name of its binding.
    mutating func live(
        _ value: RequestValue,
        _ targets: TokenMap.Places,
        _ scopes: [TokenScope]
    ) -> (name: String, bytes: [UInt8])? {
        guard let bindings = targets.bindings[value.place] else { return nil }
        for scope in scopes {
            var latest: (binding: Int, live: Live)?
            for binding in bindings {
                let fingerprint = TokenFingerprint(value.bytes, binding: binding, scope: scope)
                guard let live = values.use(fingerprint), !live.isAmbiguous else { continue }
                if live.order > latest?.live.order ?? -1 { latest = (binding, live) }
            }
            if let latest { return (map.bindings[latest.binding].name, latest.live.bytes) }
        }
        return nil
    }

    /// The value in the place of a mask: one that was given, else the live cookie of the name.
    private mutating func substitute(
        for value: RequestValue,
        _ route: RequestRoute,
        _ session: SessionID
    ) -> [UInt8]? {
        for substitute in substitutes where substitute.covers(value.place, of: route) {
            return masks.replaced(in: value.bytes, by: substitute.value)
        }
        guard case .cookie(let name) = value.place.part else { return nil }
        return cookies.use(TokenFingerprint(cookie: name, route.authority, session))
    }
}

extension ValuePlace {
    /// Whether the place is in the body of a request.
    fileprivate var isInBody: Bool {
        switch part {
        case .json, .form: true
        default: false
        }
    }
}

extension TokenFingerprint {
    fileprivate init(cookie name: ByteString, _ authority: ByteString, _ session: SessionID) {
        self.init(
            Array(copying: name.span) + [0] + Array(copying: authority.span),
            in: session.value
        )
    }
}
