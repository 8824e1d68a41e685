// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineStatistics

/// What was found so far about a route.
///
/// **Limits**: 1,000 parts; further ones are one part, `(other parts)`.
struct ComparedRoute {
    /// A part that differs in some way.
    struct Part {
        let path: [UInt8]
        let kind: FoundDifference.Kind
        /// The path for the report: a part that contains this one if names in it are redacted.
        var shownPath: [UInt8]
        var count = 0
        /// The number of the last pair that was counted.
        var lastPair = 0
        var examples: [ComparisonReport.Example] = []
    }

    /// Identifies a part.
    private struct PartKey: Hashable {
        let path: [UInt8]
        let kind: FoundDifference.Kind
    }

    static let maxExamples = 3
    private static let maxParts = 1000

    let name: RouteTable.Name
    let noiseRules: RouteNoise
    var pairs = 0
    var differing = 0
    var incomplete = 0
    var noise = 0
    var missing = 0
    var missingExamples: [ComparisonReport.Single] = []
    var extra = 0
    var extraExamples: [ComparisonReport.Single] = []
    var parts: [Part] = []
    private var numbers: [PartKey: Int] = [:]
    var recordedLatency = Distribution()
    var foundLatency = Distribution()

    init(_ name: RouteTable.Name, _ rules: NoiseRules) {
        self.name = name
        noiseRules = RouteNoise(rules, name.method, name.route)
    }

    /// Returns the position of a difference's part.
    mutating func part(of difference: FoundDifference) -> Int {
        var key = PartKey(path: difference.path, kind: difference.kind)
        if let number = numbers[key] { return number }
        if parts.count >= Self.maxParts {
            key = PartKey(path: Array("(other parts)".utf8), kind: .changed)
            if let number = numbers[key] { return number }
        }
        numbers[key] = parts.count
        parts.append(Part(path: key.path, kind: key.kind, shownPath: key.path))
        return parts.count - 1
    }

    mutating func addLatency(_ recorded: Exchange, _ found: Exchange) {
        guard let before = recorded.timing.total?.count, let after = found.timing.total?.count,
            before >= 0, after >= 0
        else { return }
        recordedLatency.add(Int(clamping: before))
        foundLatency.add(Int(clamping: after))
    }
}
