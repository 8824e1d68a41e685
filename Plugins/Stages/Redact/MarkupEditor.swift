// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds secrets by name in HTML and XML.
///
/// Names are those of elements (`<password>…</password>`), of attributes (`<user token="…">`), and
/// of what stands beside a value in one tag: `<input name="password" value="…">`,
/// `<meta name="csrf-token" content="…">`, `<add key="password" value="…"/>`, or before it:
/// `<string name="password">…</string>`, `<key>password</key><string>…</string>`. In other text and in
/// scripts what counts is `name="value"`, `"name": "value"` and `name=value`, as in URLs.
///
/// **Limits**: time is linear. Of an element that is not closed, all that follows goes, but not in
/// fragments.
struct MarkupEditor {
    private let rules: RuleSet
    /// How replacements are written where the markup stands.
    private let notation: Notation
    /// Whether it is a piece out of another text, in which a tag may be but mentioned.
    private let isFragment: Bool
    /// Whether it is what a section of CDATA holds: these do not nest.
    private var isSection = false
    /// The element whose content goes: its name, where its content begins, and by which rule.
    private var open: (name: Range<Int>, start: Int, rule: Rule)?

    /// The tag read last, if it has content: its name, and where that begins.
    private var last: (name: Range<Int>, start: Int)?
    /// Why the next element's content goes: its name was the content of the one before.
    private var named: Rule?

    init(_ rules: RuleSet, _ notation: Notation = .plain, isFragment: Bool = false) {
        self.rules = rules
        self.notation = notation
        self.isFragment = isFragment
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

    /// Whether an element ends somewhere in a text.
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
    }

    /// Text between tags, scripts among it.
    private func editText(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        guard open == nil, !range.isEmpty else { return }
        TextEditor(rules: rules, notation: notation, isStrict: true).edit(bytes, range, &edits)
    }

    /// A tag, a comment or a section; returns where to go on.
    private mutating func editTag(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int,
        _ json: inout JSONEditor,
        _ edits: inout EditList
    ) -> Int {
        let rest = bytes.extracting(start..<end)
        if rest.starts(with: "<!--") {
            return endOfSection(bytes, start + 4, end, "-->", &edits)
        }
        if rest.starts(with: "<![CDATA[") {
            if isSection { return start + 9 }
            let close = endOfSection(bytes, start + 9, end, "]]>", &edits)
            if open == nil { editSection(bytes, start + 9..<close, &json, &edits) }
            return close
        }
        var position = start + 1
        let closes = position < end && bytes[position] == .ascii("/")
        if closes { position += 1 }
        let nameStart = position
        while position < end, MarkupEditor.isNameByte(bytes[position]) { position += 1 }
        let name = nameStart..<position
        guard !name.isEmpty else { return start + 1 }
        if closes {
            close(bytes, start, name, &edits)
            return position
        }
        let tag = editAttributes(bytes, position, end, &edits)
        last = tag.isEmpty ? nil : (name, tag.end)
        if open == nil, !tag.isEmpty, let rule = rule(forContentOf: name, tag.label, bytes) {
            open = (name, tag.end, rule)
        }
        named = nil
        guard open == nil, !tag.isEmpty, bytes.extracting(name).equalsIgnoringCase("script") else {
            return tag.end
        }
        let close = MarkupEditor.endOfScript(bytes, tag.end, end)
        ScriptText.edit(bytes, tag.end..<close, rules, &json, &edits)
        return close
    }

    /// Where a script ends, in which `<` is an operator.
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

    /// Edits markup within a section of text (XML §2.7).
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

    /// Text up to a mark, which is behind it; what is not closed ends with the text.
    private func endOfSection(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int,
        _ mark: String,
        _ edits: inout EditList
    ) -> Int {
        var position = start
        while position + 3 <= end, !bytes.extracting(position..<position + 3).equals(mark) {
            position += 1
        }
        let isClosed = position + 3 <= end
        editText(bytes, start..<(isClosed ? position : end), &edits)
        return isClosed ? position + 3 : end
    }

    /// Why the content of an element goes: by its name, by its attribute `name` (of those elements
    /// whose content is a value then), or since the element before it named it.
    private func rule(
        forContentOf name: Range<Int>,
        _ label: Rule?,
        _ bytes: Span<UInt8>
    ) -> Rule? {
        let local = bytes.extracting(local(bytes, name))
        if let rule = rules.text.rule(forNested: local) ?? named { return rule }
        guard let label else { return nil }
        for holder in MarkupEditor.holders where local.equalsIgnoringCase(holder) { return label }
        return nil
    }

    private static let holders = [
        "textarea", "string", "property", "entry", "field", "data", "param", "item", "attribute",
    ]

