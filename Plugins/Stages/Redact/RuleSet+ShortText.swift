// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

extension RuleSet {
    /// Edits unstructured text: the value of a field, a JSON string, a tag, an error.
    ///
    /// It finds credentials that name their scheme, then names with their values. Escapes of other
    /// characters have been decoded. `hints` are those of the text, if they are known.
    func editShortText(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ notation: Notation,
        keeping: TextEditor.Keeping = .nothing,
        hints: TextHints? = nil,
        _ edits: inout EditList
    ) {
        guard !range.isEmpty else { return }
        // Includes the preceding text, so that short texts too are searched in whole blocks.
        let text = bytes.extracting(0..<range.upperBound)
        let hints = hints ?? text.textHints(from: range.lowerBound)
        // Most texts contain none.
        guard hints.mayHoldSecrets || RuleSet.mayBeginSecret(bytes.extracting(range)) else {
            return
        }
        if hints.contains(.names) {
            TextEditor(rules: self, notation: notation, isQuery: true, keeping: keeping)
                .edit(bytes, range, &edits)
        } else if !hints.isDisjoint(with: [.colons, .options]) {
            TextEditor(rules: self, notation: notation, isProse: true, keeping: keeping)
                .edit(bytes, range, &edits)
        }
        editCredentials(bytes, range, notation, hints, &edits)
        if keeping == .nothing, !hints.isDisjoint(with: [.names, .code, .lines]) {
            editPasted(bytes, range, notation, hints, &edits)
        }
        if bytes[range.lowerBound] == .ascii("/") {
            var found = EditList()
            editSegments(bytes, RuleSet.path(bytes, range), &found)
            edits.merge(found)
        }
    }

    /// Edits what people paste into texts and programs log: a GraphQL document, code, tables.
    private func editPasted(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ notation: Notation,
        _ hints: TextHints,
        _ edits: inout EditList
    ) {
        if notation == .plain, hints.contains(.names), JSONText.opensContainer(bytes, range) {
            GraphQLEditor(self).edit(bytes, range, &edits)
        }
        let source = bytes.extracting(range)
        let found = pasted(source, hints)
        guard !found.isEmpty else { return }
        switch notation {
        case .plain, .json: edits.merge(found, offset: range.lowerBound)
        case .url: edits.merge(found.lifted(to: source, .formEncoded, offset: range.lowerBound))
        case .jsonPart:
            edits.merge(found.lifted(to: source, .backslashed, offset: range.lowerBound))
        }
    }

    /// Returns the edits of code and tables.
    private func pasted(_ text: Span<UInt8>, _ hints: TextHints) -> EditList {
        let whole = 0..<text.count
        var found = EditList()
        if hints.contains(.code), !JSONText.opensContainer(text, whole) {
            editCode(text, whole, &found)
        }
        if hints.contains(.lines) { editTable(text, whole, &found) }
        return found
    }

    /// Edits credentials that name their scheme, if the hints of the text or its beginning show that
    /// there may be any.
    func editCredentials(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ notation: Notation,
        _ hints: TextHints,
        _ edits: inout EditList
    ) {
        guard hints.contains(.credentials) || CredentialEditor.mayBegin(bytes.extracting(range))
        else { return }
        var found = EditList()
        credentials.edit(bytes, range, notation, self, &found)
        edits.merge(found)
    }

    /// Edits code within other text; the strings in it are searched with that text.
    func editCode(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        var found = EditList()
        var editor = CodeEditor(self, searchesTexts: false)
        _ = editor.edit(bytes, range, &found)
        edits.merge(found)
    }

    /// Edits a text that is likely CSV although its type is not declared.
    func editTable(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        guard CSVEditor.isLikely(bytes, range, text) else { return }
        var found = EditList()
        CSVEditor(rules: self).edit(bytes, range, &found)
        edits.merge(found)
    }

    /// Whether a text may begin with a secret: a credential, or a segment of a path.
    @inline(__always)
    static func mayBeginSecret(_ text: Span<UInt8>) -> Bool {
        !text.isEmpty && text[0] == .ascii("/") || CredentialEditor.mayBegin(text)
    }

    /// Edits text between tags, which is mostly prose: `name="value"`, `name=value`, credentials,
    /// and after `name:` one word or a credential.
    func editMarkupText(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ notation: Notation,
        _ edits: inout EditList
    ) {
        TextEditor(rules: self, notation: notation, isStrict: true).edit(bytes, range, &edits)
        let text = bytes.extracting(0..<range.upperBound)
        let hints = text.textHints(from: range.lowerBound)
        guard
            range.count > 5,
            hints.mayHoldSecrets || CredentialEditor.mayBegin(bytes.extracting(range))
        else { return }
        var found = EditList()
        TextEditor(rules: self, notation: notation, isProse: true, keeping: .plainWords)
            .edit(bytes, range, &found)
        edits.merge(found)
        found.reset()
        credentials.edit(bytes, range, notation, self, &found)
        edits.merge(found)
        let source = bytes.extracting(range)
        if notation == .plain, hints.contains(.names), text.hasCodeBracket(from: range.lowerBound) {
            var meaning: [UInt8] = []
            EmbeddedForm.references.unescape(source, appendingTo: &meaning)
            let pasted = pasted(meaning.span, hints.union(.code))
            if !pasted.isEmpty {
                edits.merge(pasted.lifted(to: source, .references, offset: range.lowerBound))
            }
        }
    }
}
