// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds secrets in the strings of code by the code before them.
///
/// A string is redacted if a rule names the variable, the member, the argument or the key that it
/// belongs to: `apiKey = "…"`, `config["apiKey"] = "…"`, `{token: "…"}`, `setItem("token", "…")`,
/// `var xToken string = "…"`, `$x .= "…"`, `X ?= "…"`. Strings joined to it are redacted too.
/// Names, and values that are not strings, are code and stay.
///
/// **Shape**: works on code as it is, and on the decoded text of a string that contains code.
/// **Limits**: time is linear; nested brackets are tracked to a depth of 512.
struct CodeEditor {
    /// The state within an open bracket.
    struct Frame {
        /// The bracket; 0 for the whole text.
        var opener: UInt8 = 0
        /// The name before the bracket.
        var name: CodeToken?
        /// Whether the strings alternate between a name and its value, as in calls that set
        /// something.
        var isSetter = false
        /// The rule for each string in a list or an object of secrets.
        var elementRule: Rule?
        /// The rule for what follows the current argument.
        var nextRule: Rule?
        /// An object that is a pair, `{name: "token", value: "…"}`: the rule that its name has, and
        /// its value, if that is read first.
        var pair: (rule: Rule?, value: CodeToken?) = (nil, nil)
        /// The last string that was kept.
        var text: CodeToken?
        /// The only token in the bracket.
        var only: CodeToken?
        var count = 0
        var value = Value()
    }

    /// The state of the current statement, argument or member, which ends at a comma, a semicolon
    /// or a line end.
    struct Value {
        /// The rule for the value, from its name on.
        var rule: Rule?
        /// Whether `rule` comes from the container and not from the name.
        var isMember = false
        /// The rule for a value if `rule` is `nil` before `||`, and whether a secret is certain
        /// there.
        var fallback: (rule: Rule, isSure: Bool)?
        /// Whether the type and the length of the value precede it: `string(6) "…"` (PHP).
        var isDump = false
        /// The role of the member in a pair.
        var role = JSONPairs.Role.none
        /// The rule for the name before a colon, which a type may follow.
        var typedName: Rule?
        /// The number of conditional operators that still need their colon.
        var conditions = 0
        /// The first two words.
        var words = (CodeToken(), CodeToken())
        var wordCount = 0
    }

    /// The state of the code before a comment.
    private struct State {
        var frame = Frame()
        var frames: [Frame] = []
        var before = (CodeToken(), CodeToken(), CodeToken())
        var closed: (rule: Rule?, opener: UInt8) = (nil, 0)
        var replaced: Rule?
    }

    let rules: RuleSet
    /// Whether the strings are searched too, for URLs and similar content.
    var searchesTexts = true
    var scanner = CodeScanner(0..<0)
    var frame = Frame()
    var frames: [Frame] = []
    /// The three previous tokens, the most recent one first.
    var before = (CodeToken(), CodeToken(), CodeToken())
    /// The rule and the opening bracket of the bracket that closed last.
    var closed: (rule: Rule?, opener: UInt8) = (nil, 0)
    /// The rule by which the previous string was replaced; strings joined to it are replaced too.
    var replaced: Rule?
    /// Whether the current token is in a comment.
    private var isComment = false
    /// The state of the code around the current comment.
    private var other = State()
    /// Strings that turn out to be values later.
    var late: [(token: CodeToken, rule: Rule)] = []

    init(_ rules: RuleSet, searchesTexts: Bool = true) {
        self.rules = rules
        self.searchesTexts = searchesTexts
    }

    private static let maxDepth = 512

    /// Edits the code within a range; returns whether all of it was understood.
    mutating func edit(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ edits: inout EditList
    ) -> Bool {
        scanner = CodeScanner(range)
        var isShallow = true
        while scanner.next(bytes) {
            let token = scanner.last
            if token.isComment != isComment { switchComment() }
            if token.beginsLine, endsStatement(token) { endValue() }
            let closes =
                token.isSign(.ascii(")")) || token.isSign(.ascii("]")) || token.isSign(.ascii("}"))
            if !closes { count(token) }
            switch token.kind {
            case .none: break
            case .word: readWord(token, bytes)
            case .number: replaced = nil
            case .text: readText(token, bytes, &edits)
            case .sign:
                if frames.count > CodeEditor.maxDepth {
                    isShallow = false
                } else {
                    readSign(token, bytes)
                }
            }
            if closes { count(token) }
            before = (token, before.0, before.1)
        }
        var found = EditList()
        late.sort { $0.token.content.lowerBound < $1.token.content.lowerBound }
        for value in late { replace(value.token, value.rule, bytes, &found) }
        edits.merge(found)
        return scanner.isUnderstood && isShallow
    }

