// SPDX-License-Identifier: MIT

internal import TaplineConfig
public import TaplinePlugin

extension StagePlugin {
    /// The stage `redact`: takes secrets out of what is kept.
    public static var redact: StagePlugin {
        StagePlugin(
            name: "redact",
            summary:
                "Takes secrets out of what is kept; live traffic stays as it is.",
            options: RedactOptions.schema,
            build: { options, context in
                let key = RedactKey.read(options, &context)
                let detectors = DetectorOptions.build(options, &context)
                guard let key, !context.diagnostics.hasErrors else { return nil }
                return RedactBuilder.rules(options, key, detectors, &context).map {
                    RedactFactory($0, detectors, marks: options[RedactOptions.mark])
                }
            }
        )
    }
}

/// Turns options into rules.
enum RedactBuilder {
    /// All rules of the options: those of the preset, then the user's, which win.
    static func rules(
        _ options: Options,
        _ key: [UInt8],
        _ detectors: (any DetectorSet)?,
        _ context: inout BuildContext
    ) -> RuleSet? {
        // What is removed has no replacement, by which values are told of.
        let isHeard = context.secretListener != nil
        func heard(_ action: RedactionAction) -> RedactionAction {
            isHeard && action == .remove ? .mask : action
        }
        let action = heard(options[RedactOptions.action])
        var rules = RuleList()
        rules.action = action
        rules.limits.maxDepth = options[RedactOptions.maxDepth]
        rules.limits.maxDecodedBytes = options[RedactOptions.maxDecodedBytes]
        if options[RedactOptions.preset] == .standard { rules.addStandard(action) }
        for rule in options[RedactOptions.headers] {
            rules.addHeader(rule.name, rule.action.map(heard) ?? action)
        }
        for rule in options[RedactOptions.cookies] {
            rules.addCookie(rule.name, rule.action.map(heard) ?? action)
        }
        for rule in options[RedactOptions.query] {
            rules.addQuery(rule.name, rule.action.map(heard) ?? action)
        }
        for rule in options[RedactOptions.form] {
            rules.addForm(rule.name, rule.action.map(heard) ?? action)
        }
        for rule in options[RedactOptions.json] {
            guard rules.addJSON(rule.name, rule.action.map(heard) ?? action) else {
                context.diagnostics.error(
                    at: options.location(of: RedactOptions.json) ?? context.location,
                    "too many paths; expected at most \(JSONPathRules.limit) steps in all"
                )
                return nil
            }
        }
        let own = DetectorOptions.ownKinds(options)
        for kind in detectors?.kinds ?? [] {
            rules.addDetector(kind, action, isOwn: own.contains(kind))
        }
        return RuleSet(
            rules,
            Replacement(mask: options[RedactOptions.mask], key: key.span),
            context.secretListener
        )
    }
}
