// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineProtobuf
internal import TaplineStatistics

/// What is compared, and what does not count.
package struct ComparisonOptions: Sendable {
    /// The fields that are compared unless others are named: those that change what clients do.
    ///
    /// Times, lengths, hashes and connection fields differ in every run, or with the body.
    package static let standardFields = [
        "content-type", "location", "cache-control", "content-disposition", "content-language",
        "www-authenticate", "allow", "access-control-allow-origin", "retry-after",
    ]

    /// The names of the fields, in lower case.
    package var fields: [String]
    package var noise: NoiseRules
    /// The types of protobuf messages; those without one are compared by the numbers of their fields.
    package var schema: ProtobufSchema?

    package init(fields: [String] = standardFields, noise: NoiseRules = NoiseRules()) {
        self.fields = fields.map { $0.lowercased() }
        self.noise = noise
    }
}

/// Compares pairs of exchanges, and groups what differs by route and by part.
///
/// `tapline diff` and a replay feed it with pairs; `PairAlignment` makes them from two
/// recordings.
///
/// **Limits**: 10,000 routes with 1,000 parts each, and three examples of each part.
/// **Isolation**: one thread at a time.
package struct Comparison: ~Copyable {
    /// The largest probability of a latency shift that chance explains, over all routes.
    package static let maxProbability = 0.01
    /// How often one side must be slower than the other one.
    package static let minSuperiority = 0.6

    /// Returns an exchange as it may be shown; `nil` if nothing of it may be.
    package typealias Cleaner = (Exchange) -> Exchange?

    /// What was found about a pair.
    package enum Outcome: Sendable {
        /// Nothing differs beyond the rules.
        case equal
        case differs
        /// It differs, and the report shows it as an example.
        case example
    }

    private let rules: NoiseRules
    private let clean: Cleaner
    private var comparison: ExchangeComparison
    private var table = RouteTable()
    private var routes: [ComparedRoute] = []

    /// Creates a comparison.
    ///
    /// - Parameters:
    ///   - options: What is compared.
    ///   - clean: Redacts what examples and routes show; called only for these.
    package init(_ options: ComparisonOptions, clean: @escaping Cleaner = { $0 }) {
        rules = options.noise
        self.clean = clean
        comparison = ExchangeComparison(options)
    }

    /// Compares a recorded exchange with the new one that repeats it.
    ///
    /// - Returns: Whether they differ beyond the rules.
    @discardableResult
    package mutating func add(_ recorded: Exchange, _ found: Exchange) -> Outcome {
        let number = route(of: recorded)
        routes[number].pairs += 1
        routes[number].addLatency(recorded, found)
        var list = DifferenceList(noise: routes[number].noiseRules)
        let arrays = routes[number].noiseRules.arrays
        let isWhole = comparison.compare(
            recorded,
            found,
            for: recorded.request.target,
            by: arrays,
            into: &list
        )
        if !isWhole || list.isCut { routes[number].incomplete += 1 }
        routes[number].noise += list.noise
        guard !list.isEmpty else { return .equal }
        return count(list.all, recorded, found, in: number) ? .example : .differs
    }

    /// Adds a recorded exchange that was not repeated.
    ///
    /// - Returns: Whether the report shows it as an example.
    @discardableResult
    package mutating func addMissing(_ recorded: Exchange) -> Bool {
        let number = route(of: recorded)
        routes[number].missing += 1
        let isExample = routes[number].missingExamples.count < ComparedRoute.maxExamples
        if isExample { routes[number].missingExamples.append(single(recorded)) }
        return isExample
    }

    /// Adds a new exchange that repeats none of the recording.
    ///
    /// - Returns: Whether the report shows it as an example.
    @discardableResult
    package mutating func addExtra(_ found: Exchange) -> Bool {
        let number = route(of: found)
        routes[number].extra += 1
        let isExample = routes[number].extraExamples.count < ComparedRoute.maxExamples
        if isExample { routes[number].extraExamples.append(single(found)) }
        return isExample
    }

    private mutating func route(of exchange: Exchange) -> Int {
        let number = table.number(of: exchange.request) { [clean] in clean(exchange)?.request }
        if number == routes.count { routes.append(ComparedRoute(table.names[number], rules)) }
        return number
    }

    private func single(_ exchange: Exchange) -> ComparisonReport.Single {
        .init(id: exchange.id, target: Self.target(clean(exchange)))
    }

    private static func target(_ exchange: Exchange?) -> String {
        guard let target = exchange?.request.target.description else { return "(redacted)" }
        return target.count > 200 ? target.prefix(200) + "…" : target
    }

    /// Counts the differences of a pair that are not noise.
    ///
    /// - Returns: Whether some of them are examples.
    private mutating func count(
        _ differences: [FoundDifference],
        _ recorded: Exchange,
        _ found: Exchange,
        in route: Int
    ) -> Bool {
        var wanted: [(part: Int, difference: FoundDifference)] = []
        let pair = routes[route].pairs
        for difference in differences {
            let part = routes[route].part(of: difference)
            guard routes[route].parts[part].lastPair != pair else { continue }
            routes[route].parts[part].lastPair = pair
            routes[route].parts[part].count += 1
            if routes[route].parts[part].examples.count < ComparedRoute.maxExamples {
                wanted.append((part, difference))
            }
        }
        routes[route].differing += 1
        if !wanted.isEmpty { addExamples(wanted, recorded, found, to: route) }
        return !wanted.isEmpty
    }

    /// Adds examples with the values of the cleaned exchanges, and without names that only the
    /// others have.
    private mutating func addExamples(
        _ wanted: [(part: Int, difference: FoundDifference)],
        _ recorded: Exchange,
        _ found: Exchange,
        to route: Int
    ) {
        let (left, right) = (clean(recorded), clean(found))
        let arrays = routes[route].noiseRules.arrays
        var list = DifferenceList(noise: routes[route].noiseRules)
        if let left, let right {
            _ = comparison.compare(
                left,
                right,
                for: recorded.request.target,
                by: arrays,
                into: &list
            )
        }
        var redacted: RedactedPlaces?
        for (part, difference) in wanted {
            let shown = list.all.first { $0.place == difference.place }
            var place = difference.place
            let values: (recorded: String, found: String)
            if let shown {
                values = (shown.recorded.shown, shown.found.shown)
            } else {
                let places: RedactedPlaces
                if let redacted {
                    places = redacted
                } else {
                    places = redactedPlaces((recorded, left), (found, right), by: arrays)
                    redacted = places
                }
                let visible = places.shown(difference)
                place = visible.place
                values = Self.redactedValues(difference, at: place)
                if routes[route].parts[part].examples.isEmpty,
                    routes[route].parts[part].path == difference.path
                {
                    routes[route].parts[part].shownPath = visible.path
                }
            }
            routes[route].parts[part].examples.append(
                ComparisonReport.Example(
                    recordedID: recorded.id,
                    foundID: found.id,
                    target: Self.target(left),
                    place: String(decoding: place, as: UTF8.self),
                    recorded: values.recorded,
                    found: values.found
                )
            )
        }
    }

    /// Returns what an example shows of two values that the redaction has made equal, in the part that
    /// is shown, which may contain that of the values.
    private static func redactedValues(
        _ difference: FoundDifference,
        at place: [UInt8]
    ) -> (recorded: String, found: String) {
        let redacted = "(redacted)"
        if place == difference.place {
            if difference.kind == .added { return (ComparedValue.absent.shown, redacted) }
            if difference.kind == .missing { return (redacted, ComparedValue.absent.shown) }
        }
        return (redacted, "(another redacted value)")
    }

    /// Returns what the redaction of two exchanges has replaced.
    private mutating func redactedPlaces(
        _ recorded: (raw: Exchange, cleaned: Exchange?),
        _ found: (raw: Exchange, cleaned: Exchange?),
        by arrays: ArrayRules
    ) -> RedactedPlaces {
        var places = RedactedPlaces()
        for (raw, cleaned) in [recorded, found] {
            guard let cleaned else { continue }
            var list = DifferenceList()
            _ = comparison.compare(raw, cleaned, for: raw.request.target, by: arrays, into: &list)
            places.add(list)
        }
        return places
    }

    // MARK: The report

    /// Returns what was found.
    package consuming func finish() -> ComparisonReport { report }

    /// What was found so far.
    package var report: ComparisonReport {
        let tested = routes.count {
            $0.recordedLatency.count >= DistributionShift.minCount
        }
        let made = routes.map { Self.report($0, tested: tested) }
        return ComparisonReport(
            routes: made.sorted {
                ($1.count, $1.pairs, $0.name) < ($0.count, $0.pairs, $1.name)
            }
        )
    }

    private static func report(_ route: ComparedRoute, tested: Int) -> ComparisonReport.Route {
        let parts = route.parts.map { part in
            ComparisonReport.Part(
                path: String(decoding: part.shownPath, as: UTF8.self),
                kind: part.kind,
                count: part.count,
                examples: part.examples
            )
        }
        return ComparisonReport.Route(
            method: route.name.method,
            route: route.name.route,
            pairs: route.pairs,
            differing: route.differing,
            incomplete: route.incomplete,
            noise: route.noise,
            missing: route.missing,
            missingExamples: route.missingExamples,
            extra: route.extra,
            extraExamples: route.extraExamples,
            parts: parts.sorted { ($1.count, $0.path) < ($0.count, $1.path) },
            latency: latency(route, tested: tested)
        )
    }

    private static func latency(
        _ route: ComparedRoute,
        tested: Int
    ) -> ComparisonReport.Latency? {
        guard route.recordedLatency.count > 0 else { return nil }
        let shift = DistributionShift(route.recordedLatency, route.foundLatency)
        let (before, after) = (
            route.recordedLatency.quantile(0.5), route.foundLatency.quantile(0.5)
        )
        return ComparisonReport.Latency(
            recorded: route.recordedLatency,
            found: route.foundLatency,
            shift: shift,
            isShift: shift.map { isShift($0, before, after, tested: tested) } ?? false
        )
    }

    /// Whether a shift is more than noise: its probability is below 1 % divided by the number of
    /// routes that are tested, one side is slower in at least 60 % of all comparisons, and the
    /// medians differ by at least a tenth and a millisecond.
    static func isShift(
        _ shift: DistributionShift,
        _ before: Int,
        _ after: Int,
        tested: Int
    ) -> Bool {
        let distance = (after.subtractingReportingOverflow(before).partialValue).magnitude
        return shift.probability < maxProbability / Double(max(tested, 1))
            && max(shift.superiority, 1 - shift.superiority) >= minSuperiority
            && distance >= 1000 && distance >= before.magnitude / 10
    }
}
