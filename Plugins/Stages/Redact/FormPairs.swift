// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Pairs of items in a form or a query: `name=password&value=x`,
/// `Tag.1.Key=password&Tag.1.Value=x`.
struct FormPairs {
    /// The prefix of the current name before its last part, and the rule for the value that belongs
    /// to it.
    private var named: (prefix: Range<Int>, rule: Rule)?

    /// The role of an item in a pair.
    struct Part {
        /// Whether its value is the name that a rule names.
        var isName = false
        /// The rule for its value.
        var rule: Rule?
    }

    /// Reads the next item.
    mutating func read(_ item: QueryItems.Item, _ bytes: Span<UInt8>, _ rules: RuleSet) -> Part {
        let last = FormPairs.lastPart(bytes, item.name)
        let prefix = item.name.lowerBound..<last.lowerBound
        switch JSONPairs.Role(of: bytes.extracting(last)) {
        case .none: return Part()
        case .name:
            named = nil
            guard 2...64 ~= item.value.count, let rule = rules.rule(bytes, item.value, rules.text)
            else { return Part() }
            named = (prefix, rule)
            return Part(isName: true)
        case .value:
            guard let named, named.prefix.count == prefix.count,
                bytes.extracting(named.prefix).holdsSame(as: bytes.extracting(prefix))
            else { return Part() }
            self.named = nil
            return Part(rule: named.rule)
        }
    }

    /// Returns the last part of a nested name, without its closing bracket: `Tag.1.Key`,
    /// `a[0][key]`.
    private static func lastPart(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Range<Int> {
        var end = name.upperBound
        if end > name.lowerBound, bytes[end - 1] == .ascii("]") { end -= 1 }
        var start = end
        while start > name.lowerBound, bytes[start - 1] != .ascii("."),
            bytes[start - 1] != .ascii("[")
        {
            start -= 1
        }
        return start..<end
    }
}
