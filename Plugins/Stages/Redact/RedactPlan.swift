// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// The evaluated options of a stage, from which its lanes are created.
struct RedactPlan: Sendable {
    let list: RuleList
    let mask: String
    let key: [UInt8]
    let listener: (any SecretListener)?
    /// Whether stand-ins may be made.
    var makesStandIns = false
    /// The rules that `preset: strict` adds; `nil` with other presets.
    var strict: StrictRules?

    /// Creates the rule set; `applied` records the replacements of values if it is given.
    func rules(noting applied: AppliedReplacements? = nil) -> RuleSet {
        RuleSet(list, Replacement(mask: mask, key: key.span, applied: applied), listener)
    }
}
