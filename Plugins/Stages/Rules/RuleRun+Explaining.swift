// SPDX-License-Identifier: MIT

internal import TaplinePlugin

extension RuleRun {
    /// Adds to the provenance which rules of a hook matched, what they did, which did not match,
    /// and which were not reached.
    func explain(_ set: RuleSet, in hook: Plane, to context: inout ExchangeContext) {
        let isResponse = hook == .response
        let rules = isResponse ? set.onResponse : set.onRequest
        guard !deeds.isEmpty || reached < rules.count else {
            // Computed once, since most exchanges match no rule.
            let text = isResponse ? set.unmatchedText.response : set.unmatchedText.request
            if !text.isEmpty { context.addDetail("rule", text) }
            return
        }
        for (rule, deeds) in deeds {
            context.addDetail("rule", RuleRun.text(of: rule, deeds))
        }
        let positions = Set(deeds.map(\.rule.position))
        let others = rules.enumerated().filter { index, rule in
            !positions.contains(rule.position) && (rule.decidesOnResponse || !isResponse)
        }
        let unmatched = others.filter { $0.offset < reached }.map(\.element.name)
        let unreached = others.filter { $0.offset >= reached }.map(\.element.name)
        if !unmatched.isEmpty {
            context.addDetail("rule", RuleRun.text("did not match", unmatched))
        }
        if !unreached.isEmpty {
            context.addDetail("rule", RuleRun.text("not reached", unreached))
        }
    }

    private static func text(of rule: Rule, _ deeds: [String]) -> String {
        let name = "'\(rule.name.prefix(maxName))' matched"
        guard !deeds.isEmpty else { return "\(name); it acts on the response" }
        return bounded("\(name): \(deeds.joined(separator: ", "))")
    }

    /// A statement about several rules.
    static func text(_ statement: String, _ names: [String]) -> String {
        bounded("\(statement): " + names.map { "'\($0.prefix(maxName))'" }.joined(separator: ", "))
    }

    /// The text, cut if it is too long.
    private static func bounded(_ text: String) -> String {
        text.utf8.count <= maxBytes ? text : "\(text.prefix(maxBytes / 4))…"
    }

    private static let maxName = 64
    /// The longest detail.
    private static let maxBytes = 4096
}
