// SPDX-License-Identifier: MIT

package import TaplineModel

/// Finds the tokens of a recording by their values.
///
/// It reads the exchanges in the order in which they started. A value that a response handed out,
/// that no request contained before, and that a later request sends back, is a token. Long values
/// are compared in the whole recording, short ones (`12`) only within a session, and only in places
/// that contain ids.
///
/// **Limits**: it keeps hashes of the values, of the last `capacity` ones.
package struct TokenFinder: Sendable {
    /// A source of handed-out values, or one of the places that values are sent back to.
    private struct PlaceKey: Hashable {
        /// The number of the route; -1 for all routes.
        let route: Int
        let place: ValuePlace
    }

    /// A value that was seen.
    struct Seen {
        /// The numbers of the sources that handed it out; empty if a request had it first.
        var sources = SourceNumbers()
        /// The session whose responses handed it out; `nil` if there are several.
        var session: SessionID?
        let started: Timestamp
        let ended: Timestamp

        init(_ exchange: borrowing Exchange, session: SessionID) {
            self.session = session
            started = exchange.started
            ended = exchange.ended
        }
    }

    struct Target {
        let place: TokenPlace
        /// How many values were seen at the place that might be tokens.
        var seen = 0
        /// How many of them a response had handed out.
        var matched = 0
        /// Whether a long value was among them.
        var hasLong = false
        var matches: [Int: Int] = [:]
    }

    /// The most places and routes that are kept.
    static let maxPlaces = 20_000

    private let key: SessionKey
    private let masks: MaskedValues
    private(set) var seen: BoundedTable<TokenFingerprint, Seen>
    private var routes: [RouteTemplate: Int] = [:]
    private var sourceNumbers: [PlaceKey: Int] = [:]
    private(set) var sources: [TokenPlace] = []
    private var targetNumbers: [PlaceKey: Int] = [:]
    private(set) var targets: [Target] = []
    private(set) var masked = MaskedPlaces()

    /// - Parameters:
    ///   - key: What makes a session.
    ///   - masks: The texts that replaced values in the recording.
    ///   - capacity: How many values are kept.
    package init(
        key: SessionKey = .automatic,
        masks: MaskedValues = .standard,
        capacity: Int = 500_000
    ) {
        self.key = key
        self.masks = masks
        seen = BoundedTable(capacity: capacity)
    }

    /// Reads the next exchange.
    package mutating func read(_ exchange: borrowing Exchange) {
        let request = exchange.request
        let values = RequestValues(request).values
        var candidates: [(value: RequestValue, likelihood: TokenLikelihood)] = []
        var hasMask = false
        for value in values {
            if masks.occur(in: value.bytes) {
                hasMask = true
                continue
            }
            let likelihood = TokenLikelihood(value.bytes)
            if likelihood == .long
                || likelihood == .short && value.place.sendsBackShort(value.bytes)
            {
                candidates.append((value, likelihood))
            }
        }
        let owner = owner(of: candidates, exchange.started)
        let session = key.session(of: exchange, owner: owner) ?? SessionID(value: 0)
        var matches: [Int: SourceNumbers] = [:]
        var tokens: Set<Int> = []
        for (index, candidate) in candidates.enumerated() {
            guard let found = match(candidate, session, exchange.started) else { continue }
            matches[index] = found
            if case .segment(let number) = candidate.value.place.part { tokens.insert(number) }
        }
        let template = RouteTemplate(request, tokens: tokens)
        if hasMask { masked.add(values, masks, template) }
        guard let route = number(of: template) else { return }
        for (index, candidate) in candidates.enumerated() {
            note(candidate, matches[index], route, template, exchange, session)
        }
        if let response = exchange.response {
            readResponse(response, route, template, exchange, session)
        }
    }

    // MARK: Requests

    /// The session of the first token that only one session got.
    ///
    /// Fields and cookies come first: they say who sends a request.
    private func owner(
        of candidates: [(value: RequestValue, likelihood: TokenLikelihood)],
        _ started: Timestamp
    ) -> SessionID? {
        var owner: SessionID?
        for (value, likelihood) in candidates where likelihood == .long {
            guard let found = seen.value(TokenFingerprint(value.bytes)), !found.sources.isEmpty,
                found.started <= started, let session = found.session
            else { continue }
            if value.place.isEverywhere { return session }
            owner = owner ?? session
        }
        return owner
    }

    private mutating func match(
        _ candidate: (value: RequestValue, likelihood: TokenLikelihood),
        _ session: SessionID,
        _ started: Timestamp
    ) -> SourceNumbers? {
        let fingerprint = Self.fingerprint(candidate.value.bytes, candidate.likelihood, session)
        guard let found = seen.use(fingerprint), !found.sources.isEmpty else { return nil }
        // A client may use a field of a response before its content has ended.
        let isEarlier =
            candidate.likelihood == .long ? found.started <= started : found.ended <= started
        return isEarlier ? found.sources : nil
    }

    private mutating func note(
        _ candidate: (value: RequestValue, likelihood: TokenLikelihood),
        _ match: SourceNumbers?,
        _ route: Int,
        _ template: RouteTemplate,
        _ exchange: borrowing Exchange,
        _ session: SessionID
    ) {
        let place = candidate.value.place
        let isEverywhere = place.isEverywhere
        let key = PlaceKey(route: isEverywhere ? -1 : route, place: place)
        if let target = targetNumber(key, isEverywhere ? nil : template) {
            targets[target].seen += 1
            if let match {
                targets[target].matched += 1
                if candidate.likelihood == .long { targets[target].hasLong = true }
                match.forEach { targets[target].matches[$0, default: 0] += 1 }
            }
        }
        // What a client knew before a response contained it is no token.
        if match == nil, candidate.likelihood == .long {
            let fingerprint = TokenFingerprint(candidate.value.bytes)
            if seen.value(fingerprint) == nil {
                seen.set(fingerprint, to: Seen(exchange, session: session))
            }
        }
    }

    // MARK: Responses

    private mutating func readResponse(
        _ response: Response,
        _ route: Int,
        _ template: RouteTemplate,
        _ exchange: borrowing Exchange,
        _ session: SessionID
    ) {
        for pair in HandedOutValues(response, response).pairs {
            let likelihood = TokenLikelihood(pair.recorded)
            guard
                likelihood == .long
                    || likelihood == .short && pair.place.handsOutShort(pair.recorded),
                !masks.occur(in: pair.recorded),
                let source = sourceNumber(PlaceKey(route: route, place: pair.place), template)
            else { continue }
            let fingerprint = Self.fingerprint(pair.recorded, likelihood, session)
            guard var former = seen.value(fingerprint) else {
                var new = Seen(exchange, session: session)
                new.sources.insert(source)
                seen.set(fingerprint, to: new)
                continue
            }
            guard !former.sources.isEmpty else { continue }
            former.sources.insert(source)
            if former.session != session { former.session = nil }
            seen.set(fingerprint, to: former)
        }
    }

    // MARK: Numbers

    private static func fingerprint(
        _ bytes: [UInt8],
        _ likelihood: TokenLikelihood,
        _ session: SessionID
    ) -> TokenFingerprint {
        likelihood == .long
            ? TokenFingerprint(bytes) : TokenFingerprint(bytes, in: session.value | 1)
    }

    private mutating func number(of route: RouteTemplate) -> Int? {
        if let number = routes[route] { return number }
        guard routes.count < Self.maxPlaces, !route.method.isEmpty else { return nil }
        routes[route] = routes.count
        return routes.count - 1
    }

    private mutating func sourceNumber(_ key: PlaceKey, _ route: RouteTemplate) -> Int? {
        if let number = sourceNumbers[key] { return number }
        guard sources.count < Self.maxPlaces else { return nil }
        sources.append(TokenPlace(.response, key.place, of: route))
        sourceNumbers[key] = sources.count - 1
        return sources.count - 1
    }

    private mutating func targetNumber(_ key: PlaceKey, _ route: RouteTemplate?) -> Int? {
        if let number = targetNumbers[key] { return number }
        guard targets.count < Self.maxPlaces else { return nil }
        targets.append(Target(place: TokenPlace(.request, key.place, of: route)))
        targetNumbers[key] = targets.count - 1
        return targets.count - 1
    }
}

/// Up to three numbers without an allocation.
struct SourceNumbers: Sendable {
    private var first: Int32 = -1
    private var second: Int32 = -1
    private var third: Int32 = -1

    var isEmpty: Bool { first < 0 }

    mutating func insert(_ number: Int) {
        let number = Int32(clamping: number)
        if first < 0 || first == number {
            first = number
        } else if second < 0 || second == number {
            second = number
        } else if third < 0 {
            third = number
        }
    }

    func forEach(_ body: (Int) -> Void) {
        for number in [first, second, third] where number >= 0 { body(Int(number)) }
    }
}
