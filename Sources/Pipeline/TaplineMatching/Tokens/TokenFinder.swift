// SPDX-License-Identifier: MIT

package import TaplineModel

/// Finds the tokens of a recording by their values.
///
/// It reads the exchanges in the order in which they started. A value that a response handed out,
/// that no request contained before, and that a later request sends back, is a token. The messages of
/// a WebSocket hand out and send back tokens, too; they are read with their exchange. Long values
/// are compared in the whole recording, short ones (`12`) only within a session, and only in places
/// that contain ids.
///
/// **Limits**: it keeps hashes of the values, of the last `capacity` ones.
package struct TokenFinder: Sendable {
    /// A source of handed-out values, or one of the places that values are sent back to.
    private struct PlaceKey: Hashable {
        let message: TokenPlace.Message
        /// The number of the route; -1 for all routes.
        let route: Int
        let place: ValuePlace
    }

    /// A value of a request or of a message of the client.
    typealias Candidate = (value: RequestValue, likelihood: TokenLikelihood)

    /// The exchange that is read.
    struct Reading {
        let session: SessionID
        let route: Int
        let template: RouteTemplate
    }

    /// When a request or a message was recorded.
    struct Period {
        let started: Timestamp
        let ended: Timestamp
    }

    /// A value that was seen.
    struct Seen {
        /// The numbers of the sources that handed it out; empty if a request had it first.
        var sources = SourceNumbers()
        /// The session whose responses handed it out; `nil` if there are several.
        var session: SessionID?
        let period: Period

        init(_ period: Period, session: SessionID) {
            self.session = session
            self.period = period
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
    let masks: MaskedValues
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
        let candidates = candidates(values)
        let messages = messages(of: exchange)
        let owner = owner(of: candidates + messages.flatMap(\.candidates), exchange.started)
        let session = key.session(of: exchange, owner: owner) ?? SessionID(value: 0)
        var matches: [Int: SourceNumbers] = [:]
        var tokens: Set<Int> = []
        for (index, candidate) in candidates.enumerated() {
            guard let found = match(candidate, session, exchange.started) else { continue }
            matches[index] = found
            if case .segment(let number) = candidate.value.place.part { tokens.insert(number) }
        }
        let template = RouteTemplate(request, tokens: tokens)
        masked.add(values, masks, template)
        guard let route = number(of: template) else { return }
        let reading = Reading(session: session, route: route, template: template)
        let period = Period(started: exchange.started, ended: exchange.ended)
        for (index, candidate) in candidates.enumerated() {
            note(candidate, matches[index], .request, reading, period)
        }
        if let response = exchange.response {
            let pairs = IssuedValues(response, response).pairs
            handOut(pairs, .response, reading, period)
        }
        read(messages, reading)
    }

    /// The values that may be tokens.
    func candidates(_ values: [RequestValue]) -> [Candidate] {
        values.compactMap { value -> Candidate? in
            let likelihood = TokenLikelihood(value.bytes)
            let mayBeToken =
                likelihood == .long
                || likelihood == .short && value.place.sendsBackShort(value.bytes)
            return mayBeToken && !masks.occur(in: value.bytes) ? (value, likelihood) : nil
        }
    }

    // MARK: Requests

    /// The session of the first token that only one session got.
    ///
    /// Fields and cookies come first: they say who sends a request.
    private func owner(
        of candidates: [Candidate],
        _ started: Timestamp
    ) -> SessionID? {
        var owner: SessionID?
        for (value, likelihood) in candidates where likelihood == .long {
            guard let found = seen.value(TokenFingerprint(value.bytes)), !found.sources.isEmpty,
                found.period.started <= started, let session = found.session
            else { continue }
            if value.place.isEverywhere { return session }
            owner = owner ?? session
        }
        return owner
    }

    mutating func match(
        _ candidate: Candidate,
        _ session: SessionID,
        _ started: Timestamp
    ) -> SourceNumbers? {
        let fingerprint = Self.fingerprint(candidate.value.bytes, candidate.likelihood, session)
        guard let found = seen.use(fingerprint), !found.sources.isEmpty else { return nil }
        // A client may use a field of a response before its content has ended.
        let isEarlier =
            candidate.likelihood == .long
            ? found.period.started <= started : found.period.ended <= started
        return isEarlier ? found.sources : nil
    }

    mutating func note(
        _ candidate: Candidate,
        _ match: SourceNumbers?,
        _ message: TokenPlace.Message,
        _ reading: Reading,
        _ period: Period
    ) {
        let place = candidate.value.place
        let isEverywhere = place.isEverywhere
        let route = isEverywhere ? -1 : reading.route
        let key = PlaceKey(message: message, route: route, place: place)
        if let target = targetNumber(key, isEverywhere ? nil : reading.template) {
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
                seen.set(fingerprint, to: Seen(period, session: reading.session))
            }
        }
    }

    // MARK: Responses and messages

    /// Notes what a response or a message of the server hands out.
    mutating func handOut(
        _ pairs: [IssuedValues.Pair],
        _ message: TokenPlace.Message,
        _ reading: Reading,
        _ period: Period
    ) {
        let session = reading.session
        for pair in pairs {
            let key = PlaceKey(message: message, route: reading.route, place: pair.place)
            let likelihood = TokenLikelihood(pair.recorded)
            guard
                likelihood == .long
                    || likelihood == .short && pair.place.handsOutShort(pair.recorded),
                !masks.occur(in: pair.recorded),
                let source = sourceNumber(key, reading.template)
            else { continue }
            let fingerprint = Self.fingerprint(pair.recorded, likelihood, session)
            guard var former = seen.value(fingerprint) else {
                var new = Seen(period, session: session)
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
        sources.append(TokenPlace(key.message, key.place, of: route))
        sourceNumbers[key] = sources.count - 1
        return sources.count - 1
    }

    private mutating func targetNumber(_ key: PlaceKey, _ route: RouteTemplate?) -> Int? {
        if let number = targetNumbers[key] { return number }
        guard targets.count < Self.maxPlaces else { return nil }
        targets.append(Target(place: TokenPlace(key.message, key.place, of: route)))
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
