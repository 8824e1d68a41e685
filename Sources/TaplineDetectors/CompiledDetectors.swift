// SPDX-License-Identifier: MIT

internal import TaplinePatterns
internal import TaplinePlugin

/// A choice of detectors, compiled; shared by all lanes.
final class CompiledDetectors: DetectorSet {
    /// A form, and the kind of secret that has it.
    struct Rule {
        let kind: Int
        let form: Form
    }

    let kinds: [String]
    /// Whether others win over a kind, by kind.
    let isWeak: [Bool]
    /// What Hyperscan looks for.
    let literals: LiteralSet?
    /// The forms that begin with each of the literals.
    let rules: [[Rule]]
    /// The patterns that begin with each of the literals.
    let heads: [[Int]]
    /// The other places that are looked for, and the forms that each of them may be.
    let landmarks: Landmarks
    let landmarkRules: [(kind: Landmarks, rules: [Rule])]
    let patterns: [OwnPattern]
    let allowed: AllowList

    /// Compiles detectors and patterns, whose kinds come behind those of the detectors.
    init(
        _ detectors: [Detector],
        patterns: [OwnPattern],
        patternNames: [String],
        allowed: AllowList
    ) throws(LiteralSetError) {
        kinds = detectors.map(\.name) + patternNames
        isWeak = detectors.map(\.isWeak) + patternNames.map { _ in false }
        self.patterns = patterns
        self.allowed = allowed
        var all: [LiteralSet.Literal] = []
        var indices: [LiteralSet.Literal: Int] = [:]
        var rules: [[Rule]] = []
        var heads: [[Int]] = []
        func index(of literal: LiteralSet.Literal) -> Int {
            if let known = indices[literal] { return known }
            indices[literal] = all.count
            all.append(literal)
            rules.append([])
            heads.append([])
            return all.count - 1
        }
        var byLandmark: [(kind: Landmarks, rules: [Rule])] = Self.landmarkKinds.map { ($0, []) }
        for (kind, detector) in detectors.enumerated() {
            for form in detector.forms {
                let rule = Rule(kind: kind, form: form)
                for literal in form.literals { rules[index(of: literal)].append(rule) }
                for position in byLandmark.indices
                where form.landmarks.contains(byLandmark[position].kind) {
                    byLandmark[position].rules.append(rule)
                }
            }
        }
        for (position, pattern) in patterns.enumerated() {
            if let head = pattern.head { heads[index(of: head)].append(position) }
        }
        literals = all.isEmpty ? nil : try LiteralSet(all)
        self.rules = rules
        self.heads = heads
        landmarkRules = byLandmark.filter { !$0.rules.isEmpty }
        landmarks = Landmarks(landmarkRules.map(\.kind))
    }

    private static let landmarkKinds: [Landmarks] = [
        .atSign, .fourDigits, .countryDigits, .digit, .hexColon,
    ]

    func makeScanner() throws -> any SecretScanner {
        try DetectorScanner(self)
    }
}