    /// Enters or leaves a comment, whose code is separate from the code around it.
    private mutating func switchComment() {
        isComment.toggle()
        swap(&frame, &other.frame)
        swap(&frames, &other.frames)
        swap(&before, &other.before)
        swap(&closed, &other.closed)
        swap(&replaced, &other.replaced)
        if !isComment { other = State() }
    }

    /// Whether a token on a new line begins another statement.
    private func endsStatement(_ token: CodeToken) -> Bool {
        guard frame.opener != .ascii("(") else { return false }
        if before.0.kind == .sign {
            let closes =
                before.0.isSign(.ascii(")")) || before.0.isSign(.ascii("]"))
                || before.0.isSign(.ascii("}"))
            if !closes { return false }
        }
        return token.kind != .sign && !(token.kind == .text && before.0.kind == .text)
    }

    mutating func endValue() {
        frame.value = Value()
        replaced = nil
    }

    private mutating func count(_ token: CodeToken) {
        if frame.count == 0 { frame.only = token }
        frame.count += 1
    }
}

// MARK: - Words and signs

extension CodeEditor {
    private mutating func readWord(_ token: CodeToken, _ bytes: Span<UInt8>) {
        // `b"…"`, `@"…"`: the prefix belongs to the string.
        if token.range.count > 2 || !isQuote(bytes, token.range.upperBound) {
            switch frame.value.wordCount {
            case 0: frame.value.words.0 = token
            case 1: frame.value.words.1 = token
            default: break
            }
            frame.value.wordCount += 1
            if !bytes.extracting(token.range).equals("or") {
                replaced = nil
            } else if frame.value.rule == nil {
                frame.value.fallback = fallback(bytes)
            }
        }
    }

    private func isQuote(_ bytes: Span<UInt8>, _ place: Int) -> Bool {
        guard place < bytes.count else { return false }
        return bytes[place] == .ascii("\"") || bytes[place] == .ascii("'")
    }

    private mutating func readSign(_ token: CodeToken, _ bytes: Span<UInt8>) {
        switch token.sign {
        case CodeToken.sign("("), CodeToken.sign("["), CodeToken.sign("{"):
            open(token, bytes)
        case CodeToken.sign(")"), CodeToken.sign("]"), CodeToken.sign("}"):
            close(token, bytes)
        case CodeToken.sign(","):
            frame.nextRule = frame.isSetter ? argumentRule(bytes) : nil
            endValue()
        case CodeToken.sign(";"):
            endValue()
        case CodeToken.sign(":"):
            readColon(bytes)
        case CodeToken.sign("?"):
            frame.value.conditions += 1
        case CodeToken.sign("="), CodeToken.sign(":="), CodeToken.sign(".="), CodeToken.sign("+="),
            CodeToken.sign("?="), CodeToken.sign("||="), CodeToken.sign("??="),
            CodeToken.sign("<-"):
            let found = targetRule(bytes)
            let member = found == nil ? memberRule(bytes) : nil
            frame.value.rule = found ?? member
            frame.value.isMember = member != nil
            frame.value.conditions = 0
        case CodeToken.sign("=>"):
            // After a word, it is a function or a Perl pair: `password => "x"`.
            let isPair =
                before.0.kind == .text || isSymbol(bytes) || opensText(bytes, after: token)
            frame.value.isDump = isDumped(bytes, token)
            frame.value.rule =
                isPair || frame.value.isDump ? targetRule(bytes) ?? memberRule(bytes) : nil
            frame.value.isMember = false
        case CodeToken.sign("||"), CodeToken.sign("??"), CodeToken.sign("?:"):
            // `process.env.TOKEN || "…"`
            if frame.value.rule == nil { frame.value.fallback = fallback(bytes) }
        default: break
        }
    }

