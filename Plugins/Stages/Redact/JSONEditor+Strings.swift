// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Strings that no rule names; they may contain URLs, credentials, names with values, or markup.
extension JSONEditor {
    /// Edits the content of a string that no rule names.
    @inline(__always)
    mutating func editText(
        _ range: Range<Int>,
        isEscaped: Bool,
        _ bytes: Span<UInt8>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) {
        guard range.count > 5 else { return }
        if isEscaped {
            editEscapedText(bytes, range, rules, &edits)
            return
        }
        let first = bytes[range.lowerBound]
        if first.isDigit, JSONEditor.isTimestamp(bytes, range) { return }
        // Includes the preceding text, so that short strings too are searched in whole blocks.
        let text = bytes.extracting(0..<range.upperBound)
        let hints = text.textHints(from: range.lowerBound)
        guard
            hints.mayHoldSecrets || first == .ascii("<")
                || RuleSet.mayBeginSecret(bytes.extracting(range))
        else { return }
        if first == .ascii("<"), MarkupEditor.isLikely(bytes, range) {
            var editor = MarkupEditor(rules, .jsonPart)
            var json = JSONEditor()
            editor.edit(bytes, range, &json, &edits)
        } else {
            rules.editShortText(bytes, range, .jsonPart, hints: hints, &edits)
        }
    }

    /// Whether a string has only digits and other characters of timestamps: `2026-11-20T14:03:00Z`.
    private static func isTimestamp(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        range.count <= 35
            && bytes.extracting(0..<range.upperBound).nextNonTimestamp(from: range.lowerBound)
                == range.upperBound
    }

    /// Edits the unescaped content of a string with escapes.
    private mutating func editEscapedText(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) {
        var meaning = self.meaning
        self.meaning = []
        meaning.removeAll(keepingCapacity: true)
        let source = bytes.extracting(range)
        EmbeddedForm.backslashed.unescape(source, appendingTo: &meaning)
        var found = EditList()
        let whole = 0..<meaning.count
        if MarkupEditor.isLikely(meaning.span, whole) {
            var editor = MarkupEditor(rules)
            var json = JSONEditor()
            editor.edit(meaning.span, whole, &json, &found)
        } else {
            rules.editShortText(meaning.span, whole, .plain, &found)
        }
        if !found.isEmpty {
            edits.merge(found.lifted(to: source, .backslashed, offset: range.lowerBound))
        }
        self.meaning = meaning
    }
}
