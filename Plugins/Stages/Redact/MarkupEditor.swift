// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds secrets by name in HTML and XML.
///
/// Names are those of elements (`<password>…</password>`), of attributes (`<user token="…">`), and
/// of values in the same tag: `<input name="password" value="…">`,
/// `<meta name="csrf-token" content="…">`, `<add key="password" value="…"/>`. They may also precede
/// the value: `<string name="password">…</string>`, `<key>password</key><string>…</string>`,
/// `<param-name>password</param-name><param-value>…`, and the visible labels that `MarkupLabels`
/// recognizes. SAML messages are redacted whole. In other text, `name="value"`, `"name": "value"`
/// and `name=value` are recognized, as in URLs; scripts are read as code.
///
/// **Limits**: time is linear. If an element is not closed, everything after it is redacted, except
/// in fragments.
struct MarkupEditor {
    private let rules: RuleSet
    /// The notation of replacements in the surrounding text.
    private let notation: Notation
    /// Whether the markup is part of another text, in which a tag may only be mentioned.
    private let isFragment: Bool
    /// Whether the markup is the content of a CDATA section; these do not nest.
    private var isSection = false
    /// The element whose content is redacted: its name, where its content begins, the rule, and how
    /// many elements of the same name are open within.
    private var open: (name: Range<Int>, start: Int, rule: Rule, depth: Int)?
    /// The tag read last, if it has content: its name, and where the content begins.
    private var last: (name: Range<Int>, tag: Int, start: Int)?
    /// The rule for the content of the next element, and whether it applies only to value elements.
    private var named: (rule: Rule, isStrict: Bool)?
    /// The content of a value that came before its name, and where its end tag ends.
    private var value: (content: Range<Int>, end: Int)?
    private var labels: MarkupLabels
    /// Values that turn out to be secrets later.
    private var late = EditList()

    init(_ rules: RuleSet, _ notation: Notation = .plain, isFragment: Bool = false) {
        self.rules = rules
        self.notation = notation
        self.isFragment = isFragment
        labels = MarkupLabels(rules)
    }

    /// Whether a text begins with a tag, a declaration or a comment.
    static func isLikely(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var start = range.lowerBound
        if bytes.extracting(range).starts(with: "\u{FEFF}") { start += 3 }
        while start < range.upperBound, bytes[start].isBlank || (0x0A...0x0D) ~= bytes[start] {
            start += 1
        }
        guard start + 1 < range.upperBound, bytes[start] == .ascii("<") else { return false }
        switch bytes[start + 1] {
        case 0x41...0x5A, 0x61...0x7A, .ascii("!"), .ascii("?"): return true
        default: return false
        }
    }

    /// Whether a text contains an end tag.
    static func hasEndTag(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let text = bytes.extracting(0..<range.upperBound)
        var position = range.lowerBound
        while let start = text.firstIndex(of: .ascii("<"), from: position) {
            if start + 1 < text.count, text[start + 1] == .ascii("/") { return true }
            position = start + 1
        }
        return false
    }

    /// Edits the markup within a range.
    mutating func edit(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ json: inout JSONEditor,
        _ edits: inout EditList
    ) {
        let all = bytes.extracting(0..<range.upperBound)
        var position = range.lowerBound
        while position < range.upperBound {
            let start = all.firstIndex(of: .ascii("<"), from: position) ?? range.upperBound
            editText(bytes, position..<start, &edits)
            guard start < range.upperBound else { break }
            position = editTag(bytes, start, range.upperBound, &json, &edits)
        }
        if let open, open.start < range.upperBound, !isFragment {
            rules.replace(bytes, open.start..<range.upperBound, open.rule, notation, &edits)
        }
        for field in labels.late { replace(field.value, field.rule, bytes, &edits) }
        edits.merge(late)
    }

    /// Edits the value of an entity that a document declares: `<!ENTITY password "…">` (XML
    /// 1.0 §4.2); returns where to continue.
    private func editEntity(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int,
        _ edits: inout EditList
    ) -> Int {
        var position = start
        while position < end, bytes[position] <= 0x20 || bytes[position] == .ascii("%") {
            position += 1
        }
        let first = position
        while position < end, MarkupEditor.isNameByte(bytes[position]) { position += 1 }
        let name = first..<position
        while position < end, bytes[position] <= 0x20 { position += 1 }
        guard position < end, bytes[position] == .ascii("\"") || bytes[position] == .ascii("'"),
            let close = bytes.extracting(0..<end)
                .firstIndex(of: bytes[position], from: position + 1)
        else { return position }
        let value = position + 1..<close
        if open == nil, !value.isEmpty,
            let rule = rules.text.rule(forNested: bytes.extracting(name))
        {
            rules.replace(bytes, value, rule, notation, &edits)
        }
        return close + 1
    }

