// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Scripts: JSON, a call or an assignment with JSON, or other code.
enum ScriptText {
    /// Edits a script: as JSON if all of it can be read as JSON, otherwise as code.
    ///
    /// If a quote is not closed, as in code that is cut, the content of strings is uncertain. Then
    /// each text after a name and `=` or a colon is redacted too.
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
                // The meaning of the name before it applies to all of it.
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

    /// Whether there is anything that a script of any length contains: a bracket, a semicolon or a
    /// quote.
    ///
    /// A text without any of these, such as `user=a&password=b`, has the wrong type.
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

    /// Returns the range of the JSON in `callback({…});`, `/**/ a.b({…})` or `window.state = {…};`;
    /// `nil` for any other script.
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
        // Names are short: a script that continues for longer is a different one.
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
    /// The size of the beginning of a text that is examined.
    private static let headLength = 2048

    /// Whether a text without a type, or with a wrong one, is clearly code: it contains several
    /// constructs of code, and many brackets and operators.
    ///
    /// In such a text, an expression follows `=`, not a value.
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

    /// Returns the kind of operator at a position; 0 for one that other texts contain too.
    private static func kind(_ bytes: Span<UInt8>, _ index: Int, _ end: Int) -> UInt8 {
        let rest = bytes.extracting(index..<end)
        if rest.starts(with: "||") || rest.starts(with: "&&") { return 1 }
        if rest.starts(with: "===") || rest.starts(with: "=>") { return 2 }
        if rest.starts(with: "){") || rest.starts(with: ") {") || rest.starts(with: "};") {
            return 4
        }
        return 0
    }

    /// Returns the kind of keyword at a position.
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

    /// Whether a text contains a quote, so that it may contain a string of code.
    static func hasQuotes(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let text = bytes.extracting(0..<range.upperBound)
        return text.nextTextQuote(from: range.lowerBound) < text.count
    }

    /// Whether a text contains a key in the notation of PHP's `var_dump`: `["password"]=>`.
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
