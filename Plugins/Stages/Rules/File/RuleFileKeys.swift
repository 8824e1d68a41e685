// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineQuery

/// The options of a file of rules.
enum RuleFileKeys {
    static let version = ConfigKey(
        "version",
        OptionType<Int>.integer(in: 1...1),
        summary: "The version of the format.",
        example: "1"
    )
    static let rules = ConfigKey(
        "rules",
        OptionType<[Located<Options>]>.list(
            of: OptionType<Options>.object(RuleKeys.schema).located
        ),
        default: [],
        summary: "The rules; each exchange passes them in order.",
        example: "[{ when: path == \"/old\", actions: [respond: { status: 410 }] }]"
    )
    static let schema = OptionSchema(version, rules)
}

/// The options of one rule.
enum RuleKeys {
    static let name = ConfigKey(
        "name",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "The name in the summary and in messages, unique within the file.",
        example: "shop is down"
    )
    static let enabled = ConfigKey(
        "enabled",
        OptionType<Bool>.bool,
        default: true,
        summary: "Whether the rule is applied."
    )
    static let when = ConfigKey(
        "when",
        OptionType<Filter>.filter.located.optional,
        default: nil,
        summary: "A filter that selects the exchanges; without it, the rule acts on all.",
        example: "host == \"api.shop.test\" and path like \"/cart*\"",
        interpolates: false
    )
    static let actions = ConfigKey(
        "actions",
        OptionType<[Located<[RuleAction]>]>.list(
            of: ActionKeys.type.located,
            allowsEmpty: false
        ),
        summary: "What the rule does, in order.",
        example: "[respond: { status: 503 }]"
    )
    static let schema = OptionSchema(name, enabled, when, actions)
}

// MARK: - From options to rules

extension RuleFileKeys {
    /// Returns the rules of a file whose options are valid; reports what contradicts.
    static func drafts(
        _ options: Options,
        _ protected: ProtectedFiles,
        into diagnostics: inout Diagnostics
    ) -> [RuleDraft] {
        var drafts: [RuleDraft] = []
        var names: Set<String> = []
        var files = RuleFileContents(protected)
        for (position, rule) in options[rules].enumerated() {
            var draft = RuleDraft(position: position, location: rule.location)
            let name = rule.value[RuleKeys.name]
            draft.hasName = name != nil
            draft.name = name?.value ?? "rule \(position + 1)"
            if !names.insert(draft.name).inserted {
                diagnostics.error(
                    at: name?.location ?? rule.location,
                    "two rules have the name '\(draft.name)'",
                    help: "give them different names, which the summary shows"
                )
            }
            draft.setCondition(rule.value[RuleKeys.when], into: &diagnostics)
            draft.setActions(rule.value, &files, into: &diagnostics)
            draft.isEnabled = rule.value[RuleKeys.enabled]
            drafts.append(draft)
        }
        return drafts
    }
}

extension RuleDraft {
    /// Sets the condition and when it is decided.
    fileprivate mutating func setCondition(
        _ condition: Located<Filter>?,
        into diagnostics: inout Diagnostics
    ) {
        guard let condition else { return }
        let filter = condition.value
        self.condition = filter
        decidesOnResponse =
            filter.knownAt(bufferingRequest: true, bufferingResponse: true) > .request
        guard
            let late = filter.field(
                notKnownAt: .response,
                bufferingRequest: true,
                bufferingResponse: true
            ),
            let node = condition.node
        else { return }
        diagnostics.error(
            in: node,
            at: late.offset..<late.offset + late.length,
            "'\(late.name)' is not known before the exchange has ended",
            help: "use fields of the request and the response"
        )
    }

    /// Distributes the actions to the hooks that they run in.
    fileprivate mutating func setActions(
        _ rule: Options,
        _ files: inout RuleFileContents,
        into diagnostics: inout Diagnostics
    ) {
        let groups = rule[RuleKeys.actions]
        for group in groups {
            for action in group.value {
                check(action, at: group.location, into: &diagnostics)
                let action = action.readingFile(&files, into: &diagnostics)
                switch action {
                case .pass where groups.count > 1:
                    diagnostics.error(
                        at: group.location,
                        "'pass' leaves exchanges unchanged; found further actions",
                        help: "write 'stop' to carry out the other actions, but no later rule"
                    )
                case .pass, .stop: stops = true
                default: break
                }
                if decidesOnResponse || action.moment == .response {
                    responseActions.append(action)
                } else {
                    requestActions.append(action)
                }
            }
        }
    }

    /// Reports what an action cannot do in its hook, or at all.
    private func check(
        _ action: RuleAction,
        at location: SourceLocation?,
        into diagnostics: inout Diagnostics
    ) {
        if decidesOnResponse, action.moment == .request {
            reportLate(action, at: location, into: &diagnostics)
        }
        let runsOnResponse = decidesOnResponse || action.moment == .response
        if !runsOnResponse, action.templates.contains(where: { $0.usesResponse }) {
            diagnostics.error(
                at: location,
                "the action runs before there is a response; "
                    + "found a value of the response in its template",
                help: "use a field of the response in 'when', or values of the request"
            )
        }
    }

    /// Reports an action on the request in a rule that the response decides.
    private func reportLate(
        _ action: RuleAction,
        at location: SourceLocation?,
        into diagnostics: inout Diagnostics
    ) {
        let late = condition?.field(
            notKnownAt: .request,
            bufferingRequest: true,
            bufferingResponse: true
        )
        diagnostics.error(
            at: location,
            "'\(action.description)' changes the request, which has been sent when "
                + "'\(late?.name ?? "when")' is known",
            help: "use only fields of the request in 'when'"
        )
    }
}

extension RuleAction {
    /// Returns the action with the content of its file.
    fileprivate func readingFile(
        _ files: inout RuleFileContents,
        into diagnostics: inout Diagnostics
    ) -> RuleAction {
        guard case .respond(var response) = self, case .file(var file) = response.content else {
            return self
        }
        file.read(&files, into: &diagnostics)
        response.content = .file(file)
        return .respond(response)
    }
}
