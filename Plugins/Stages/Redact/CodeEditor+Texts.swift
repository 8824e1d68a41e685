// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Decides what to do with the strings in code.
extension CodeEditor {
    /// Reads a string: a value that a rule names, a name for another string, or neither.
    mutating func readText(_ token: CodeToken, _ bytes: Span<UInt8>, _ edits: inout EditList) {
        let prefixed =
            before.0.kind == .word && before.0.range.count <= 2
            && before.0.range.upperBound == token.range.lowerBound
        let sign = prefixed ? before.1 : before.0
        if let rule = valueRule(token, sign, bytes) {
            if isHarmless(token, bytes) {
                replaced = rule
            } else if rules.isCookie(rule) {
                editCookie(token, rule, bytes, &edits)
                replaced = nil
            } else {
                replace(token, rule, bytes, &edits)
                replaced = rule
            }
            return
        }
        replaced = nil
        readName(token, sign, label: prefixed ? before.2 : before.1, bytes)
        frame.text = token
        if searchesTexts { editContent(token, bytes, &edits) }
    }

    /// Returns the rule for a string that is a value.
    private mutating func valueRule(
        _ token: CodeToken,
        _ sign: CodeToken,
        _ bytes: Span<UInt8>
    ) -> Rule? {
        // Directly after another string, or on the next line.
        if let replaced, before.0.kind == .text { return replaced }
        if frame.opener == .ascii("["),
            bytes.extracting(token.range.upperBound..<bytes.count).starts(with: ":private]")
        {
            // The class in `["password":"User":private]`.
            return nil
        }
        if let rule = frame.value.rule, isJoined(sign, bytes) {
            return frame.value.isMember && isProse(token, bytes) ? nil : rule
        }
        if let (rule, isSure) = frame.value.fallback, isJoined(sign, bytes),
            isSure || CodeNames.isUnlikeWord(bytes.extracting(token.content))
        {
            return rule
        }
        if let rule = frame.nextRule, frame.opener == .ascii("("), isJoined(sign, bytes) {
            return rule
        }
        if let rule = frame.nextRule, sign.isSign(.ascii(",")) {
            frame.nextRule = nil
            guard frame.opener != .ascii("[") || endsPair(token, bytes) else { return nil }
            frame.value.rule = rule
            return rule
        }
        if let rule = frame.elementRule, isElement(token, sign, bytes) { return rule }
        if frame.opener == .ascii("("), let name = frame.name,
            let rule = setterRule(name, token, sign, bytes)
        {
            return rule
        }
        if let rule = secureStringRule(bytes) { return rule }
        if frame.value.role == .value, sign.isSign(.ascii(":")) {
            frame.pair.value = token
            return frame.pair.rule
        }
        // `#define TOKEN "…"`
        if sign.kind == .word, !token.beginsLine, before.1.kind == .word,
            CodeNames.defines(bytes.extracting(before.1.range))
        {
            return rule(sign, bytes)
        }
        return nil
    }

    /// Returns the rule for the only argument of a function whose name shows that it sets a secret:
    /// `setPassword("…")`, `.apiKey("…")`.
    private func setterRule(
        _ name: CodeToken,
        _ argument: CodeToken,
        _ sign: CodeToken,
        _ bytes: Span<UInt8>
    ) -> Rule? {
        guard let next = nextByte(after: argument, bytes) else { return nil }
        let isFirst = sign.isSign(.ascii("("))
        let isWhole = next == .ascii(")") || next == .ascii("+") && isFirst
        let written = bytes.extracting(argument.content)
        guard isWhole, isFirst || joins(sign) else { return nil }
        if let start = CodeNames.prefixOfSetter(bytes.extracting(name.range)) {
            return subjectRule(name.range.lowerBound + start..<name.range.upperBound, bytes)
        }
        // Other functions take names and words of a language.
        guard CodeNames.isUnlikeWord(written), written.firstIndex(of: 0x20) == nil else {
            return nil
        }
        return rules.text.exactRule(for: bytes.extracting(name.range))
    }

