// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// What a stage keeps of an exchange between its hooks.
struct RuleProgress: Sendable {
    /// The rules that the exchange began with.
    let set: RuleSet
    /// The positions of the rules that matched in `request` and have actions in `response`.
    var matched: [Int] = []
    /// The position of the rule that stopped the others; `Int.max` if none did.
    var stop = Int.max

    /// Whether `response` needs it.
    var isNeeded: Bool { !matched.isEmpty || stop < .max }
}

/// Applies rules to one exchange in one hook.
struct RuleRun {
    /// How the hook ends the exchange.
    indirect enum Ending {
        case respond(Response)
        case fail(ExchangeError)
    }

    /// What a run needs of the lane.
    struct Surroundings: Sendable {
        let seed: UInt64
        let clock: @Sendable () -> Timestamp
    }

    /// How the hook ends the exchange; `nil` if it goes on.
    private(set) var ending: Ending?
    /// The wait that actions ask for, in microseconds.
    private(set) var delay: Int64 = 0
    /// The rule that wants to wait for a decision, and how many microseconds at most.
    private(set) var pause: (rule: Rule, time: Int64)?
    /// The speed limits that actions set.
    private(set) var throttle = Throttle()
    /// The rules that acted.
    private(set) var acted: [Rule] = []
    /// The rules whose replacements were skipped, since the body was not available as a whole.
    private(set) var cut: [Rule] = []
    /// How many of the hook's rules were reached.
    private(set) var reached = 0
    /// What each of the rules that acted did, if that is wanted.
    private(set) var deeds: [(rule: Rule, deeds: [String])] = []
    private let surroundings: Surroundings
    private let explains: Bool

    /// Prepares to apply rules; `explains` states whether to keep what each of them does.
    init(_ surroundings: Surroundings, explains: Bool = false) {
        self.surroundings = surroundings
        self.explains = explains
    }

    /// Applies the rules that are decided in `request`.
    mutating func request(_ exchange: inout Exchange, _ progress: inout RuleProgress) {
        for rule in progress.set.onRequest {
            reached += 1
            guard rule.matches(exchange) else { continue }
            acted.append(rule)
            apply(rule.requestActions, of: rule, &exchange, isResponse: false)
            if !rule.responseActions.isEmpty { progress.matched.append(rule.position) }
            if rule.stops { progress.stop = rule.position }
            if rule.stops || ending != nil { return }
        }
    }

    /// Applies the rules that are decided in `response`, and the remaining actions of the others.
    mutating func response(_ exchange: inout Exchange, _ progress: RuleProgress) {
        for rule in progress.set.onResponse {
            guard rule.position <= progress.stop else { return }
            reached += 1
            if rule.decidesOnResponse {
                guard rule.matches(exchange) else { continue }
                acted.append(rule)
            } else if !progress.matched.contains(rule.position) {
                continue
            }
            apply(rule.responseActions, of: rule, &exchange, isResponse: true)
            if ending != nil || (rule.stops && rule.decidesOnResponse) { return }
        }
    }

    private mutating func apply(
        _ actions: [RuleAction],
        of rule: Rule,
        _ exchange: inout Exchange,
        isResponse: Bool
    ) {
        var values = RuleValues(
            random: RuleRandom(seed: surroundings.seed, exchange.id, rule: rule.position),
            clock: surroundings.clock
        )
        // The other hook of the same rule gets other numbers.
        if isResponse { _ = values.random.next() }
        if explains { deeds.append((rule, [])) }
        for action in actions {
            if explains { note(action.description) }
            switch action {
            case .respond(let response):
                let made = response.make(&values, exchange)
                answer(made, &exchange, isResponse)
            case .map(let mapping):
                let path = mapping.path?.filled(&values, exchange, .path)
                mapping.apply(to: &exchange.request, path: path)
            case .set(let place, let template):
                let value = template.filled(&values, exchange, place.form(in: exchange))
                place.set(value, in: &exchange)
            case .remove(let place): place.remove(from: &exchange)
            case .replace(let replacement): replace(replacement, of: rule, &values, &exchange)
            case .delay(let range): wait(values.random.number(in: range))
            case .throttle(let limits): throttle.apply(limits)
            case .fail(let failure): fail(failure, of: rule, &values, &exchange, isResponse)
            case .pause(let time): if pause == nil { pause = (rule, time) }
            case .stop, .pass: break
            }
        }
    }

    /// Keeps what the current rule does.
    private mutating func note(_ deed: String) {
        guard let last = deeds.indices.last else { return }
        deeds[last].deeds.append(deed)
    }

    /// Keeps why the last action had no effect.
    private mutating func noteNoEffect(_ reason: String) {
        guard explains, let rule = deeds.indices.last,
            let last = deeds[rule].deeds.indices.last
        else { return }
        deeds[rule].deeds[last] += " (\(reason))"
    }

    private mutating func wait(_ microseconds: Int64) {
        delay = delay.addingClamped(microseconds)
    }

    /// Answers with a response, unless the exchange has ended.
    private mutating func answer(
        _ response: Response,
        _ exchange: inout Exchange,
        _ isResponse: Bool
    ) {
        guard ending == nil else { return }
        guard isResponse else {
            ending = .respond(response)
            return
        }
        exchange.response = response
        exchange.response?.frame(answering: exchange.original.method ?? exchange.request.method)
    }

    private mutating func fail(
        _ failure: RuleFailure,
        of rule: Rule,
        _ values: inout RuleValues,
        _ exchange: inout Exchange,
        _ isResponse: Bool
    ) {
        guard ending == nil, values.random.happens(failure.share) else {
            return noteNoEffect("not this time")
        }
        wait(failure.wait)
        if let error = failure.error(of: rule.name) {
            ending = .fail(error)
        } else if case .status(let status) = failure.kind {
            let response = Response(
                status: status,
                reason: ByteString(Response.reason(of: status)),
                body: Body([])
            )
            answer(response, &exchange, isResponse)
        }
    }

    private mutating func replace(
        _ replacement: BodyReplacement,
        of rule: Rule,
        _ values: inout RuleValues,
        _ exchange: inout Exchange
    ) {
        let body = replacement.isInResponse ? exchange.response?.body : exchange.request.body
        guard let body, !body.bytes.isEmpty || body.isTruncated else {
            return noteNoEffect("there is no body")
        }
        guard let content = BodyContent.decoded(body) else {
            cut.append(rule)
            return noteNoEffect("the body is not whole, or has an unknown coding")
        }
        do throws(BodyTooLarge) {
            let new = try replacement.applied(to: content, &values, exchange)
            guard let new else { return noteNoEffect("nothing found") }
            if replacement.isInResponse {
                exchange.response?.replaceContent(new)
            } else {
                exchange.request.replaceContent(new)
            }
        } catch {
            cut.append(rule)
            noteNoEffect("the body would be too large")
        }
    }
}
