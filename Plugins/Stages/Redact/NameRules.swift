// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Rules by name: exact names, patterns with `*` and `?`, and phrases that names end with.
struct NameRules: Sendable {
    /// Rejects most names that have no rule.
    private(set) var filter = NameFilter()
    private var table = NameTable<Rule>()
    private var phrases = PhraseTable()
    private var patterns: [NamePattern] = []
    /// The concatenated texts of the patterns, in lowercase.
    private var texts: [UInt8] = []
    /// Patterns other than `*` around or before a text.
    private var globs: [Glob] = []
    /// Names that patterns and phrases do not match.
    private var kept = NameTable<Bool>()
    /// Whether there are patterns other than a text between two `*`.
    private var matchesAny = false
    /// Whether there are patterns that take precedence over phrases.
    private var winsOverPhrases = false
    /// The first letters of the texts within patterns.
    private var marks = ByteSet([])
    /// The length of the shortest text within a pattern.
    private var shortest = Int.max

    var isEmpty: Bool { table.isEmpty && patterns.isEmpty && phrases.isEmpty }

    /// Whether a name is a pattern.
    static func isPattern(_ name: String) -> Bool {
        name.utf8.contains(.ascii("*")) || name.utf8.contains(.ascii("?"))
    }

    /// Adds a rule; if a name has several rules, the last one wins.
    mutating func add(_ name: String, _ rule: Rule, isFallback: Bool = false) {
        guard NameRules.isPattern(name) else {
            table.set(name, to: rule)
            filter.add(name: NameTable<Rule>.letters(of: name))
            return
        }
        let (form, text) = NamePattern.form(of: name)
        let start = form == .glob ? globs.count : texts.count
        let pattern = NamePattern(
            rule: rule,
            form: form,
            length: name.utf8.count { $0 != .ascii("*") },
            start: start,
            last: text.last ?? 0,
            isFallback: isFallback
        )
        patterns.insert(pattern, at: 0)
        winsOverPhrases = winsOverPhrases || !isFallback
        filter.add(form, text)
        switch form {
        case .all: matchesAny = true
        case .glob:
            globs.append(Glob(name, ignoringCase: true))
            matchesAny = true
        case .ending:
            texts += text
            matchesAny = true
        case .part:
            texts += text
            marks.insert(text[0])
            marks.insert(text[0] & 0xDF)
            shortest = min(shortest, text.count)
        }
    }

    /// Exempts a name that patterns or phrases match.
    mutating func keep(_ name: String) { kept.set(name, to: true) }

    /// Adds a rule for names that contain a text, `*text*`; all other rules take precedence over
    /// it.
    mutating func addPart(_ name: String, _ rule: Rule) {
        add(name, rule, isFallback: true)
    }

    /// Adds a rule for names that end with a phrase; exact names and patterns take precedence over
    /// phrases.
    mutating func addPhrase(_ name: String, _ rule: Rule?, _ place: PhraseTable.Place = .end) {
        phrases.add(name, rule, place)
        filter.add(phrase: PhraseTable.letters(of: name))
    }

    /// Whether a name, or the last part of a nested name, may have a rule.
    func mayMatch(_ name: Span<UInt8>) -> Bool { filter.mayMatch(name) }

    /// Returns the rule whose name equals this name exactly.
    func exactRule(for name: Span<UInt8>) -> Rule? {
        table.value(of: name) ?? phrases.exactRule(for: name)
    }

    /// Returns the rule for a name that ends with a phrase.
    func phraseRule(for name: Span<UInt8>) -> Rule? { phrases.rule(for: name) }

    /// Whether a name contains the text of a pattern; searched by first letters, since most names
    /// contain none of them.
    private func holdsPart(_ name: Span<UInt8>) -> Bool {
        guard shortest <= name.count else { return false }
        for start in 0...name.count - shortest
        where marks.contains(name[start]) && holdsPart(name, at: start) {
            return true
        }
        return false
    }

    /// Whether the text of a pattern is at a position.
    private func holdsPart(_ name: Span<UInt8>, at start: Int) -> Bool {
        for pattern in patterns where pattern.form == .part {
            let end = start + pattern.length
            guard end <= name.count else { continue }
            if equals(name.extracting(start..<end), pattern) { return true }
        }
        return false
    }