    /// Whether `<key>password</key>` and `<name>password</name>` name what follows: property lists
    /// and XML-RPC.
    private func nameOfNext(_ bytes: Span<UInt8>, _ end: Int, _ name: Range<Int>) -> Rule? {
        guard let last, last.start < end, end - last.start <= 256 else { return nil }
        let tag = bytes.extracting(name)
        guard tag.equalsIgnoringCase(bytes.extracting(last.name)),
            tag.equalsIgnoringCase("key") || tag.equalsIgnoringCase("name")
        else { return nil }
        return rules.text.rule(forNested: bytes.extracting(bytes.trimmed(last.start..<end)))
    }

    /// The element whose content goes ends here, if it is this one.
    private mutating func close(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ name: Range<Int>,
        _ edits: inout EditList
    ) {
        if open == nil { named = nameOfNext(bytes, start, name) }
        last = nil
        guard let element = open,
            bytes.extracting(name).equalsIgnoringCase(bytes.extracting(element.name))
        else { return }
        open = nil
        guard element.start < start else { return }
        rules.replace(bytes, element.start..<start, element.rule, notation, &edits)
    }

    /// The name of an element or an attribute without the prefix of its namespace.
    private func local(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Range<Int> {
        let colon = bytes.extracting(name).lastIndex(of: .ascii(":"))
        return name.lowerBound + (colon.map { $0 + 1 } ?? 0)..<name.upperBound
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
        case .ascii("_"), .ascii("-"), .ascii("."), .ascii(":"): true
        default: false
        }
    }
}

// MARK: - Attributes

extension MarkupEditor {
    /// Edits the attributes of a tag; tells where it ends, and whether it has no content.
    private func editAttributes(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int,
        _ edits: inout EditList
    ) -> (end: Int, isEmpty: Bool, label: Rule?) {
        var position = start
        // What `name`, `id` or `key` says, and where `value` or `content` stands.
        var label: Rule?
        var value: Range<Int>?
        while position < end, bytes[position] != .ascii(">") {
            guard MarkupEditor.isNameByte(bytes[position]) else {
                position += 1
                continue
            }
            let attribute = Attribute(bytes, position, end)
            position = attribute.end
            let name = bytes.extracting(local(bytes, attribute.name))
            if name.equalsIgnoringCase("value") || name.equalsIgnoringCase("content") {
                value = value ?? attribute.value
            } else if name.equalsIgnoringCase("name") || name.equalsIgnoringCase("id")
                || name.equalsIgnoringCase("key") || name.equalsIgnoringCase("property")
            {
                let written = bytes.extracting(attribute.value)
                label =
                    label ?? rules.form.rule(forNested: written)
                    ?? rules.text.rule(forNested: written)
                continue
            }
            editValue(attribute, name, bytes, &edits)
        }
        let isEmpty = position > start && bytes[position - 1] == .ascii("/")
        if let label, let value, !value.isEmpty, open == nil {
            replace(value, label, bytes, &edits)
        }
        return (min(position + 1, end), isEmpty, value == nil ? label : nil)
    }

    private func editValue(
        _ attribute: Attribute,
        _ name: Span<UInt8>,
        _ bytes: Span<UInt8>,
        _ edits: inout EditList
    ) {
        guard open == nil, !attribute.value.isEmpty else { return }
        let isData = name.count > 5 && name.extracting(0..<5).equalsIgnoringCase("data-")
        let rule =
            rules.text.rule(forNested: name)
            ?? (isData ? rules.text.rule(forNested: name.extracting(5..<name.count)) : nil)
        if let rule {
            rules.replace(bytes, attribute.value, rule, notation, &edits)
        } else if bytes.extracting(attribute.value).hasNameHint() {
            TextEditor(rules: rules, notation: notation, isQuery: true, isStrict: true)
                .edit(bytes, attribute.value, &edits)
        }
    }

    /// Replaces the value of a named tag, whose edits may stand behind it by now.
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

    /// `name="value"`, `name='value'`, `name=value` or `name` (HTML §13.1.2.3).
    private struct Attribute {
        let name: Range<Int>
        var value: Range<Int>
        var end: Int

        init(_ bytes: Span<UInt8>, _ start: Int, _ limit: Int) {
            var position = start
            while position < limit, MarkupEditor.isNameByte(bytes[position]) { position += 1 }
            name = start..<position
            end = position
            value = position..<position
            while position < limit, Attribute.isBlank(bytes[position]) { position += 1 }
            guard position < limit, bytes[position] == .ascii("=") else { return }
            position += 1
            while position < limit, Attribute.isBlank(bytes[position]) { position += 1 }
            guard position < limit else {
                end = limit
                return
            }
            let quote = bytes[position]
            let isQuoted = quote == .ascii("\"") || quote == .ascii("'")
            if isQuoted { position += 1 }
            let first = position
            while position < limit {
                let byte = bytes[position]
                if isQuoted ? byte == quote : Attribute.isBlank(byte) || byte == .ascii(">") {
                    break
                }
                position += 1
            }
            value = first..<position
            end = min(isQuoted ? position + 1 : position, limit)
        }

        private static func isBlank(_ byte: UInt8) -> Bool {
            byte.isBlank || byte == 0x0A || byte == 0x0D || byte == 0x0C
        }
    }
}