    /// Edits text between tags.
    private mutating func editText(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ edits: inout EditList
    ) {
        guard open == nil, !range.isEmpty else { return }
        if let (value, rule) = labels.text(bytes, range) {
            rules.replace(bytes, value, rule, notation, &edits)
            return
        }
        rules.editMarkupText(bytes, range, notation, &edits)
        if ScriptText.hasDump(bytes, range) { rules.editCode(bytes, range, &edits) }
    }

    /// Edits a tag, a comment or a section; returns where to continue.
    private mutating func editTag(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int,
        _ json: inout JSONEditor,
        _ edits: inout EditList
    ) -> Int {
        let rest = bytes.extracting(start..<end)
        if rest.starts(with: "<!--") {
            if isSection { return start + 4 }
            let close = endOfSection(bytes, start + 4, end, "-->")
            if open == nil { editComment(bytes, start + 4..<close.content, &json, &edits) }
            return close.end
        }
        if rest.starts(with: "<![CDATA[") {
            if isSection { return start + 9 }
            let close = endOfSection(bytes, start + 9, end, "]]>")
            editText(bytes, start + 9..<close.content, &edits)
            if open == nil { editSection(bytes, start + 9..<close.content, &json, &edits) }
            return close.end
        }
        if rest.starts(with: "<!ENTITY") { return editEntity(bytes, start + 8, end, &edits) }
        var position = start + 1
        let closes = position < end && bytes[position] == .ascii("/")
        if closes { position += 1 }
        let nameStart = position
        while position < end, MarkupEditor.isNameByte(bytes[position]) { position += 1 }
        let name = nameStart..<position
        guard !name.isEmpty else { return start + 1 }
        if closes {
            close(bytes, start, name, &edits)
            while position < end, bytes[position] <= 0x20 { position += 1 }
            return position < end && bytes[position] == .ascii(">") ? position + 1 : position
        }
        let tag = tag(bytes, name, position, end, &edits)
        last = tag.isEmpty ? nil : (name, start, tag.end)
        begin(tag, bytes, &edits)
        guard open == nil, !tag.isEmpty, bytes.extracting(name).equalsIgnoringCase("script") else {
            return tag.end
        }
        let close = MarkupEditor.endOfScript(bytes, tag.end, end)
        ScriptText.edit(bytes, tag.end..<close, rules, &json, &edits)
        return close
    }

    /// Begins an element, whose content may have to be redacted.
    private mutating func begin(
        _ tag: MarkupTag,
        _ bytes: Span<UInt8>,
        _ edits: inout EditList
    ) {
        if let element = open {
            let isSame = bytes.extracting(tag.name)
                .equalsIgnoringCase(bytes.extracting(element.name))
            if isSame, !tag.isEmpty { open?.depth += 1 }
            return
        }
        let fieldRule = labels.began(tag, bytes)
        if let value = tag.value, !value.isEmpty, tag.type != .button {
            if let label = tag.label {
                replace(value, label.rule, bytes, &edits)
            } else if let fieldRule, !PlainWords.isNoSecret(bytes.extracting(value)) {
                replace(value, fieldRule, bytes, &edits)
            }
        }
        guard !tag.isEmpty else {
            if !MarkupNames.isBeside(bytes.extracting(MarkupTag.local(bytes, tag.name))) {
                named = nil
            }
            return
        }
        if let rule = rule(forContentOf: tag, bytes) ?? areaRule(tag, fieldRule, bytes) {
            open = (tag.name, tag.end, rule, 0)
            named = nil
        }
    }

    /// Returns the rule for the content of a multi-line field, by its label.
    private func areaRule(
        _ tag: MarkupTag,
        _ rule: Rule?,
        _ bytes: Span<UInt8>
    ) -> Rule? {
        bytes.extracting(tag.name).equalsIgnoringCase("textarea") ? rule : nil
    }

    /// Returns where a script ends, in which `<` is an operator.
    private static func endOfScript(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        var position = start
        while position + 8 <= end {
            if bytes[position] == .ascii("<"), bytes[position + 1] == .ascii("/"),
                bytes.extracting(position + 2..<position + 8).equalsIgnoringCase("script")
            {
                return position
            }
            position += 1
        }
        return end
    }

