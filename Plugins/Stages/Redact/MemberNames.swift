// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A cache of recently seen member names with the rules for their values.
///
/// Most names recur, and a look-up costs less than analyzing the letters.
///
/// **Shape**: kept by a lane across texts, as long as the rules are the same. **Limits**: 256 names
/// of at most 15 bytes; a newer name replaces an older one.
struct MemberNames {
    private struct Slot {
        var name = ShortName.none
        /// `nil` if a rule may apply to the value.
        var plainRole: JSONPairs.Role?
        var rule: Rule?
    }

    private var slots: [Slot] = []
    private var rules: RuleSet?

    /// Removes all names if the rules have changed.
    mutating func use(_ rules: RuleSet) {
        guard self.rules !== rules else { return }
        self.rules = rules
        slots = [Slot](repeating: Slot(), count: ShortName.slots)
    }

    /// Returns the role of a quoted name in a pair; `nil` if a rule may apply to its value.
    @inline(__always)
    mutating func plainRole(of range: Range<Int>, in text: Span<UInt8>) -> JSONPairs.Role? {
        guard let short = ShortName(text, range) else {
            return longRole(text.extracting(range))
        }
        let slot = short.slot
        if slots[slot].name == short { return slots[slot].plainRole }
        note(short, slot, text.extracting(range))
        return slots[slot].plainRole
    }

    /// Returns the rule for the value of a quoted name without escapes.
    mutating func rule(of range: Range<Int>, in text: Span<UInt8>) -> Rule? {
        guard let short = ShortName(text, range) else {
            return rules?.json.rule(forNested: text.extracting(range))
        }
        let slot = short.slot
        if slots[slot].name != short { note(short, slot, text.extracting(range)) }
        return slots[slot].rule
    }

    private mutating func note(_ short: ShortName, _ slot: Int, _ name: Span<UInt8>) {
        let rule = rules?.json.rule(forNested: name)
        let role = JSONPairs.Role(of: name)
        let isPlain = rule == nil && role != .value
        slots[slot] = Slot(name: short, plainRole: isPlain ? role : nil, rule: rule)
    }

    private func longRole(_ name: Span<UInt8>) -> JSONPairs.Role? {
        let role = JSONPairs.Role(of: name)
        guard let rules, role != .value, !rules.json.mayMatch(name) else { return nil }
        return role
    }
}
