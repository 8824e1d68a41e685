// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Names of members that no rule concerns: those that were met last.
///
/// Most names come again and again, and to know one costs less than to look at its letters.
///
/// **Shape**: kept by a lane beyond one text, as long as the rules are the same.
/// **Limits**: 256 names of at most 15 bytes; a newer one takes the place of an older.
struct PlainNames {
    private struct Slot {
        var name = ShortName.none
        var role = JSONPairs.Role.none
    }

    private var slots: [Slot] = []
    private var rules: RuleSet?

    /// Forgets all names where the rules are others than those before.
    mutating func use(_ rules: RuleSet) {
        guard self.rules !== rules else { return }
        self.rules = rules
        slots = [Slot](repeating: Slot(), count: ShortName.slots)
    }

    /// What a name within quotes is to a pair; nothing where a rule may concern its value.
    @inline(__always)
    mutating func role(of range: Range<Int>, in text: Span<UInt8>) -> JSONPairs.Role? {
        guard let short = ShortName(text, range) else {
            return longRole(text.extracting(range))
        }
        let slot = short.slot
        if slots[slot].name == short { return slots[slot].role }
        return newRole(short, slot, text.extracting(range))
    }

    private mutating func newRole(
        _ short: ShortName,
        _ slot: Int,
        _ name: Span<UInt8>
    ) -> JSONPairs.Role? {
        let role = JSONPairs.Role(of: name)
        guard let rules, role != .value, rules.json.rule(forNested: name) == nil else { return nil }
        slots[slot] = Slot(name: short, role: role)
        return role
    }

    private func longRole(_ name: Span<UInt8>) -> JSONPairs.Role? {
        let role = JSONPairs.Role(of: name)
        guard let rules, role != .value, !rules.json.mayMatch(name) else { return nil }
        return role
    }
}
