// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplineQuery

/// A rule that is valid: the exchanges that it acts on, and what it does.
///
/// A class, since a hook looks at every rule, and a struct would retain all its references.
final class Rule: Sendable {
    /// The position in the file, from 0; disabled rules count too.
    let position: Int
    /// The name in the file, or one with the position.
    let name: String
    /// Where the rule begins in the file.
    let location: SourceLocation?
    /// Which exchanges it acts on; `nil` for all.
    let condition: Filter?
    /// Whether the condition uses fields of the response, so that it is evaluated in `response`.
    let decidesOnResponse: Bool
    /// What it does in `request`.
    let requestActions: [RuleAction]
    /// What it does in `response`.
    let responseActions: [RuleAction]
    /// Whether later rules are not applied to the exchanges of this one.
    let stops: Bool
    let hits: RuleHits

    /// The bodies that the condition or an action reads.
    let bodies: BodyNeeds
    private let early: (request: FilterMatcher, response: FilterMatcher)?

    init(_ draft: RuleDraft, hits: RuleHits) {
        position = draft.position
        name = draft.name
        location = draft.location
        condition = draft.condition
        decidesOnResponse = draft.decidesOnResponse
        requestActions = draft.requestActions
        responseActions = draft.responseActions
        stops = draft.stops
        self.hits = hits
        bodies = BodyNeeds(draft)
        early = draft.condition.map {
            ($0.matcher(forFieldsKnownAt: .request), $0.matcher(forFieldsKnownAt: .response))
        }
    }

    /// Whether the rule acts on an exchange, once everything that its condition uses is known.
    func matches(_ exchange: borrowing Exchange) -> Bool { condition?.matches(exchange) ?? true }

    /// Whether the rule may act on an exchange whose request head is complete.
    func mayMatchRequest(_ exchange: borrowing Exchange) -> Bool {
        early?.request.matches(exchange) ?? true
    }

    /// Whether the rule may act on an exchange whose response head is complete.
    func mayMatchResponse(_ exchange: borrowing Exchange) -> Bool {
        early?.response.matches(exchange) ?? true
    }
}

/// The messages whose whole bodies a rule reads, or shows to somebody.
struct BodyNeeds: Sendable {
    /// The request's body, in `request`.
    let request: Bool
    /// The response's body, in `response`.
    let response: Bool

    init(_ draft: RuleDraft) {
        let fields = Set(draft.condition?.fields.map(\.name) ?? [])
        let actions = draft.requestActions + draft.responseActions
        request =
            !fields.isDisjoint(with: ["request.body", "request.json", "request.size", "json"])
            || actions.contains { $0.readsRequestBody }
            || draft.requestActions.contains(where: \.pauses)
        response =
            !fields.isDisjoint(with: ["response.body", "response.json", "response.size", "json"])
            || actions.contains { $0.readsResponseBody }
            || draft.responseActions.contains(where: \.pauses)
    }
}

/// The parts of a rule as the file has them.
struct RuleDraft {
    var position = 0
    var name = ""
    var hasName = false
    var isEnabled = true
    var location: SourceLocation?
    var condition: Filter?
    var decidesOnResponse = false
    var requestActions: [RuleAction] = []
    var responseActions: [RuleAction] = []
    var stops = false
}
