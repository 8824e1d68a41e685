// SPDX-License-Identifier: MIT

internal import TaplineModel

// Which bodies have to be buffered; decided for each exchange from its head, before the hook runs.

extension RuleSet {
    /// Returns whether a rule may read the request's body.
    ///
    /// `mayChange` states that the exchange may change before the rules see it.
    func needsRequestBody(_ exchange: borrowing Exchange, mayChange: Bool) -> Bool {
        guard readsBodies.request else { return false }
        var mayChange = mayChange
        for rule in rules {
            // What a response will be like is unknown.
            let mayMatch = mayChange || rule.mayMatchRequest(exchange)
            guard mayMatch else { continue }
            if rule.bodies.request { return true }
            // A change by this rule may make the condition of a later one true.
            if rule.requestActions.contains(where: \.changesRequest) { mayChange = true }
        }
        return false
    }
}

extension RuleProgress {
    /// Returns whether a rule may read the response's body.
    func needsResponseBody(_ exchange: borrowing Exchange, mayChange: Bool) -> Bool {
        guard set.readsBodies.response else { return false }
        // A stream has no end to wait for.
        if exchange.response?.isEventStream == true { return false }
        var mayChange = mayChange
        for rule in set.onResponse {
            guard rule.position <= stop else { return false }
            let mayMatch =
                rule.decidesOnResponse
                ? mayChange || rule.mayMatchResponse(exchange) : matched.contains(rule.position)
            guard mayMatch else { continue }
            if rule.bodies.response { return true }
            if rule.responseActions.contains(where: \.changesResponse) { mayChange = true }
        }
        return false
    }
}
