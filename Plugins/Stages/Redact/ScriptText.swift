// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Scripts: JSON, a call or an assignment with JSON in it, or others.
enum ScriptText {
    /// Edits a script: as JSON if all of it is understood so, otherwise as code.
    ///
    /// Where a quote has no end, as in code that is cut, what is in quotes is not certain; then each
    /// text after a name and `=` or a colon goes too.
    static func edit(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ rules: RuleSet,
        _ json: inout JSONEditor,
        _ edits: inout EditList
    ) {
        let inner = JSONText.isLikely(bytes, range) ? range : ScriptText.json(bytes, range)
        if let inner {
            var found = EditList()
            if json.edit(bytes, inner, rules, &found) {
                edits.merge(found)
                // What the name before it says counts for all of it.
                guard inner != range, namesSecret(bytes, range.lowerBound..<inner.lowerBound, rules)
                else { return }
                var named = EditList()
                var code = CodeEditor(rules)
                _ = code.edit(bytes, range, &named)
                edits.merge(named)
                return
            }
        }
        guard ScriptText.isCode(bytes, range) else {
            TextEditor(rules: rules, isQuery: true).edit(bytes, range, &edits)
            return
        }
        var found = EditList()
        var code = CodeEditor(rules)
        let isUnderstood = code.edit(bytes, range, &found)
        edits.merge(found)
        guard !isUnderstood else { return }
        var others = EditList()
        TextEditor(rules: rules, isStrict: true, isScript: true).edit(bytes, range, &others)
        edits.merge(others)
    }

    /// Whether there is anything that a script of any length has.
    ///
    /// That is a bracket, a semicolon or a quote; what has none, as `user=a&password=b`, has got the
    /// wrong type.
    private static func isCode(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range {
            switch bytes[index] {
            case .ascii("("), .ascii("{"), .ascii("["), .ascii(";"), .ascii("\""), .ascii("'"),
                .ascii("`"):
                return true
            default: continue
            }
        }
        return false
    }

    /// Where the JSON lies in `callback({…});`, `/**/ a.b({…})` or `window.state = {…};`; nothing
    /// where the script is another one.
    static func json(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        var position = range.lowerBound
        func skipBlanks() {
            while position < range.upperBound,
                bytes[position].isBlank || bytes[position] == 0x0A || bytes[position] == 0x0D
            {
                position += 1
            }
        }
        skipBlanks()
        if bytes.extracting(position..<range.upperBound).starts(with: "/**/") { position += 4 }
        skipBlanks()
        // Names are short: a script that goes on for long is another one.
        let limit = min(range.upperBound, position + 256)
        while position < limit, isName(bytes[position]) { position += 1 }
        guard position < limit else { return nil }
        let opener = bytes[position]
        guard opener == .ascii("(") || opener == .ascii("=") else { return nil }
        position += 1
        var end = range.upperBound
        let closers: [UInt8] =
            [.ascii(";"), 0x20, 0x09, 0x0A, 0x0D] + (opener == .ascii("(") ? [.ascii(")")] : [])
        while end > position, closers.contains(bytes[end - 1]) { end -= 1 }
        return JSONText.isLikely(bytes, position..<end) ? position..<end : nil
    }

    /// Whether a rule names the variable before an assignment.
    private static func namesSecret(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ rules: RuleSet
    ) -> Bool {
        var end = range.upperBound
        while end > range.lowerBound, !CodeScanner.isWordByte(bytes[end - 1]) {
            if bytes[end - 1] == .ascii("(") { return false }
            end -= 1
        }
        var start = end
        while start > range.lowerBound,
            CodeScanner.isWordByte(bytes[start - 1]) || bytes[start - 1] == .ascii("-")
        {
            start -= 1
        }
        return start < end && rules.text.rule(forNested: bytes.extracting(start..<end)) != nil
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x20, 0x09: true
        case .ascii("_"), .ascii("$"), .ascii("."), .ascii("["), .ascii("]"), .ascii("\""): true
        case .ascii("'"), .ascii(";"): true
        default: false
        }
    }
}

// MARK: - Code without a type

extension ScriptText {
    /// How much of a text is looked at.
    private static let headLength = 2048

    /// Whether a text that has no type, or a wrong one, is code beyond doubt: it has several signs
    /// that code alone has, and many brackets and operators.
    ///
    /// What follows `=` there is an expression, and no value.
    static func isLikely(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let end = min(range.upperBound, range.lowerBound + headLength)
        let count = end - range.lowerBound
        let signs = bytes.extracting(range.lowerBound..<end).codeSigns
        // Most texts have too few.
        guard signs * 16 >= count else { return false }
        var kinds: UInt8 = 0
        for index in range.lowerBound..<end {
            switch bytes[index] {
            case .ascii("("), .ascii(")"), .ascii("{"), .ascii("}"), .ascii("["), .ascii("]"),
                .ascii(";"), .ascii("="), .ascii("|"), .ascii("&"):
                kinds |= kind(bytes, index, end)
            case .ascii("f"), .ascii("t"), .ascii("r"), .ascii("v"), .ascii("c"), .ascii("l"):
                kinds |= word(bytes, index, end)
            default: break
            }
        }
        let most = kinds.nonzeroBitCount
        return most >= 3 || most >= 2 && signs * 5 >= count
    }

    /// The kind of operator at a place; 0 for one that other texts have too.
    private static func kind(_ bytes: Span<UInt8>, _ index: Int, _ end: Int) -> UInt8 {
        let rest = bytes.extracting(index..<end)
        if rest.starts(with: "||") || rest.starts(with: "&&") { return 1 }
        if rest.starts(with: "===") || rest.starts(with: "=>") { return 2 }
        if rest.starts(with: "){") || rest.starts(with: ") {") || rest.starts(with: "};") {
            return 4
        }
        return 0
    }

    /// The kind of keyword at a place.
    private static func word(_ bytes: Span<UInt8>, _ index: Int, _ end: Int) -> UInt8 {
        if index > 0, CodeScanner.isWordByte(bytes[index - 1]) { return 0 }
        let rest = bytes.extracting(index..<end)
        if rest.starts(with: "function(") || rest.starts(with: "function ") { return 8 }
        if rest.starts(with: "this.") { return 16 }
        if rest.starts(with: "return ") || rest.starts(with: "typeof ") { return 32 }
        if rest.starts(with: "var ") || rest.starts(with: "let ") || rest.starts(with: "const ") {
            return 64
        }
        return 0
    }

    /// Whether a text has a quote, so that a text of code may be in it.
    static func hasQuotes(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let text = bytes.extracting(0..<range.upperBound)
        return text.nextTextQuote(from: range.lowerBound) < text.count
    }

    /// Whether a text has a key as `var_dump` of PHP writes them: `["password"]=>`.
    static func hasDump(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let text = bytes.extracting(0..<range.upperBound)
        var position = range.lowerBound
        while let bracket = text.firstIndex(of: .ascii("]"), from: position) {
            position = bracket + 1
            if text.extracting(position..<text.count).starts(with: "=>") { return true }
        }
        return false
    }
}
