// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Finds secrets in unstructured text: errors, tags, fields that no rule names, values that contain
/// a URL or JSON of their own.
///
/// It searches for `name=value`, `name: value` and `"name": value` with a name that a rule matches,
/// and for user-info after `://`. In doubt, it redacts: after a colon, the rest of the line.
struct TextEditor {
    let rules: RuleSet
    /// The notation of replacements in the surrounding text.
    var notation = Notation.plain
    /// Whether the text is part of a query or a form, in which more names match.
    var isQuery = false
    /// Whether values must be quoted or directly follow `=`: in scripts and markup, what follows a
    /// colon is rarely a value.
    var isStrict = false
    /// Whether text after a colon is prose, except for a single word: in short texts that contain
    /// no other separator of names.
    var isProse = false
    /// Whether unquoted text after `=` is an expression, except in a URL or a cookie.
    var isScript = false
    /// Which values are kept under names of secrets, since in such texts they are not secrets.
    var keeping = Keeping.nothing

    /// Values that are kept.
    enum Keeping {
        case nothing
        /// Placeholders in strings of code: `token: %s`.
        case placeholders
        /// Words that pages show instead of secrets: `Password: none`.
        case plainWords

        func contains(_ value: Span<UInt8>) -> Bool {
            switch self {
            case .nothing: false
            case .placeholders: CodeLiteral.isPlaceholder(value)
            case .plainWords: PlainWords.isNoSecret(value)
            }
        }
    }

    /// Whether a text may contain a name with its value, by the bytes that occur in it.
    ///
    /// A comma joins a name and its value only if both are quoted.
    static func mayFind(_ hints: TextHints) -> Bool {
        !hints.isDisjoint(with: [.names, .colons, .options])
            || hints.isSuperset(of: [.credentials, .quotes])
    }

    func edit(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        let text = bytes.extracting(0..<range.upperBound)
        // The blanks after options are only searched for if there may be options.
        let hasOptions = !isStrict && text.hasOption(from: range.lowerBound)
        let users = hasOptions ? userOptions(bytes, range) : EditList()
        defer { if !users.isEmpty { edits.merge(users) } }
        var position = range.lowerBound
        // The range of the current word; blanks, quotes and their escapes may follow it.
        var word = position..<position
        while true {
            let mark = text.nextPairMark(from: position, orBlank: hasOptions)
            guard mark < range.upperBound else { return }
            word = TextEditor.word(before: mark, from: position, text, word)
            if bytes[mark] == 0x20 {
                position = mark + 1
                if word.upperBound == mark, word.count > 2, bytes[word.lowerBound] == .ascii("-") {
                    let end = editOption(bytes, word, range.upperBound, &edits)
                    if end > mark {
                        word = end..<end
                        position = end + 1
                    }
                }
                continue
            }
            let unit = TextUnit(bytes, mark, range.upperBound)
            position = mark + unit.length
            if TextEditor.isWordByte(unit.byte) {
                word = (word.upperBound == mark ? word.lowerBound : mark)..<position
            } else if unit.byte == .ascii("=") || unit.byte == .ascii(":") {
                position = editPair(bytes, word, unit, position, range.upperBound, &edits)
                word = position..<position
            } else if !TextEditor.mayFollowName(unit.byte) {
                if !word.isEmpty {
                    position = editOther(bytes, word, unit, position, range.upperBound, &edits)
                }
                word = position..<position
            }
        }
    }

    /// Returns the word before a mark if there is no mark from `start` on; `word` is the previous
    /// word.
    private static func word(
        before mark: Int,
        from start: Int,
        _ text: Span<UInt8>,
        _ word: Range<Int>
    ) -> Range<Int> {
        var end = mark
        if text[mark] == .ascii("=") {
            // `token ?= x`, `token += x`, `token ||= x`.
            while end > start, joinsAssignment(text[end - 1]) { end -= 1 }
        }
        while end > start, mayFollowName(text[end - 1]) { end -= 1 }
        while let color = colorBefore(end, from: start, text) {
            end = color
            while end > start, mayFollowName(text[end - 1]) { end -= 1 }
        }
        guard end > start else { return word }
        var first = end
        while first > start, isPlainWordByte(text[first - 1]) { first -= 1 }
        if first < end, text[first].isDigit || text[first] == .ascii("[") {
            first = nameAfterColor(first..<end, text)
        }
        // The text that was read before may be the beginning of this word.
        return (first == start && word.upperBound == start ? word.lowerBound : first)..<end
    }