    /// Returns the rule for what a function sets, by its whole name, its last word or its last two
    /// words.
    ///
    /// A name that only begins like a secret does not match: `setPasswordLabel("…")`.
    private func subjectRule(_ name: Range<Int>, _ bytes: Span<UInt8>) -> Rule? {
        guard name.count <= 64 else { return nil }
        if let rule = rules.text.exactRule(for: bytes.extracting(name)) { return rule }
        let last = CodeNames.lastWord(bytes, name)
        if let rule = rules.text.rule(forNested: bytes.extracting(last)) { return rule }
        let two = CodeNames.lastWord(bytes, name.lowerBound..<last.lowerBound)
        return rules.text.exactRule(
            for: bytes.extracting(two.lowerBound..<name.upperBound)
        )
    }

    /// Returns the rule for a string that PowerShell turns into a secret:
    /// `ConvertTo-SecureString "…"`, with `-String` optionally before the string.
    private func secureStringRule(_ bytes: Span<UInt8>) -> Rule? {
        guard before.0.kind == .word, before.1.isSign(.ascii("-")), before.2.kind == .word else {
            return nil
        }
        let last = bytes.extracting(before.0.range)
        let first = bytes.extracting(before.2.range)
        let isText =
            last.equalsIgnoringCase("SecureString") && first.equalsIgnoringCase("ConvertTo")
            || last.equalsIgnoringCase("String") && first.equalsIgnoringCase("SecureString")
        return isText ? rules.text.rule(forNested: "password".utf8.span) : nil
    }

    /// Whether a string in an object of secrets is a description: it has three words, or is a path.
    private func isProse(_ token: CodeToken, _ bytes: Span<UInt8>) -> Bool {
        let text = bytes.extracting(token.content)
        var blanks = 0
        for index in text.indices where text[index] == 0x20 { blanks += 1 }
        return blanks > 1
            || text.count > 0 && text[0] == .ascii("/") && !CodeNames.isUnlikeWord(text)
    }

    /// Whether a string belongs to the value that began before it.
    private func isJoined(_ sign: CodeToken, _ bytes: Span<UInt8>) -> Bool {
        switch sign.kind {
        case .sign:
            joins(sign) || sign.isSign(.ascii("("))
                || frame.value.isDump && sign.isSign(.ascii(")"))
        case .text: true
        case .word: bytes.extracting(sign.range).equals("or")
        case .number, .none: false
        }
    }

    /// Whether a string is an entire element of a list.
    private func isElement(_ token: CodeToken, _ sign: CodeToken, _ bytes: Span<UInt8>) -> Bool {
        guard
            sign.isSign(.ascii(",")) || sign.isSign(.ascii("[")) || sign.isSign(.ascii("{"))
                || sign.isSign(.ascii("("))
        else { return false }
        let next = nextByte(after: token, bytes)
        return next == .ascii(",") || next == .ascii("]") || next == .ascii("}")
            || next == .ascii(")") && frame.opener == .ascii("(")
    }

    /// Whether a string is the second of two in brackets, and not itself a name.
    private func endsPair(_ token: CodeToken, _ bytes: Span<UInt8>) -> Bool {
        nextByte(after: token, bytes) == .ascii("]") && rule(token, bytes) == nil
    }

    private func nextByte(after token: CodeToken, _ bytes: Span<UInt8>) -> UInt8? {
        var place = token.range.upperBound
        while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
        return place < bytes.count ? bytes[place] : nil
    }

    /// Reads a string as the name of another one: of a pair, or of the previous argument.
    private mutating func readName(
        _ token: CodeToken,
        _ sign: CodeToken,
        label: CodeToken,
        _ bytes: Span<UInt8>
    ) {
        if frame.value.role == .name, sign.isSign(.ascii(":")), let rule = rule(token, bytes) {
            frame.pair.rule = rule
            if let value = frame.pair.value {
                late.append((value, rule))
                frame.pair.value = nil
            }
        }
        // `set("…", forKey: "token")`, `[d setObject:@"…" forKey:@"token"]`
        guard frame.opener == .ascii("(") || frame.opener == .ascii("["),
            sign.isSign(.ascii(":")), label.kind == .word, let value = frame.text,
            CodeNames.namesBefore(bytes.extracting(label.range)), let rule = rule(token, bytes)
        else { return }
        late.append((value, rule))
    }

    /// Whether a value is harmless: a placeholder, a word that is not a secret, or the exact name
    /// of a secret, as in lists of names (`{PASSWORD: "password"}`).
    private func isHarmless(_ token: CodeToken, _ bytes: Span<UInt8>) -> Bool {
        let written = bytes.extracting(token.content)
        if CodeLiteral.isPlaceholder(written) || PlainWords.isNoSecret(written) { return true }
        return rules.text.exactRule(for: written) != nil || CodeNames.isFetchMode(written)
    }

