// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A rule as a look-up returns it: which one it is, and what becomes of the values that it finds.
struct Rule: Sendable, BitwiseCopyable, Equatable {
    /// Its place in the stage's `RuleBook`, under which it is counted.
    let index: UInt32
    let action: RedactionAction
    /// Which values are no secrets, though they have the name of one.
    let harmless: HarmlessValues

    init(_ index: Int, _ action: RedactionAction, _ harmless: HarmlessValues = .none) {
        self.index = UInt32(clamping: index)
        self.action = action
        self.harmless = harmless
    }

    /// The same rule for a name in the plural: `tokens` more often counts tokens than it holds one.
    var ofPlural: Rule {
        Rule(Int(index), action, harmless == .none ? .none : .flagsAndCounts)
    }
}

/// The values that the rules of the preset let stay under the name of a secret.
enum HarmlessValues: Sendable, BitwiseCopyable {
    case none
    /// `true`, `false` and `null`.
    case flags
    /// Those, and whole numbers of up to three digits: `"pass": 3`.
    case flagsAndSmallCounts
    /// Those, and whole numbers of up to seven digits: `"tokens": 4096`.
    case flagsAndCounts

    private var maxDigits: Int {
        switch self {
        case .none, .flags: 0
        case .flagsAndSmallCounts: 3
        case .flagsAndCounts: 7
        }
    }

    /// Whether a value is one of these.
    func contains(_ value: Span<UInt8>) -> Bool {
        guard self != .none, !value.isEmpty else { return false }
        if value[0].isDigit {
            guard value.count <= maxDigits else { return false }
            for index in value.indices where !value[index].isDigit { return false }
            return true
        }
        guard value.count <= 5 else { return false }
        return value.equalsIgnoringCase("true") || value.equalsIgnoringCase("false")
            || value.equalsIgnoringCase("null")
    }

    /// Whether a text begins with one of these, and something follows that ends a value.
    func begins(_ text: Span<UInt8>) -> Bool {
        guard self != .none else { return false }
        var end = 0
        while end < text.count, end < 8, text[end].isDigit || 0x61...0x7A ~= text[end] | 0x20 {
            end += 1
        }
        guard end > 0, contains(text.extracting(0..<end)) else { return false }
        guard end < text.count else { return true }
        switch text[end] {
        case 0...0x20, .ascii(","), .ascii(";"), .ascii(")"), .ascii("]"), .ascii("}"),
            .ascii("&"), .ascii("<"), .ascii("\""), .ascii("'"):
            return true
        default:
            return false
        }
    }
}

/// Where a rule looks; the first word of its name.
enum RuleKind: String, Sendable {
    case header, cookie, query, form, json, text, detector, strict
}

/// What the rules of a stage are called, by their indices.
///
/// A name says where a rule looks and for what, and never what it found: `header authorization`,
/// `json $.card.number`, `query *token*`, `detector aws-access-key`. Counters, tags and coverage
/// show it. A rule of the user's that also reaches free text is one rule in both places.
struct RuleBook: Sendable {
    struct Entry: Sendable {
        let name: String
        /// Whether the user asked for it by name; one that never matched is worth telling then.
        var isOwn: Bool
    }

    /// What stands before `@` in URLs; it goes whatever the rules.
    static let userInfo = 0
    /// What was not understood; it is masked whatever the rules.
    static let inDoubt = 1

    private(set) var entries = [
        Entry(name: "url user-info", isOwn: false),
        Entry(name: "in doubt", isOwn: false),
    ]
    private var indices: [String: Int] = [:]

    /// Adds a rule; one that is there already keeps its index and gets the new action.
    mutating func add(
        _ kind: RuleKind,
        _ what: String,
        _ action: RedactionAction,
        isOwn: Bool
    ) -> Rule {
        let name = "\(kind.rawValue) \(kind == .header ? what.lowercased() : what)"
        if let index = indices[name] {
            entries[index].isOwn = entries[index].isOwn || isOwn
            return Rule(index, action)
        }
        indices[name] = entries.count
        entries.append(Entry(name: name, isOwn: isOwn))
        return Rule(entries.count - 1, action)
    }

    /// Adds a rule of the preset, which lets harmless values stay.
    mutating func add(
        _ kind: RuleKind,
        _ what: String,
        _ action: RedactionAction,
        _ harmless: HarmlessValues
    ) -> Rule {
        Rule(Int(add(kind, what, action, isOwn: false).index), action, harmless)
    }
}
