// SPDX-License-Identifier: MIT

/// A rule as a look-up answers it: which one it is, and what becomes of the values that it finds.
struct Rule: Sendable, BitwiseCopyable, Equatable {
    /// Its place in the stage's `RuleBook`, under which it is counted.
    let index: UInt32
    let action: RedactionAction

    init(_ index: Int, _ action: RedactionAction) {
        self.index = UInt32(clamping: index)
        self.action = action
    }
}

/// Where a rule looks; the first word of its name.
enum RuleKind: String, Sendable {
    case header, cookie, query, form, json, text, detector
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
}