    /// Replaces the content between the quotes of a string.
    func replace(
        _ token: CodeToken,
        _ rule: Rule,
        _ bytes: Span<UInt8>,
        _ edits: inout EditList
    ) {
        replace(token.content, quote: bytes[token.content.upperBound], rule, bytes, &edits)
    }

    private func replace(
        _ range: Range<Int>,
        quote: UInt8,
        _ rule: Rule,
        _ bytes: Span<UInt8>,
        _ edits: inout EditList
    ) {
        let secret = rules.readsValue(rule) ? CodeLiteral.decode(bytes.extracting(range)) : []
        rules.report(secret.span, rule)
        edits.add(range, rule) { output in
            var written: [UInt8] = []
            rules.replacement.append(rule.action, of: secret.span, as: .plain, to: &written)
            CodeLiteral.encode(written.span, quote: quote, to: &output)
        }
    }

    /// Edits a string that is assigned as a cookie: `"sid=…; path=/"`; a name without a value
    /// stays.
    private func editCookie(
        _ token: CodeToken,
        _ rule: Rule,
        _ bytes: Span<UInt8>,
        _ edits: inout EditList
    ) {
        let text = bytes.extracting(0..<token.content.upperBound)
        guard let equals = text.firstIndex(of: .ascii("="), from: token.content.lowerBound) else {
            return
        }
        let end = text.firstIndex(of: .ascii(";"), from: equals) ?? token.content.upperBound
        let value = bytes.trimmed(equals + 1..<end)
        guard !value.isEmpty, !CodeLiteral.isPlaceholder(bytes.extracting(value)) else { return }
        replace(value, quote: bytes[token.content.upperBound], rule, bytes, &edits)
    }

    /// Edits the content of a string: URLs, pairs with `=`, a field with its value, code within a
    /// template.
    private func editContent(_ token: CodeToken, _ bytes: Span<UInt8>, _ edits: inout EditList) {
        let range = token.content
        guard range.count > 4 else { return }
        let text = bytes.extracting(0..<range.upperBound)
        if let field = field(range, bytes) {
            replace(field.value, quote: bytes[range.upperBound], field.rule, bytes, &edits)
            return
        }
        guard
            RuleSet.mayBeginSecret(bytes.extracting(range))
                || text.textHints(from: range.lowerBound).mayHoldSecrets
        else { return }
        let source = bytes.extracting(range)
        guard source.firstIndex(of: .ascii("\\")) != nil else {
            editMeaning(bytes, range, &edits)
            return
        }
        var meaning: [UInt8] = []
        EmbeddedForm.backslashed.unescape(source, appendingTo: &meaning)
        var found = EditList()
        editMeaning(meaning.span, 0..<meaning.count, &found)
        if !found.isEmpty {
            edits.merge(found.lifted(to: source, .backslashed, offset: range.lowerBound))
        }
    }

    /// Edits the unescaped content of a string: code, as in bundles, or other short text.
    private func editMeaning(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        if ScriptText.isLikely(bytes, range) {
            TextEditor(rules: rules, isStrict: true, isScript: true).edit(bytes, range, &edits)
        } else {
            rules.editShortText(bytes, range, .plain, keeping: .placeholders, &edits)
        }
    }

    /// Reads a string that is a field of a message: `"X-Api-Key: …"`.
    private func field(
        _ range: Range<Int>,
        _ bytes: Span<UInt8>
    ) -> (value: Range<Int>, rule: Rule)? {
        var end = range.lowerBound
        while end < range.upperBound, end - range.lowerBound < 64,
            TextEditor.isPlainWordByte(bytes[end])
        {
            end += 1
        }
        guard end + 2 < range.upperBound, bytes[end] == .ascii(":"), bytes[end + 1] == 0x20,
            let rule = rules.text.rule(forNested: bytes.extracting(range.lowerBound..<end))
        else { return nil }
        let value = bytes.trimmed(end + 1..<range.upperBound)
        let written = bytes.extracting(value)
        guard !value.isEmpty, !CodeLiteral.isPlaceholder(written) else { return nil }
        // After the scheme of a credential, more than one word is prose.
        var blanks = 0
        for index in written.indices where written[index] == 0x20 { blanks += 1 }
        guard blanks <= 1, !PlainWords.isNoSecret(written) else { return nil }
        return (value, rule)
    }
}
