// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
public import TaplinePlugin

extension StagePlugin {
    /// The stage `redact`: removes secrets from recorded traffic.
    public static var redact: StagePlugin {
        StagePlugin(
            name: "redact",
            summary:
                "Removes secrets from recorded traffic; live traffic is unchanged.",
            options: RedactOptions.schema,
            build: { options, context in
                let key = RedactKey.read(options, &context)
                let detectors = DetectorOptions.build(options, &context)
                guard let key, !context.diagnostics.hasErrors else { return nil }
                return RedactBuilder.plan(options, key, detectors, &context).map {
                    var factory = RedactFactory(
                        $0,
                        detectors,
                        marks: options[RedactOptions.mark]
                    )
                    factory.configurationFiles = [
                        options[RedactOptions.keyFile], options[RedactOptions.descriptors],
                    ].compactMap(\.self)
                    return factory
                }
            }
        )
    }
}

/// Builds the rules from the options.
enum RedactBuilder {
    /// Returns all rules: those of the preset, then the user's, which take precedence.
    static func plan(
        _ options: Options,
        _ key: [UInt8],
        _ detectors: (any DetectorSet)?,
        _ context: inout BuildContext
    ) -> RedactPlan? {
        let hasListener = context.secretListener != nil
        /// The action of a rule; `remove` becomes `mask`, since a listener needs a replacement.
        func action(_ own: RedactionAction?) -> RedactionAction {
            let action = own ?? RedactOptions.effectiveAction(options)
            return hasListener && action == .remove ? .mask : action
        }
        var rules = RuleList()
        rules.action = action(nil)
        setLimits(options, &rules)
        rules.schema = context.descriptors(options, RedactOptions.descriptors)
        if options[RedactOptions.preset] != .none {
            let kept = options[RedactOptions.keep].filter { $0.place == .cookie }
            rules.addStandard(rules.action, keptCookies: kept.map(\.name))
        }
        for rule in options[RedactOptions.headers] {
            rules.addHeader(rule.name, action(rule.action))
        }
        for rule in options[RedactOptions.cookies] {
            rules.addCookie(rule.name, action(rule.action))
        }
        for rule in options[RedactOptions.query] {
            rules.addQuery(rule.name, action(rule.action))
        }
        for rule in options[RedactOptions.form] {
            rules.addForm(rule.name, action(rule.action))
        }
        for rule in options[RedactOptions.json] {
            guard rules.addJSON(rule.name, action(rule.action)) else {
                context.diagnostics.error(
                    at: options.location(of: RedactOptions.json) ?? context.location,
                    "too many paths; expected at most \(JSONPathRules.limit) steps in total"
                )
                return nil
            }
        }
        let own = DetectorOptions.ownKinds(options)
        for kind in detectors?.kinds ?? [] {
            rules.addDetector(kind, rules.action, isOwn: own.contains(kind))
        }
        let strict = Self.strict(options, &rules, &context)
        guard !context.diagnostics.hasErrors else { return nil }
        return RedactPlan(
            list: rules,
            mask: options[RedactOptions.mask],
            key: key,
            listener: context.secretListener,
            makesStandIns: RedactOptions.effectiveAction(options) == .pseudonym
                || RedactKey.pseudonyms(options) != nil,
            strict: strict
        )
    }

    private static func setLimits(_ options: Options, _ list: inout RuleList) {
        list.limits.maxDepth = options[RedactOptions.maxDepth]
        list.limits.maxDecodedBytes = options[RedactOptions.maxDecodedBytes]
        list.limits.maxTime = options[RedactOptions.maxTime]
        list.limits.unreadable.areMasked = options[RedactOptions.preset] != .none
        list.limits.unreadable.kept = options[RedactOptions.keepTypes].map {
            Glob($0, ignoringCase: true)
        }
    }

    /// Returns the rules of `preset: strict`, or `nil` for other presets or invalid options.
    private static func strict(
        _ options: Options,
        _ list: inout RuleList,
        _ context: inout BuildContext
    ) -> StrictRules? {
        let kept = options[RedactOptions.keep]
        let place = options.location(of: RedactOptions.keep) ?? context.location
        guard options[RedactOptions.preset] == .strict else {
            if !kept.isEmpty {
                context.diagnostics.error(
                    at: place,
                    "'keep' requires 'preset: strict'; other presets keep whatever no rule names",
                    help: "remove 'keep', or set 'preset: strict'"
                )
            }
            return nil
        }
        let keep = KeepList(kept)
        guard keep.isWhole else {
            context.diagnostics.error(
                at: place,
                "too many paths; expected at most \(JSONPathRules.limit) steps in total"
            )
            return nil
        }
        let texts =
            kept.map(\.text) + options[RedactOptions.keepTypes].map { "bodies of \($0)" }
        if !texts.isEmpty {
            context.diagnostics.note(
                at: kept.isEmpty
                    ? options.location(of: RedactOptions.keepTypes) ?? place : place,
                "kept unchanged: \(texts.joined(separator: ", "))",
                help: "rules and detectors still replace what they find there"
            )
        }
        var names = keep.names
        for rules in RedactOptions.ruleLists {
            names += options[rules].map(\.name).filter { !NameRules.isPattern($0) }
        }
        return StrictRules(keep, ownNames: names, &list)
    }
}
