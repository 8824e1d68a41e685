// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplinePlugin

/// What rules would have done to an exchange that has ended.
package struct RuleEvaluation: Sendable {
    /// A rule that would have acted.
    package struct Hit: Sendable, Equatable {
        /// The position in the file, from 0; disabled rules count too.
        package let position: Int
        /// The name of the rule.
        package let name: String
        /// What it would have done, without values: `set request.header.X-Debug`.
        package let actions: [String]
    }

    /// The rules that would have acted, in the order in which they would have.
    package let hits: [Hit]
    /// The exchange as it would have been: the request for the server, the response for the client.
    package let exchange: Exchange
    /// Whether a rule would have answered instead of the server.
    package let isAnswered: Bool
    /// The error that a rule would have failed the exchange with.
    package let failure: ExchangeError?
    /// The wait that rules would have added.
    package let delay: Microseconds
    /// Whether a rule would have paused the exchange.
    package let isPaused: Bool
    /// The speed limits that rules would have set; only `proxy` honours them.
    package let throttle: Throttle
    /// The names of rules whose replacements would not have been made, since the recorded body is
    /// incomplete or cannot be decoded.
    package let skippedReplacements: [String]
}

extension RuleSet {
    /// Returns what the rules would have done to an exchange; their hits are not counted.
    ///
    /// - Parameters:
    ///   - exchange: An exchange that has ended. Rules that act on requests do not see its response.
    ///   - seed: The seed of random shares and times.
    ///   - clock: Returns the time for `{{now}}`; by default when the exchange started.
    /// - Returns: The evaluation.
    package func evaluate(
        _ exchange: Exchange,
        seed: UInt64 = 0,
        clock: (@Sendable () -> Timestamp)? = nil
    ) -> RuleEvaluation {
        let started = exchange.started
        let surroundings = RuleRun.Surroundings(seed: seed, clock: clock ?? { started })
        var exchange = exchange
        let (response, error, state) = (exchange.response, exchange.error, exchange.state)
        exchange.response = nil
        exchange.error = nil
        var progress = RuleProgress(set: self)
        var first = RuleRun(surroundings)
        first.request(&exchange, &progress)
        var isAnswered = false
        if case .respond(let answer) = first.ending {
            exchange.response = answer
            exchange.response?.frame(answering: exchange.request.method)
            exchange.state = .completed
            isAnswered = true
        } else {
            exchange.response = response
            exchange.error = error
            exchange.state = state
        }
        var failure = first.failure
        var throttle = first.throttle
        var second = RuleRun(surroundings)
        if failure == nil, exchange.response != nil {
            second.response(&exchange, progress)
            failure = second.failure
            throttle.apply(second.throttle)
        }
        if let failure {
            exchange.state = .failed
            exchange.error = failure
        }
        return RuleEvaluation(
            hits: (first.acted + second.acted).map(RuleEvaluation.Hit.init),
            exchange: exchange,
            isAnswered: isAnswered,
            failure: failure,
            delay: Microseconds(first.delay.addingClamped(second.delay)),
            isPaused: first.pause != nil || second.pause != nil,
            throttle: throttle,
            skippedReplacements: (first.cut + second.cut).map(\.name)
        )
    }
}

extension RuleEvaluation.Hit {
    fileprivate init(_ rule: Rule) {
        position = rule.position
        name = rule.name
        actions = (rule.requestActions + rule.responseActions).map(\.description)
    }
}

extension RuleRun {
    /// The error that the exchange fails with.
    fileprivate var failure: ExchangeError? {
        if case .fail(let error) = ending { error } else { nil }
    }
}
