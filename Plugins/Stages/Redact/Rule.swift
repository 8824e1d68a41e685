// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A rule as a look-up returns it: its identity, and the action for the values that it matches.
struct Rule: Sendable, BitwiseCopyable, Equatable {
    /// Its index in the stage's `RuleBook`, under which it is counted.
    let index: UInt32
    let action: RedactionAction
    /// Which values are not secrets although they have the name of one.
    let harmless: HarmlessValues

    init(_ index: Int, _ action: RedactionAction, _ harmless: HarmlessValues = .none) {
        self.index = UInt32(clamping: index)
        self.action = action
        self.harmless = harmless
    }

    /// The same rule for a plural name: `tokens` is more often a count of tokens than a token.
    var ofPlural: Rule {
        Rule(Int(index), action, harmless == .none ? .none : .flagsAndCounts)
    }
}

/// The values that preset rules keep under the name of a secret.
enum HarmlessValues: Sendable, BitwiseCopyable {
    case none
    /// `true`, `false` and `null`.
    case flags
    /// Flags, and whole numbers of up to three digits: `"pass": 3`.
    case flagsAndSmallCounts
    /// Flags, and whole numbers of up to seven digits: `"tokens": 4096`.
    case flagsAndCounts

    private var maxDigits: Int {
        switch self {
        case .none, .flags: 0
        case .flagsAndSmallCounts: 3
        case .flagsAndCounts: 7
        }
    }

    /// Whether a value is harmless.
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

    /// Whether a text begins with a harmless value, followed by something that ends a value.
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

/// The place that a rule searches; the first word of its name.
enum RuleKind: String, Sendable {
    case header, cookie, query, form, json, text, detector, strict
}

/// The names of a stage's rules, by their indices.
///
/// A name consists of the place that a rule searches and what it matches, and never contains what
/// it found: `header authorization`, `json $.card.number`, `query *token*`,
/// `detector aws-access-key`. Counters, tags and coverage show it. A user rule that also applies to
/// free text is one rule in both places.
struct RuleBook: Sendable {
    struct Entry: Sendable {
        let name: String
        /// Whether the user named it; then it is reported even if it never matched.
        var isOwn: Bool
    }

    /// The text before `@` in URLs; always redacted.
    static let userInfo = 0
    /// Content that was not understood; always masked.
    static let inDoubt = 1

    private(set) var entries = [
        Entry(name: "url user-info", isOwn: false),
        Entry(name: "in doubt", isOwn: false),
    ]
    private var indices: [String: Int] = [:]

    /// Adds a rule; an existing rule keeps its index and gets the new action.
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

    /// Adds a preset rule, which keeps harmless values.
    mutating func add(
        _ kind: RuleKind,
        _ what: String,
        _ action: RedactionAction,
        _ harmless: HarmlessValues
    ) -> Rule {
        Rule(Int(add(kind, what, action, isOwn: false).index), action, harmless)
    }
}