    /// Returns the rule for the fallback of a missing value.
    private func fallback(_ bytes: Span<UInt8>) -> (Rule, Bool)? {
        if before.0.isSign(.ascii(")")) || before.0.isSign(.ascii("]")) {
            return closed.rule.map { ($0, true) }
        }
        guard before.0.kind == .word, let rule = rule(before.0, bytes) else { return nil }
        return (rule, CodeNames.isConstant(bytes.extracting(before.0.range)))
    }

    /// Whether `=>` is between a key and a value in the notation of PHP's `var_dump`.
    private func isDumped(_ bytes: Span<UInt8>, _ token: CodeToken) -> Bool {
        guard before.0.isSign(.ascii("]")), closed.opener == .ascii("[") else { return false }
        var place = token.range.upperBound
        while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
        return bytes.extracting(place..<bytes.count).starts(with: "string(")
    }

    /// Whether a string follows an operator.
    private func opensText(_ bytes: Span<UInt8>, after token: CodeToken) -> Bool {
        var place = token.range.upperBound
        while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
        return isQuote(bytes, place)
    }

    /// Whether the previous word is a Ruby symbol: `:password => "x"`.
    private func isSymbol(_ bytes: Span<UInt8>) -> Bool {
        before.0.kind == .word && before.1.isSign(.ascii(":"))
            && before.1.range.upperBound == before.0.range.lowerBound
    }

    private mutating func open(_ token: CodeToken, _ bytes: Span<UInt8>) {
        var inner = Frame()
        inner.opener = UInt8(truncatingIfNeeded: token.sign)
        if before.0.kind == .word { inner.name = before.0 }
        switch inner.opener {
        case .ascii("("):
            inner.isSetter =
                inner.name.map { CodeNames.isSetter(bytes.extracting($0.range)) } ?? false
            let isGroup = before.0.kind == .sign && joins(before.0)
            guard let rule = argumentOrValueRule else { break }
            let isWrapper =
                inner.name.map { CodeNames.isWrapper(bytes.extracting($0.range)) } ?? false
            if isGroup || isWrapper { inner.value.rule = rule }
            let isList = inner.name.map { CodeNames.isList(bytes.extracting($0.range)) } ?? false
            if isGroup || isList { inner.elementRule = frame.value.rule }
        case .ascii("["):
            inner.isSetter =
                before.0.isSign(.ascii("["))
                || before.0.isSign(.ascii(",")) && before.1.isSign(.ascii("]"))
            inner.elementRule = containerRule
        default: inner.elementRule = containerRule
        }
        replaced = nil
        frames.append(frame)
        frame = inner
    }

    /// The rule for the current value or argument.
    private var argumentOrValueRule: Rule? {
        frame.value.rule ?? (frame.opener == .ascii("(") ? frame.nextRule : nil)
    }

    /// The rule for all strings in a list or an object that begins.
    private var containerRule: Rule? {
        guard before.0.kind == .sign else { return nil }
        if joins(before.0) { return frame.value.rule }
        if before.0.isSign(.ascii("(")) { return frame.value.rule ?? frame.elementRule }
        let isElement =
            before.0.isSign(.ascii("[")) || before.0.isSign(.ascii(","))
            || before.0.isSign(.ascii("{"))
        return isElement ? frame.elementRule : nil
    }

    private mutating func close(_ token: CodeToken, _ bytes: Span<UInt8>) {
        guard let outer = frames.popLast() else {
            endValue()
            return
        }
        closed = (nil, frame.opener)
        if frame.count == 1, let only = frame.only, only.kind != .sign {
            closed.rule = rule(only, bytes)
        }
        if frame.opener == .ascii("["), let only = frame.only, only.kind == .text,
            before.0.kind == .word, CodeNames.isAccess(bytes.extracting(before.0.range))
        {
            // `["password":protected]`
            closed.rule = rule(only, bytes)
        }
        if closed.rule == nil, let name = frame.name { closed.rule = rule(name, bytes) }
        // A block ends the statement whose last part it is.
        let isBlock = frame.opener == .ascii("{") && closed.rule == nil && frame.count > 1
        frame = outer
        if isBlock, frame.value.rule == nil { frame.value = Value() }
        replaced = nil
    }

