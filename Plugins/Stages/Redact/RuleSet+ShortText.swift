// SPDX-License-Identifier: MIT

internal import TaplineModel

extension RuleSet {
    /// Edits a text of no certain form: the value of a field, a string of JSON, a tag, an error.
    ///
    /// Credentials that name their scheme, then names with their values. Escapes that stand for
    /// other characters have been undone.
    func editShortText(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ notation: Notation,
        _ edits: inout EditList
    ) {
        var found = EditList()
        credentials.edit(bytes, range, notation, self, &found)
        // With what stands before it, so that short texts too are searched as whole blocks.
        let text = bytes.extracting(0..<range.upperBound)
        if text.hasNameHint(from: range.lowerBound) {
            TextEditor(rules: self, notation: notation, isQuery: true).edit(bytes, range, &edits)
        } else if TextEditor.mayHoldWords(text, from: range.lowerBound) {
            TextEditor(rules: self, notation: notation, isProse: true).edit(bytes, range, &edits)
        }
        edits.merge(found)
    }
}