    /// Edits markup within a CDATA section (XML §2.7).
    private func editSection(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ json: inout JSONEditor,
        _ edits: inout EditList
    ) {
        guard MarkupEditor.hasEndTag(bytes, range) else { return }
        var found = EditList()
        var editor = MarkupEditor(rules, notation, isFragment: true)
        editor.isSection = true
        editor.edit(bytes, range, &json, &found)
        edits.merge(found)
    }

    /// Edits a comment: markup, or text in which one word may follow a name and a colon.
    private func editComment(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ json: inout JSONEditor,
        _ edits: inout EditList
    ) {
        guard bytes.extracting(range).firstIndex(of: .ascii("<")) == nil else {
            var found = EditList()
            var editor = MarkupEditor(rules, notation, isFragment: true)
            editor.isSection = true
            editor.edit(bytes, range, &json, &found)
            edits.merge(found)
            return
        }
        rules.editMarkupText(bytes, range, notation, &edits)
    }

    /// Returns the end of a section before and after its closing mark; without one, it ends with
    /// the text.
    private func endOfSection(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int,
        _ mark: String
    ) -> (content: Int, end: Int) {
        var position = start
        while position + 3 <= end, !bytes.extracting(position..<position + 3).equals(mark) {
            position += 1
        }
        return position + 3 <= end ? (position, position + 3) : (end, end)
    }

    /// Ends the element whose content is redacted, if it is this one.
    private mutating func close(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ name: Range<Int>,
        _ edits: inout EditList
    ) {
        guard let element = open else {
            closePlain(bytes, start, name)
            return
        }
        guard bytes.extracting(name).equalsIgnoringCase(bytes.extracting(element.name)) else {
            return
        }
        guard element.depth == 0 else {
            open?.depth -= 1
            return
        }
        open = nil
        last = nil
        labels.ended(bytes.extracting(name))
        guard element.start < start else { return }
        rules.replace(bytes, element.start..<start, element.rule, notation, &edits)
    }

    /// Ends an element whose content stays; it may be the name of another one.
    private mutating func closePlain(_ bytes: Span<UInt8>, _ start: Int, _ name: Range<Int>) {
        let tag = bytes.extracting(name)
        labels.ended(tag)
        guard let last, tag.equalsIgnoringCase(bytes.extracting(last.name)) else {
            // The parent of a name or of a value ends.
            if self.last == nil { named = nil }
            self.last = nil
            value = nil
            return
        }
        self.last = nil
        let local = bytes.extracting(MarkupTag.local(bytes, name))
        let kind = MarkupNames.kind(of: local)
        switch kind {
        case .other:
            if MarkupNames.isBeside(local) {
                named?.isStrict = true
            } else {
                named = nil
            }
        case .value:
            named = nil
            value = (last.start..<start, start)
            return
        case .name, .anyName:
            named = nil
            let content = MarkupEditor.trimmed(bytes, last.start..<start)
            if start - last.start <= 256,
                let rule = MarkupTag.rule(bytes.extracting(content), rules.text)
            {
                named = (rule, kind == .name)
                editValueBefore(last.tag, rule, bytes)
            }
        }
        value = nil
    }

    /// Edits the value of a pair that came before its name.
    private mutating func editValueBefore(_ tag: Int, _ rule: Rule, _ bytes: Span<UInt8>) {
        guard let value, !value.content.isEmpty, value.end < tag else { return }
        var position = value.end
        // The rest of its end tag.
        while position < tag, bytes[position] != .ascii(">") { position += 1 }
        position += 1
        while position < tag, bytes[position] <= 0x20 { position += 1 }
        guard position == tag else { return }
        var found = EditList()
        rules.replace(bytes, value.content, rule, notation, &found)
        late.merge(found)
    }

    private static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var range = range
        while !range.isEmpty, bytes[range.lowerBound] <= 0x20 {
            range = range.lowerBound + 1..<range.upperBound
        }
        while !range.isEmpty, bytes[range.upperBound - 1] <= 0x20 {
            range = range.lowerBound..<range.upperBound - 1
        }
        return range
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
        case .ascii("_"), .ascii("-"), .ascii("."), .ascii(":"): true
        default: false
        }
    }
}

// MARK: - Elements and attributes