    private mutating func readColon(_ bytes: Span<UInt8>) {
        if frame.value.conditions > 0 {
            frame.value.conditions -= 1
            return
        }
        if frame.value.wordCount > 0,
            bytes.extracting(frame.value.words.0.range).equals("case")
        {
            endValue()
            return
        }
        // `token!: string = "…"`
        if before.0.isSign(.ascii("!")) { before = (before.1, before.2, CodeToken()) }
        guard before.0.kind != .sign || before.0.isSign(.ascii("]")) else { return }
        let found = targetRule(bytes)
        let member = found == nil ? memberRule(bytes) : nil
        frame.value.rule = found ?? member
        frame.value.isMember = member != nil
        frame.value.typedName = found
        guard before.0.kind != .sign else { return }
        frame.value.role = JSONPairs.Role(of: bytes.extracting(before.0.content))
        if frame.value.role == .value, frame.value.rule == nil {
            frame.value.rule = frame.pair.rule
        }
    }

    /// Returns the rule for a member of an object that contains secrets; `nil` for a descriptive
    /// member.
    private func memberRule(_ bytes: Span<UInt8>) -> Rule? {
        guard let rule = frame.elementRule, frame.opener != .ascii("("),
            !CodeNames.describes(bytes.extracting(before.0.content))
        else { return nil }
        return rule
    }

    /// Returns the rule for the target of an assignment.
    private func targetRule(_ bytes: Span<UInt8>) -> Rule? {
        switch before.0.kind {
        case .word:
            if let rule = rule(before.0, bytes) { return rule }
            if let typed = frame.value.typedName { return typed }
            // `var xToken string = "…"`
            let words = frame.value.words
            guard frame.value.wordCount >= 3, CodeNames.declares(bytes.extracting(words.0.range))
            else { return nil }
            return rule(words.1, bytes)
        case .text: return rule(before.0, bytes)
        case .sign where before.0.isSign(.ascii(")")):
            return scanner.last.isSign(.ascii("=")) ? closed.rule : nil
        case .sign where before.0.isSign(.ascii("]")) || before.0.isSign(.ascii("}")):
            return closed.rule ?? frame.value.typedName
        case .sign, .number, .none: return frame.value.typedName
        }
    }

    /// Returns the rule that the argument before a comma names for the next one.
    private func argumentRule(_ bytes: Span<UInt8>) -> Rule? {
        guard before.0.kind == .text || before.0.kind == .word else { return nil }
        // Only a whole argument is a name.
        guard
            before.1.isSign(.ascii("(")) || before.1.isSign(.ascii(","))
                || before.1.isSign(.ascii("[")) || before.1.isSign(.ascii("."))
                || before.1.isSign(.ascii(":"))
        else { return nil }
        return rule(before.0, bytes)
    }

    /// Returns the rule for a word, or for the content of a string.
    func rule(_ token: CodeToken, _ bytes: Span<UInt8>) -> Rule? {
        var content = token.content
        while content.count > 1, token.kind == .word,
            bytes[content.lowerBound] == .ascii("$") || bytes[content.lowerBound] == .ascii("@")
        {
            content = content.lowerBound + 1..<content.upperBound
        }
        guard 1...CodeEditor.longestName ~= content.count else { return nil }
        let name = bytes.extracting(content)
        guard token.kind == .text, name.firstIndex(of: .ascii("\\")) != nil else {
            return rules.text.rule(forNested: name)
        }
        return rules.text.rule(forNested: CodeLiteral.decode(name).span)
    }

    private static let longestName = 128

    /// Whether a sign joins what follows to the previous value, or begins a value.
    func joins(_ token: CodeToken) -> Bool {
        switch token.sign {
        case CodeToken.sign("="), CodeToken.sign(":="), CodeToken.sign(".="), CodeToken.sign("+="),
            CodeToken.sign("?="), CodeToken.sign("||="), CodeToken.sign("??="),
            CodeToken.sign("<-"), CodeToken.sign("=>"), CodeToken.sign(":"), CodeToken.sign("+"),
            CodeToken.sign("."), CodeToken.sign(".."), CodeToken.sign("&"), CodeToken.sign("||"),
            CodeToken.sign("??"), CodeToken.sign("?"), CodeToken.sign("~"), CodeToken.sign("?:"),
            CodeToken.sign("<<"):
            return true
        default: return false
        }
    }
}
