// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// What the options of a stage came to: all that its lanes are made from.
struct RedactPlan: Sendable {
    let list: RuleList
    let mask: String
    let key: [UInt8]
    let listener: (any SecretListener)?
    /// Whether stand-ins may be made.
    var makesStandIns = false
    /// What `preset: strict` does beyond the rules; `nil` without that preset.
    var strict: StrictRules?

    /// The rules, ready to use; what they put in place of values is noted if that is asked for.
    func rules(noting made: MadeTexts? = nil) -> RuleSet {
        RuleSet(list, Replacement(mask: mask, key: key.span, made: made), listener)
    }
}
