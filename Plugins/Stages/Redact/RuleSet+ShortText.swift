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
        keeping: TextEditor.Keeping = .nothing,
        _ edits: inout EditList
    ) {
        guard !range.isEmpty else { return }
        var found = EditList()
        credentials.edit(bytes, range, notation, self, &found)
        // With what stands before it, so that short texts too are searched as whole blocks.
        let text = bytes.extracting(0..<range.upperBound)
        if text.hasNameHint(from: range.lowerBound) {
            TextEditor(rules: self, notation: notation, isQuery: true, keeping: keeping)
                .edit(bytes, range, &edits)
        } else if TextEditor.mayHoldWords(text, from: range.lowerBound) {
            TextEditor(rules: self, notation: notation, isProse: true, keeping: keeping)
                .edit(bytes, range, &edits)
        }
        edits.merge(found)
        if bytes[range.lowerBound] == .ascii("/") {
            found.reset()
            editSegments(bytes, RuleSet.path(bytes, range), &found)
            edits.merge(found)
        }
    }

    /// Whether a secret may stand in a text of which only the first byte is known: a credential, or a
    /// segment of a path.
    @inline(__always)
    static func mayBeginSecret(_ byte: UInt8) -> Bool {
        CredentialEditor.mayBegin(byte) || byte == .ascii("/")
    }

    /// Edits text between tags, most of which is prose: `name="value"`, `name=value`, credentials, and
    /// after `name:` one word or a credential.
    func editMarkupText(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ notation: Notation,
        _ edits: inout EditList
    ) {
        TextEditor(rules: self, notation: notation, isStrict: true).edit(bytes, range, &edits)
        let text = bytes.extracting(0..<range.upperBound)
        guard
            range.count > 5,
            CredentialEditor.mayBegin(bytes[range.lowerBound])
                || text.hasTextHint(from: range.lowerBound)
        else { return }
        var found = EditList()
        TextEditor(rules: self, notation: notation, isProse: true, keeping: .plainWords)
            .edit(bytes, range, &found)
        edits.merge(found)
        found.reset()
        credentials.edit(bytes, range, notation, self, &found)
        edits.merge(found)
    }
}
