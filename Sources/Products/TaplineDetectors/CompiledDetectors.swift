// SPDX-License-Identifier: MIT

internal import TaplineMultiPattern
internal import TaplinePlugin

/// A compiled selection of detectors, shared by all lanes.
final class CompiledDetectors: DetectorSet {
    /// A form and the kind of secret that it detects.
    struct Rule {
        let kind: Int
        let form: Form
    }

    /// A form whose candidates are anchors.
    struct AnchorRule {
        let anchor: ByteClassAnchors
        let kind: Int
        let shape: Shape
    }

    /// The rules and patterns of a literal, as ranges of the arrays below.
    struct Entry {
        var length: Int
        var rules: Range<Int>
        var patterns: Range<Int>
    }

    let kinds: [String]
    /// Whether a kind yields to other kinds on overlap, by kind.
    let isWeak: [Bool]
    /// The literals that Hyperscan finds.
    let literals: LiteralSet?
    /// The rules and patterns of each literal.
    let entries: [Entry]
    /// The forms that begin with literals, grouped by literal.
    let rules: [Rule]
    /// The indices of the patterns that begin with literals, grouped by literal.
    let heads: [Int]
    /// The anchors to find, and the forms that may be there.
    let anchors: ByteClassAnchors
    let anchorRules: [AnchorRule]
    /// The range of rules for each kind of anchor, by the number of its bit.
    let rulesOfAnchors: [Range<Int>]
    let patterns: [OwnPattern]
    let allowed: AllowList

    /// Compiles detectors and patterns; the kinds of patterns come after those of detectors.
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
        var index = LiteralIndex()
        var anchorRules: [AnchorRule] = []
        for (kind, detector) in detectors.enumerated() {
            for form in detector.forms {
                for literal in form.literals {
                    index.append(Rule(kind: kind, form: form), for: literal)
                }
                guard case .shape(let shape) = form, !shape.anchors.isEmpty else { continue }
                anchorRules.append(
                    AnchorRule(anchor: shape.anchors, kind: kind, shape: shape)
                )
            }
        }
        for (position, pattern) in patterns.enumerated() {
            if let head = pattern.head { index.append(position, for: head) }
        }
        literals = index.literals.isEmpty ? nil : try LiteralSet(index.literals)
        (entries, rules, heads) = index.flattened
        anchors = ByteClassAnchors(anchorRules.map(\.anchor))
        anchorRules.sort { $0.anchor.rawValue < $1.anchor.rawValue }
        rulesOfAnchors = (0..<UInt8.bitWidth).map { bit in
            let start = anchorRules.prefix { $0.anchor.rawValue < 1 << bit }.count
            return start..<start + anchorRules.count { $0.anchor.rawValue == 1 << bit }
        }
        self.anchorRules = anchorRules
    }

    /// Whether no finding crosses a NUL; the user's own patterns may anchor at the end or match a
    /// NUL.
    var endsAtNUL: Bool { patterns.isEmpty }

    func makeScanner() throws -> any SecretScanner {
        try DetectorScanner(self)
    }
}

/// The rules and patterns of each literal while they are collected.
private struct LiteralIndex {
    private(set) var literals: [LiteralSet.Literal] = []
    private var indices: [LiteralSet.Literal: Int] = [:]
    private var rules: [[CompiledDetectors.Rule]] = []
    private var heads: [[Int]] = []

    mutating func append(_ rule: CompiledDetectors.Rule, for literal: LiteralSet.Literal) {
        rules[index(of: literal)].append(rule)
    }

    mutating func append(_ pattern: Int, for literal: LiteralSet.Literal) {
        heads[index(of: literal)].append(pattern)
    }

    private mutating func index(of literal: LiteralSet.Literal) -> Int {
        if let known = indices[literal] { return known }
        indices[literal] = literals.count
        literals.append(literal)
        rules.append([])
        heads.append([])
        return literals.count - 1
    }

    /// The index as three arrays.
    var flattened: ([CompiledDetectors.Entry], [CompiledDetectors.Rule], [Int]) {
        var entries: [CompiledDetectors.Entry] = []
        var rule = 0
        var head = 0
        for index in literals.indices {
            entries.append(
                CompiledDetectors.Entry(
                    length: literals[index].bytes.count,
                    rules: rule..<rule + rules[index].count,
                    patterns: head..<head + heads[index].count
                )
            )
            rule += rules[index].count
            head += heads[index].count
        }
        return (entries, rules.flatMap(\.self), heads.flatMap(\.self))
    }
}
