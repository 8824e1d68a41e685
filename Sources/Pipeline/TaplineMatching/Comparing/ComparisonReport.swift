// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineStatistics

/// What differs between a recording and new exchanges, by route and by part.
package struct ComparisonReport: Sendable {
    /// An exchange in which a part differs.
    package struct Example: Sendable, Equatable {
        package let recordedID: ExchangeID
        package let foundID: ExchangeID
        /// The request target, cleaned.
        package let target: String
        /// The part with positions: `$.items[3].price`.
        package let place: String
        /// The values, cleaned.
        package let recorded: String
        package let found: String
    }

    /// A part that differs.
    package struct Part: Sendable {
        /// The part without positions: `$.items[*].price`, `status`, `header.location`.
        package let path: String
        package let kind: FoundDifference.Kind
        /// In how many pairs of the route it differs in this way.
        package let count: Int
        /// Up to three examples.
        package let examples: [Example]
    }

    /// An exchange that only one side has.
    package struct Single: Sendable, Equatable {
        package let id: ExchangeID
        /// The request target, cleaned.
        package let target: String
    }

    /// The latency of a route on both sides.
    package struct Latency: Sendable {
        /// In microseconds.
        package let recorded: Distribution
        /// In microseconds.
        package let found: Distribution
        /// The test; `nil` if there are too few exchanges.
        package let shift: DistributionShift?
        /// Whether the shift is more than noise; see `Comparison.isShift`.
        package let isShift: Bool
    }

    /// A route.
    package struct Route: Sendable {
        package let method: String
        /// The path template, such as `/users/{id}`.
        package let route: String
        /// How many pairs were compared.
        package let pairs: Int
        /// How many of them differ.
        package let differing: Int
        /// How many pairs could not be compared completely, since bodies are not kept.
        package let incomplete: Int
        /// How many differences the rules cover.
        package let noise: Int
        /// Recorded exchanges without a partner.
        package let missing: Int
        package let missingExamples: [Single]
        /// New exchanges without a partner.
        package let extra: Int
        package let extraExamples: [Single]
        /// The parts that differ, the most frequent ones first.
        package let parts: [Part]
        package let latency: Latency?

        /// How many exchanges differ or have no partner.
        package var count: Int { differing + missing + extra }
        package var name: String { "\(method) \(route)" }
    }

    /// The routes, those with the most differences first.
    package let routes: [Route]

    package var pairs: Int { routes.reduce(0) { $0 + $1.pairs } }
    package var differing: Int { routes.reduce(0) { $0 + $1.differing } }
    package var incomplete: Int { routes.reduce(0) { $0 + $1.incomplete } }
    package var noise: Int { routes.reduce(0) { $0 + $1.noise } }
    package var missing: Int { routes.reduce(0) { $0 + $1.missing } }
    package var extra: Int { routes.reduce(0) { $0 + $1.extra } }
    package var shifts: Int { routes.count { $0.latency?.isShift == true } }

    /// How many exchanges differ or have no partner; what a threshold is compared with.
    package var count: Int { differing + missing + extra }
}