extension MarkupEditor {
    /// Reads a tag and edits its attributes.
    private func tag(
        _ bytes: Span<UInt8>,
        _ name: Range<Int>,
        _ start: Int,
        _ end: Int,
        _ edits: inout EditList
    ) -> MarkupTag {
        var tag = MarkupTag(name: name, end: end)
        var position = start
        var isWellFormed = true
        while position < end, bytes[position] != .ascii(">") {
            let byte = bytes[position]
            guard MarkupEditor.isNameByte(byte) else {
                if byte > 0x20, byte != .ascii("/"), byte != .ascii("?") { isWellFormed = false }
                position += 1
                continue
            }
            let attribute = MarkupTag.Attribute(bytes, position, end)
            position = attribute.end
            tag.note(attribute, bytes, rules)
            let local = bytes.extracting(MarkupTag.local(bytes, attribute.name))
            if !MarkupTag.isName(local) { editValue(attribute, local, bytes, &edits) }
        }
        tag.isEmpty = position > start && bytes[position - 1] == .ascii("/")
        tag.end = min(position + 1, end)
        if !isWellFormed, open == nil {
            // Text after a `<` that does not begin a tag, or a template.
            var found = EditList()
            rules.editMarkupText(bytes, start..<tag.end, notation, &found)
            edits.merge(found)
        }
        if bytes.extracting(name).equalsIgnoringCase("button") { tag.type = .button }
        if tag.type == .password, tag.label == nil {
            let rule = rules.form.rule(forNested: "password".utf8.span)
            tag.label = rule.map { MarkupTag.Label(rule: $0) }
        }
        return tag
    }

    /// Returns the rule that redacts the content of an element: by its name, by its attribute
    /// `name` if its content is a value, as a SAML message, or as named by the previous element.
    private func rule(forContentOf tag: MarkupTag, _ bytes: Span<UInt8>) -> Rule? {
        let local = bytes.extracting(MarkupTag.local(bytes, tag.name))
        if let rule = rules.text.rule(forNested: local) { return rule }
        if MarkupNames.isSAMLMessage(local), isSAML(tag, bytes) {
            return rules.text.rule(forNested: "saml_response".utf8.span)
        }
        if let named, !MarkupNames.isBeside(local),
            !named.isStrict || MarkupNames.kind(of: local) == .value
        {
            return named.rule
        }
        guard tag.value == nil,
            MarkupNames.isHolder(local)
                || tag.label?.isName == true && MarkupNames.isNamedHolder(local)
        else { return nil }
        return tag.label?.rule
    }

    /// Whether an element is part of SAML, by its namespace or the usual prefix.
    private func isSAML(_ tag: MarkupTag, _ bytes: Span<UInt8>) -> Bool {
        tag.isSAML
            || (tag.name.count > 5
                && bytes.extracting(tag.name.lowerBound..<tag.name.lowerBound + 4)
                    .equalsIgnoringCase("saml"))
    }

    private func editValue(
        _ attribute: MarkupTag.Attribute,
        _ name: Span<UInt8>,
        _ bytes: Span<UInt8>,
        _ edits: inout EditList
    ) {
        guard open == nil, !attribute.value.isEmpty else { return }
        let isData = name.count > 5 && name.extracting(0..<5).equalsIgnoringCase("data-")
        let rule =
            rules.text.rule(forNested: name)
            ?? (isData ? rules.text.rule(forNested: name.extracting(5..<name.count)) : nil)
        let value = bytes.extracting(attribute.value)
        if let rule {
            rules.replace(bytes, attribute.value, rule, notation, &edits)
        } else if name.count > 3, name.extracting(0..<2).equalsIgnoringCase("on"),
            ScriptText.hasQuotes(bytes, attribute.value)
        {
            var code = CodeEditor(rules)
            _ = code.edit(bytes, attribute.value, &edits)
        } else if value.textHints().contains(.names) || URLParts(value) != nil {
            TextEditor(rules: rules, notation: notation, isQuery: true, isStrict: true)
                .edit(bytes, attribute.value, &edits)
        }
        if rule == nil, value[0] == .ascii("/") {
            var segments = EditList()
            rules.editSegments(bytes, RuleSet.path(bytes, attribute.value), &segments)
            edits.merge(segments)
        }
    }

    /// Replaces the value of a named tag; the list may already contain later edits.
    private func replace(
        _ value: Range<Int>,
        _ rule: Rule,
        _ bytes: Span<UInt8>,
        _ edits: inout EditList
    ) {
        var inner = EditList()
        rules.replace(bytes, value, rule, notation, &inner)
        edits.merge(inner)
    }
}