    /// Whether a byte precedes `=` in a compound assignment.
    private static func joinsAssignment(_ byte: UInt8) -> Bool {
        byte == .ascii("?") || byte == .ascii("+") || byte == .ascii("|")
    }

    /// Whether a byte belongs to a word and does not begin an escape.
    @inline(__always)
    static func isPlainWordByte(_ byte: UInt8) -> Bool {
        // A bit for each of the first 64 characters, and for each of the next 64.
        let low: UInt64 = 0x03FF_6000_0000_0000
        let high: UInt64 = 0x07FF_FFFE_AFFF_FFFE
        guard byte < 128 else { return true }
        return (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 == 1
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
        case .ascii("_"), .ascii("-"), .ascii("."), .ascii("%"), .ascii("["), .ascii("]"): true
        default: false
        }
    }

    private static func mayFollowName(_ byte: UInt8) -> Bool {
        // Asterisks and backquotes emphasize names in Markdown.
        byte.isBlank || byte == .ascii("\"") || byte == .ascii("'") || byte == .ascii("\\")
            || byte == .ascii("*") || byte == .ascii("`")
    }

    /// Edits what follows a name and its separator; returns where to continue.
    private func editPair(
        _ bytes: Span<UInt8>,
        _ word: Range<Int>,
        _ separator: TextUnit,
        _ start: Int,
        _ end: Int,
        _ edits: inout EditList
    ) -> Int {
        if separator.byte == .ascii(":"), let authority = TextEditor.authority(bytes, start..<end) {
            let position = editUserInfo(bytes, authority, &edits)
            let path = RuleSet.path(bytes, authority.upperBound..<end)
            rules.editSegments(bytes, path, &edits)
            return max(position, min(edits.end, path.upperBound))
        }
        guard !word.isEmpty else { return start }
        if separator.byte == .ascii(":"), start < end, bytes[start] == .ascii("=") {
            // `token := x`.
            let equals = TextUnit(bytes, start, end)
            return editPair(bytes, word, equals, start + 1, end, &edits)
        }
        guard let rule = rule(bytes, word, separator) else {
            return editNamed(bytes, word, separator, start, end, &edits)
        }
        if isScript, separator.length == 1, !opensText(bytes, word, start, end) { return start }
        let start = isScript ? start : TextEditor.endOfEmphasis(bytes, start, end)
        guard
            var value = plausibleValue(of: word, after: separator, bytes, start..<end),
            !value.isEmpty, !rule.harmless.begins(bytes.extracting(value)),
            !keeping.contains(bytes.extracting(value))
        else { return start }
        if rules.isCookie(rule) { value = TextEditor.withCookies(value, bytes, end) }
        replace(bytes, word, value, rule, &edits)
        return max(value.upperBound, start)
    }

    /// Returns the position after the asterisks that end a name in Markdown: `**Password:** x`.
    private static func endOfEmphasis(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        var position = start
        while position < end, position < start + 3, bytes[position] == .ascii("*") { position += 1 }
        return position < end && bytes[position] == 0x20 ? position : start
    }

    /// Replaces a value, or removes it together with its name.
    func replace(
        _ bytes: Span<UInt8>,
        _ word: Range<Int>,
        _ value: Range<Int>,
        _ rule: Rule,
        _ edits: inout EditList
    ) {
        if rule.action == .remove {
            edits.remove(word.lowerBound..<value.upperBound, rule)
        } else {
            rules.replace(bytes, value, rule, notation, &edits)
        }
    }

    /// Whether a text contains `name=`, as in `"/x?name="`, or a quote follows, as in `name = "`.
    private func opensText(
        _ bytes: Span<UInt8>,
        _ word: Range<Int>,
        _ start: Int,
        _ end: Int
    ) -> Bool {
        var next = start
        while next < end, bytes[next].isBlank || bytes[next] == 0x0A { next += 1 }
        if next < end, [.ascii("\""), .ascii("'"), .ascii("`"), .ascii("\\")].contains(bytes[next])
        {
            return true
        }
        guard bytes[start - 1] == .ascii("="), word.lowerBound > 0 else { return false }
        switch bytes[word.lowerBound - 1] {
        case .ascii("?"), .ascii("&"), .ascii("#"), 0x30...0x39, 0x41...0x46, 0x61...0x66:
            // The digit belongs to an escape: `\u0026`.
            return true
        case .ascii("\""), .ascii("'"), .ascii("`"):
            return word.upperBound == start - 1 && bytes[word.upperBound - 1] != .ascii("]")
        default:
            return false
        }
    }

