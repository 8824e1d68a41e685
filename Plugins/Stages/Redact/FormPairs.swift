// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Pairs of items in a form or a query: `name=password&value=x`, `Tag.1.Key=password&Tag.1.Value=x`.
struct FormPairs {
    /// What comes before the last part of the present name, and the rule for the value that belongs
    /// to it.
    private var named: (prefix: Range<Int>, rule: Rule)?

    /// What an item is to a pair.
    struct Part {
        /// Whether its value is the name that a rule names.
        var isName = false
        /// The rule for its value.
        var rule: Rule?
    }

    /// Reads the next item.
    mutating func read(_ item: QueryItems.Item, _ bytes: Span<UInt8>, _ names: NameRules) -> Part {
        let last = FormPairs.lastPart(bytes, item.name)
        let prefix = item.name.lowerBound..<last.lowerBound
        switch JSONPairs.Role(of: bytes.extracting(last)) {
        case .none: return Part()
        case .name:
            named = nil
            guard let rule = FormPairs.rule(bytes.extracting(item.value), names) else {
                return Part()
            }
            named = (prefix, rule)
            return Part(isName: true)
        case .value:
            guard let named, FormPairs.isEqual(bytes, named.prefix, prefix) else { return Part() }
            self.named = nil
            return Part(rule: named.rule)
        }
    }

    /// The rule for a name that is written as a value.
    private static func rule(_ value: Span<UInt8>, _ names: NameRules) -> Rule? {
        guard 2...64 ~= value.count else { return nil }
        guard value.firstIndex(ofEither: .ascii("%"), .ascii("+"), from: 0) < value.count else {
            return names.rule(forNested: value)
        }
        let decoded = PercentEncoding.decode(value, plusIsSpace: true)
        return names.rule(forNested: decoded.span)
    }

    /// The last part of a nested name, without the bracket behind it: `Tag.1.Key`, `a[0][key]`.
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

    private static func isEqual(_ bytes: Span<UInt8>, _ a: Range<Int>, _ b: Range<Int>) -> Bool {
        guard a.count == b.count else { return false }
        for offset in 0..<a.count
        where bytes[a.lowerBound + offset] != bytes[b.lowerBound + offset] {
            return false
        }
        return true
    }
}
