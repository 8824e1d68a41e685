// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Redactor {
    /// Redacts parts that few exchanges have: user notes, names of what was changed, gRPC.
    mutating func redactExtra(of exchange: inout Exchange) {
        exchange.extra?.editTexts { text, kind in
            text =
                kind == .name && removes(text)
                ? String(decoding: rules.replacement.maskText, as: UTF8.self) : redactedText(text)
        }
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