    /// Edits the value after `name: password`, if another pair follows: `value: x`.
    private func editNamed(
        _ bytes: Span<UInt8>,
        _ word: Range<Int>,
        _ separator: TextUnit,
        _ start: Int,
        _ end: Int,
        _ edits: inout EditList
    ) -> Int {
        guard !isStrict, !isQuery, separator.byte == .ascii(":"), separator.length == 1,
            JSONPairs.Role(of: bytes.extracting(word)) == .name,
            let pair = TextEditor.namedPair(bytes, word, start, end),
            let rule = rule(bytes.extracting(pair.name), separator),
            let value = plausibleValue(of: pair.key, after: separator, bytes, pair.start..<end),
            !value.isEmpty
        else { return start }
        replace(bytes, pair.key, value, rule, &edits)
        return value.upperBound
    }

    /// Returns the value of a name; `nil` if what follows may not be a value.
    ///
    /// This is decided before the end of a value is searched for; otherwise the rest of a line
    /// would be read again after each name in it.
    private func plausibleValue(
        of word: Range<Int>,
        after separator: TextUnit,
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) -> Range<Int>? {
        guard let first = range.first else { return nil }
        let isColon = separator.byte == .ascii(":")
        if isStrict {
            // Quoted, or directly after `=`.
            guard !isColon && !bytes[first].isBlank || opensQuote(bytes, range) else { return nil }
        } else if let block = TextEditor.block(bytes, word, separator, range)
            ?? TextEditor.container(bytes, range)
        {
            return block
        } else if isProse, isColon, bytes[first].isBlank, !opensQuote(bytes, range) {
            return proseValue(of: word, bytes, range)
        } else if isProse, isColon, !opensQuote(bytes, range) {
            return TextEditor.joinedWord(word, bytes, range)
        }
        return value(of: word, after: separator, bytes, range)
    }

    /// Returns the rule for a word, possibly together with the words before it.
    private func rule(
        _ bytes: Span<UInt8>,
        _ word: Range<Int>,
        _ separator: TextUnit
    ) -> Rule? {
        let name = bytes.extracting(word)
        // Most words have none.
        guard rules.queryNames.mayMatch(name) || TextEditor.hasEscape(name) else { return nil }
        return rule(name, separator) ?? spacedRule(bytes, word, separator)
    }

    private static func hasEscape(_ word: Span<UInt8>) -> Bool {
        word.firstIndex(ofEither: .ascii("%"), .ascii("\\"), from: 0) < word.count
    }

    func rule(_ word: Span<UInt8>, _ separator: TextUnit) -> Rule? {
        guard TextEditor.hasEscape(word) else { return plainRule(word, separator) }
        var plain = EmbeddedForm.unescaped(word)
        for _ in 0..<3 where plain.contains(.ascii("\\")) || plain.contains(.ascii("%")) {
            plain = EmbeddedForm.unescaped(plain.span)
        }
        return plainRule(plain.span, separator)
    }

    private func plainRule(_ word: Span<UInt8>, _ separator: TextUnit) -> Rule? {
        if isQuery, separator.byte == .ascii("="), let rule = rules.query.rule(forNested: word) {
            return rule
        }
        return rules.text.rule(forNested: word)
    }

    /// Edits the text before the last `@` of an authority; returns where to continue.
    private func editUserInfo(
        _ bytes: Span<UInt8>,
        _ authority: Range<Int>,
        _ edits: inout EditList
    ) -> Int {
        let text = bytes.extracting(0..<authority.upperBound)
        var position = text.nextUserInfoEnd(from: authority.lowerBound)
        var at: Range<Int>?
        while position < authority.upperBound {
            let unit = TextUnit(bytes, position, authority.upperBound)
            if unit.byte == .ascii("@") { at = position..<position + unit.length }
            position = text.nextUserInfoEnd(from: position + unit.length)
        }
        guard let at, at.lowerBound > authority.lowerBound else { return authority.lowerBound }
        if rules.userInfo.action == .remove {
            edits.remove(authority.lowerBound..<at.upperBound, rules.userInfo)
        } else {
            // Brackets in an authority are only for addresses, so the text is encoded.
            let secret = authority.lowerBound..<at.lowerBound
            rules.replace(bytes, secret, rules.userInfo, .url, &edits)
        }
        return at.upperBound
    }
}

// MARK: - Places

