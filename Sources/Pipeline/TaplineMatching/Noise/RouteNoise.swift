// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The rules that hold for one route, with the paths as bytes.
struct RouteNoise {
    private var varying: Set<[UInt8]> = []
    private var ignored: Set<[UInt8]> = []
    /// The arrays whose elements are not paired by position.
    private(set) var arrays = ArrayRules()

    init(_ rules: NoiseRules, _ method: String, _ route: String) {
        for line in rules.lines(of: route) where line.rule.covers(method, route) {
            let path = Array(line.rule.path.utf8)
            switch line.rule.action {
            case .varies: varying.insert(path)
            case .ignore: ignored.insert(path)
            case .array(let order): arrays[path] = order
            }
        }
    }

    /// Returns whether differences of a part are noise.
    ///
    /// - Parameters:
    ///   - path: The part, without positions.
    ///   - kind: How it differs. A value that varies may not be missing or have another type, but
    ///     the parts of an object that varies may.
    /// - Returns: Whether a rule covers the difference.
    func covers(_ path: [UInt8], _ kind: FoundDifference.Kind) -> Bool {
        if varying.isEmpty, ignored.isEmpty { return false }
        return DifferencePath.searchAncestors(of: path) { part in
            if ignored.contains(part) { return true }
            guard varying.contains(part) else { return false }
            return part.count < path.count || kind == .changed || kind == .order
        }
    }
}
