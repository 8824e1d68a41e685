// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Redactor {
    /// Redacts parts that few exchanges have: user notes, names of what was changed, gRPC.
    mutating func redactExtra(of exchange: inout Exchange) {
        guard var extra = exchange.extra else { return }
        if var grpc = extra.grpc {
            redactCopies(in: &grpc)
            if exchange.request.target != call.target {
                // The names of the call are copies of the path, of which something was removed.
                let parts = GRPCCall.names(exchange.request)
                grpc.service = parts?.service ?? ""
                grpc.method = parts?.method ?? ""
            }
            extra.grpc = grpc
        }
        extra.editTexts { text, kind in
            text =
                kind == .name && removes(text)
                ? String(decoding: rules.replacement.maskText, as: UTF8.self) : redactedText(text)
        }
        exchange.extra = extra
    }

    /// Redacts what a call copies from fields that rules name.
    private mutating func redactCopies(in grpc: inout GRPCFacts) {
        if !grpc.message.isEmpty, let rule = rules.copyRule(ofTag: GRPCCall.messageTag) {
            grpc.message = redactedCopy(grpc.message, rule) ?? ""
        }
        if let status = grpc.status, let rule = rules.copyRule(ofTag: GRPCCall.statusTag),
            !rule.harmless.contains("\(status)".utf8.span)
        {
            counter.count(rule.index)
            grpc.status = nil
        }
    }

    /// Returns the replacement of a value that a rule names; `nil` if it is removed.
    mutating func redactedCopy(_ value: String, _ rule: Rule) -> String? {
        let bytes = value.utf8.span
        guard !rule.harmless.contains(bytes) else { return value }
        counter.count(rule.index)
        guard rule.action != .remove else { return nil }
        rules.report(bytes, rule)
        var output: [UInt8] = []
        rules.replacement.append(rule.action, of: bytes, as: .plain, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Whether a rule removes the fields or tags of a name, so that the name is not shown either.
    private func removes(_ name: String) -> Bool {
        let bytes = name.utf8.span
        if case .redact(let rule)? = rules.treatment(of: bytes), rule.action == .remove {
            return true
        }
        return rules.text.rule(forNested: bytes)?.action == .remove
    }
}

extension RuleSet {
    /// Returns the rule for a tag: one for its own name, or for the field that it is a copy of.
    func rule(forTag name: String) -> Rule? {
        text.rule(forNested: name.utf8.span) ?? copyRule(ofTag: name)
    }

    /// Returns the rule for the field that sources copy to a tag.
    func copyRule(ofTag name: String) -> Rule? {
        let field: StaticString
        switch name {
        case GRPCCall.messageTag: field = "grpc-message"
        case GRPCCall.statusTag: field = "grpc-status"
        case Tags.alternatives: field = "Alt-Svc"
        default: return nil
        }
        guard case .redact(let rule)? = treatment(of: field.description.utf8.span) else {
            return nil
        }
        return rule
    }
}