extension TextEditor {
    /// Returns the authority of a URL, after the colon of its scheme.
    ///
    /// In JSON strings, its slashes may be escaped.
    private static func authority(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        var start = range.lowerBound
        for _ in 0..<2 {
            if start + 1 < range.upperBound, bytes[start] == .ascii("\\"),
                bytes[start + 1] == .ascii("/")
            {
                start += 1
            }
            guard start < range.upperBound else { return nil }
            let unit = TextUnit(bytes, start, range.upperBound)
            guard unit.byte == .ascii("/") else { return nil }
            start += unit.length
        }
        let text = bytes.extracting(0..<range.upperBound)
        var position = text.nextAuthorityEnd(from: start)
        while position < range.upperBound {
            let unit = TextUnit(bytes, position, range.upperBound)
            switch unit.byte {
            case 0...0x20, .ascii("/"), .ascii("?"), .ascii("#"), .ascii("\""), .ascii("<"),
                .ascii(">"), .ascii("\\"):
                return start..<position
            default: position = text.nextAuthorityEnd(from: position + unit.length)
            }
        }
        return start..<range.upperBound
    }

    /// Returns the range of a value.
    ///
    /// It is between quotes, even if these are on a line of their own, or between brackets that are
    /// not closed on the line. After `=`, it extends to a blank, `&`, `<` or `>`; after a colon, or
    /// if quotes are escaped, to the end of the line. After an encoded `=`, an encoded `&` also
    /// ends it.
    private func value(
        of word: Range<Int>,
        after separator: TextUnit,
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) -> Range<Int> {
        var start = range.lowerBound
        if separator.byte == .ascii("="), start < range.upperBound {
            // `"password" => "x"`, as in Ruby and PHP.
            let arrow = TextUnit(bytes, start, range.upperBound)
            if arrow.byte == .ascii(">") { start += arrow.length }
            // `password == x`.
            while start < range.upperBound, bytes[start] == .ascii("=") { start += 1 }
        }
        while start < range.upperBound, bytes[start].isBlank { start += 1 }
        start = TextEditor.quote(bytes, start..<range.upperBound) ?? start
        guard start < range.upperBound else { return start..<start }
        let first = TextUnit(bytes, start, range.upperBound)
        if isQuote(first) {
            return TextEditor.quoted(bytes, by: first, start + first.length..<range.upperBound)
        }
        let isColon = separator.byte == .ascii(":") || bytes[start] == .ascii("\\")
        let beginsLine = notation != .url && TextEditor.beginsLine(bytes, word)
        var position = start
        while position < range.upperBound {
            let unit =
                separator.length > 1 || (!isColon && bytes[position] == .ascii("\\"))
                ? TextUnit(bytes, position, range.upperBound)
                : TextUnit(bytes, position, position + 1)
            switch unit.byte {
            case 0..<0x20 where unit.byte != 0x09: return start..<position
            case .ascii("&") where !isColon:
                // In configuration files, it is an ordinary character.
                let next = position + unit.length..<range.upperBound
                let isSign = beginsLine && unit.length == 1
                guard isSign, !TextEditor.beginsItem(bytes, next) else { return start..<position }
            case 0x20, 0x09, .ascii("<"), .ascii(">"):
                if !isColon, unit.length == 1 { return start..<position }
            default: break
            }
            position += unit.length
        }
        return start..<range.upperBound
    }

    /// Whether a quote follows blanks, which may be escaped, or line ends.
    private func opensQuote(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        if TextEditor.quote(bytes, range) != nil { return true }
        var start = range.lowerBound
        while start < range.upperBound, bytes[start].isBlank { start += 1 }
        guard start < range.upperBound else { return false }
        return isQuote(TextUnit(bytes, start, range.upperBound))
    }

    /// Whether a character opens a string; in scripts, this includes templates.
    private func isQuote(_ unit: TextUnit) -> Bool {
        unit.byte == .ascii("\"") || unit.byte == .ascii("'")
            || isScript && unit.byte == .ascii("`")
    }

    /// Returns the quote that follows line ends and blanks.
    private static func quote(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var start = range.lowerBound
        while start < range.upperBound,
            bytes[start].isBlank || bytes[start] == 0x0A || bytes[start] == 0x0D
        {
            start += 1
        }
        guard start < range.upperBound, bytes[start] == .ascii("\"") else { return nil }
        return start
    }

    static func quoted(
        _ bytes: Span<UInt8>,
        by quote: TextUnit,
        _ range: Range<Int>
    ) -> Range<Int> {
        var position = range.lowerBound
        while position < range.upperBound {
            let unit = TextUnit(bytes, position, range.upperBound)
            if unit.byte == quote.byte, unit.length == quote.length { break }
            position += unit.length
            guard unit.byte == .ascii("\\"), position < range.upperBound else { continue }
            position += TextUnit(bytes, position, range.upperBound).length
        }
        return range.lowerBound..<min(position, range.upperBound)
    }
}
