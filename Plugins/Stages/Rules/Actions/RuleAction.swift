// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// One thing that a rule does.
enum RuleAction: Sendable {
    /// Answers, in `request` instead of the server.
    case respond(RuleResponse)
    /// Sends the request elsewhere.
    case map(RuleMapping)
    /// Sets a part of a message, or a tag.
    case set(RulePlace, RuleTemplate)
    /// Removes a part of a message, or a tag.
    case remove(RulePlace)
    /// Replaces text or values in a body.
    case replace(BodyReplacement)
    /// Waits for some microseconds.
    case delay(ClosedRange<Int64>)
    /// Limits the speed of the exchange.
    case throttle(Throttle)
    /// Fails the exchange, or a share of exchanges.
    case fail(RuleFailure)
    /// Waits for somebody's decision, at most for some microseconds.
    case pause(Int64)
    /// Applies no later rule.
    case stop
    /// Does nothing, and applies no later rule.
    case pass
}

extension RuleAction {
    /// The hook in which an action runs if the rule is decided in `request`.
    enum Moment: Sendable {
        case request, response
        /// The hook that decides the rule.
        case either
    }

    /// When the action runs.
    var moment: Moment {
        switch self {
        case .map: .request
        case .set(let place, _), .remove(let place): place.moment
        case .replace(let replacement): replacement.isInResponse ? .response : .request
        case .respond, .delay, .throttle, .fail, .pause, .stop, .pass: .either
        }
    }

    /// The action in messages and reports, without values: `set request.header.X-Debug`.
    var description: String {
        switch self {
        case .respond(let response): "respond with \(response.status)"
        case .map: "map"
        case .set(let place, _): "set \(place.name)"
        case .remove(let place): "remove \(place.name)"
        case .replace(let replacement): "replace in the \(replacement.messageName) body"
        case .delay: "delay"
        case .throttle: "throttle"
        case .fail(let failure): "fail with \(failure.name)"
        case .pause: "pause"
        case .stop: "stop"
        case .pass: "pass"
        }
    }

    /// Whether the action needs the whole body of the request.
    var readsRequestBody: Bool {
        if case .replace(let replacement) = self, !replacement.isInResponse { return true }
        return templates.contains { $0.uses(.requestBody) }
    }

    /// Whether the action needs the whole body of the response.
    var readsResponseBody: Bool {
        if case .replace(let replacement) = self, replacement.isInResponse { return true }
        return templates.contains { $0.uses(.responseBody) }
    }

    /// Whether the action changes the request, so that a later rule may begin to match.
    var changesRequest: Bool {
        switch self {
        case .map: true
        case .set, .remove, .replace: moment != .response
        case .respond, .delay, .throttle, .fail, .pause, .stop, .pass: false
        }
    }

    /// Whether the action changes the response, so that a later rule may begin to match.
    var changesResponse: Bool {
        switch self {
        case .respond: true
        case .set, .remove, .replace: moment != .request
        case .map, .delay, .throttle, .fail, .pause, .stop, .pass: false
        }
    }

    /// Whether the action waits for a decision.
    var pauses: Bool { if case .pause = self { true } else { false } }

    /// The file that the action reads.
    var file: String? {
        if case .respond(let response) = self { response.file } else { nil }
    }

    /// The templates that the action fills in.
    var templates: [RuleTemplate] {
        switch self {
        case .respond(let response): response.templates
        case .map(let mapping): mapping.path.map { [$0] } ?? []
        case .set(_, let value): [value]
        case .replace(let replacement): [replacement.value]
        case .remove, .delay, .throttle, .fail, .pause, .stop, .pass: []
        }
    }
}

/// How a rule fails an exchange.
struct RuleFailure: Sendable {
    /// What the client sees.
    enum Kind: Sendable {
        /// The connection is closed, as if the server had reset it.
        case reset
        /// The connection is closed after a wait, as if the server had not answered.
        case timeout
        /// A response with an error status and no content.
        case status(Int)
    }

    var kind: Kind
    /// The share of exchanges that fail, from 0 to 1.
    var share = 1.0
    /// The wait before the failure, in microseconds.
    var wait: Int64 = 0

    /// The failure in reports.
    var name: String {
        switch kind {
        case .reset: "reset"
        case .timeout: "timeout"
        case .status(let status): String(status)
        }
    }

    /// The error of an exchange that fails without a response.
    func error(of rule: String) -> ExchangeError? {
        switch kind {
        case .reset: ExchangeError(code: "reset", message: "reset by rule '\(rule)'")
        case .timeout: ExchangeError(code: "timeout", message: "timed out by rule '\(rule)'")
        case .status: nil
        }
    }
}
