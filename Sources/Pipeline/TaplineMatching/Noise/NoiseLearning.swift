// SPDX-License-Identifier: MIT

package import TaplineModel

/// Learns which parts vary by themselves, from pairs of equal requests to the same program.
///
/// **Limits**: those of `Comparison`.
/// **Isolation**: one thread at a time.
package struct NoiseLearning: ~Copyable {
    /// Where a pair comes from.
    package enum Origin: Sendable {
        /// Two requests of one recording, between which others may have changed something: only
        /// values whose shape shows that they vary are learnt.
        case repeats
        /// A second run of the same program: whatever differs is learnt.
        case secondRun
    }

    /// What was found about a part.
    private struct Part {
        var counts: [NoiseReason: Int] = [:]
        var pairs = 0
        var lastPair = 0
        /// Whether the part is missing on one side, or has another type, in a second run.
        var isUnstable = false
    }

    private struct Route {
        let name: RouteTable.Name
        let rules: RouteNoise
        var pairs = 0
        var parts: [[UInt8]: Part] = [:]
    }

    private static let maxParts = 1000
    /// The parts that are never learnt.
    private static let results: Set<[UInt8]> = [
        Array("status".utf8), Array("outcome".utf8), Array("grpc.status".utf8),
    ]

    private let known: NoiseRules
    private let clean: Comparison.Cleaner
    private var comparison: ExchangeComparison
    private var table = RouteTable()
    private var routes: [Route] = []

    /// Begins to learn.
    ///
    /// - Parameters:
    ///   - options: What is compared; what its rules cover is not learnt again.
    ///   - clean: Redacts what the names of routes show.
    package init(_ options: ComparisonOptions, clean: @escaping Comparison.Cleaner = { $0 }) {
        known = options.noise
        self.clean = clean
        comparison = ExchangeComparison(options)
    }

    /// Learns from a pair.
    package mutating func add(_ first: Exchange, _ second: Exchange, _ origin: Origin) {
        let number = table.number(of: first.request) { [clean] in clean(first)?.request }
        if number == routes.count {
            let name = table.names[number]
            routes.append(Route(name: name, rules: RouteNoise(known, name.method, name.route)))
        }
        routes[number].pairs += 1
        var list = DifferenceList(noise: routes[number].rules)
        let arrays = routes[number].rules.arrays
        _ = comparison.compare(
            first,
            second,
            for: first.request.target,
            by: arrays,
            into: &list
        )
        // A failure in one of two runs is no reason to accept all failures.
        for difference in list.all where !Self.results.contains(difference.path) {
            let reason = NoiseReason(difference)
            guard origin == .secondRun || reason.isCertain else { continue }
            Self.note(difference, reason, origin, in: &routes[number])
        }
    }

    private static func note(
        _ difference: FoundDifference,
        _ reason: NoiseReason,
        _ origin: Origin,
        in route: inout Route
    ) {
        guard route.parts.count < maxParts || route.parts[difference.path] != nil else { return }
        var part = route.parts[difference.path] ?? Part()
        if part.lastPair != route.pairs {
            part.lastPair = route.pairs
            part.pairs += 1
            part.counts[reason, default: 0] += 1
        }
        switch difference.kind {
        case .missing, .added, .type: part.isUnstable = true
        case .changed, .order: break
        }
        route.parts[difference.path] = part
    }

    /// Returns a rule for each part that varies, with the reason and how often as comment.
    package consuming func finish() -> NoiseRules { rules }

    /// The rules for what was found so far.
    package var rules: NoiseRules {
        var rules = NoiseRules()
        let ordered = routes.sorted {
            ($0.name.route, $0.name.method) < ($1.name.route, $1.name.method)
        }
        // A rule for the routes beyond the limit would hold for all routes.
        for route in ordered where route.name.method != "*" {
            let paths = route.parts.keys.sorted { $0.lexicographicallyPrecedes($1) }
            for path in paths {
                guard let part = route.parts[path] else { continue }
                let reason = NoiseReason.allCases.max {
                    part.counts[$0, default: 0] < part.counts[$1, default: 0]
                }
                let action: NoiseRule.Action =
                    if part.isUnstable {
                        .ignore
                    } else if part.counts[.order, default: 0] > 0 {
                        .array(.unordered)
                    } else {
                        .varies
                    }
                rules.append(
                    NoiseRule(
                        method: route.name.method,
                        route: route.name.route,
                        action,
                        path: String(decoding: path, as: UTF8.self)
                    ),
                    comment: "\((reason ?? .other).rawValue): \(part.pairs) of \(route.pairs) "
                        + "\(route.pairs == 1 ? "pair" : "pairs")"
                )
            }
        }
        return rules
    }
}