    /// Returns the rule for the value of a name.
    func rule(for name: Span<UInt8>) -> Rule? {
        if let rule = table.value(of: name) { return rule }
        if !kept.isEmpty, kept.value(of: name) != nil { return nil }
        guard winsOverPhrases else { return phrases.rule(for: name) ?? pattern(for: name)?.rule }
        let pattern = pattern(for: name)
        if let pattern, !pattern.isFallback { return pattern.rule }
        return phrases.rule(for: name) ?? pattern?.rule
    }

    /// Returns the first pattern that matches a name.
    private func pattern(for name: Span<UInt8>) -> NamePattern? {
        guard matchesAny || holdsPart(name) else { return nil }
        for pattern in patterns where matches(name, pattern) { return pattern }
        return nil
    }

    /// Whether a part of a name equals the text of a pattern.
    private func equals(_ part: Span<UInt8>, _ pattern: NamePattern) -> Bool {
        let text = texts.span.extracting(pattern.start..<pattern.start + pattern.length)
        return part.equalsIgnoringCase(text)
    }

    private func matches(_ name: Span<UInt8>, _ pattern: NamePattern) -> Bool {
        guard name.count >= pattern.length else { return false }
        switch pattern.form {
        case .all: return true
        case .glob: return globs[pattern.start].matches(name)
        case .ending:
            guard name[name.count - 1].asciiLowercased == pattern.last else { return false }
            return equals(name.extracting(name.count - pattern.length..<name.count), pattern)
        case .part:
            for start in 0...name.count - pattern.length
            where equals(name.extracting(start..<start + pattern.length), pattern) {
                return true
            }
            return false
        }
    }

    /// Returns the rule for a name as forms write it: in `user[password]` and `user.password`, the
    /// last part is also compared; `[]` and numbers may follow it.
    func rule(forNested name: Span<UInt8>) -> Rule? {
        guard mayMatch(name) else { return nil }
        if name.holdsFoldable, let folded = ConfusableFolding.folded(name) {
            return rule(forNested: folded.span)
        }
        if let rule = rule(for: name) { return rule }
        var end = name.count
        while end > 0 {
            if name[end - 1] == .ascii("]") || name[end - 1] == .ascii("[") {
                end -= 1
                continue
            }
            var digits = end
            while digits > 0, 0x30...0x39 ~= name[digits - 1] { digits -= 1 }
            guard digits < end, digits > 0,
                name[digits - 1] == .ascii("[") || name[digits - 1] == .ascii(".")
            else { break }
            end = digits - 1
        }
        var start = end
        while start > 0, name[start - 1] != .ascii("["), name[start - 1] != .ascii(".") {
            start -= 1
        }
        guard start > 0 || end < name.count, start < end else { return nil }
        return rule(for: name.extracting(start..<end))
    }
}

/// A pattern for the names of one rule.
///
/// **Shape**: a value without references, since all patterns are checked for a name that may match
/// one.
struct NamePattern: Sendable, BitwiseCopyable {
    enum Form: Sendable {
        /// A text after `*`; a matching name ends with it.
        case ending
        /// A text between two `*`; a matching name contains it.
        case part
        /// Only `*`: every name matches.
        case all
        case glob
    }

    let rule: Rule
    let form: Form
    /// The minimum length of a matching name in bytes.
    let length: Int
    /// Where its text begins, or the index of its glob.
    let start: Int
    /// The last byte of its text.
    let last: UInt8
    /// Whether it applies only if no other rule does.
    let isFallback: Bool

    /// Returns the form of a pattern, and its text.
    static func form(of name: String) -> (Form, [UInt8]) {
        if name == "*" { return (.all, []) }
        let suffix = name.dropFirst()
        let inner = suffix.dropLast()
        guard name.hasPrefix("*") else { return (.glob, []) }
        if name.hasSuffix("*"), !inner.isEmpty, !NameRules.isPattern(String(inner)) {
            return (.part, inner.utf8.map(\.asciiLowercased))
        }
        if suffix.utf8.count > 1, !NameRules.isPattern(String(suffix)) {
            return (.ending, suffix.utf8.map(\.asciiLowercased))
        }
        return (.glob, [])
    }
}
