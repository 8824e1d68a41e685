// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineProtobuf

/// Collects the rules of a stage.
struct RuleList {
    private(set) var book = RuleBook()
    private(set) var headers: [(name: String, rule: Rule)] = []
    /// The preset's rules for field names.
    private(set) var fields = NameRules()
    private(set) var cookies = NameRules()
    private(set) var query = NameRules()
    private(set) var form = NameRules()
    private(set) var json = NameRules()
    private(set) var paths = JSONPathRules()
    /// All names, for tags, errors and other free text.
    private(set) var text = NameRules()
    /// The preset's rules for fields with cookies, if these occur in text and JSON.
    private(set) var cookieRules: [Rule] = []
    /// The rules of detectors, indexed by kind.
    private(set) var detectors: [Rule] = []
    var action = RedactionAction.mask
    var limits = RedactionLimits()
    /// The types of protobuf messages.
    var schema: ProtobufSchema?
    /// Whether content that is not understood is masked.
    private(set) var masksInDoubt = false
}

// MARK: - The user's rules

extension RuleList {
    /// Adds a field.
    mutating func addHeader(_ name: String, _ action: RedactionAction) {
        let rule = book.add(.header, name, action, isOwn: true)
        headers.append((name, rule))
        addText(name, rule)
    }

    /// Adds a cookie.
    mutating func addCookie(_ name: String, _ action: RedactionAction) {
        let rule = book.add(.cookie, name, action, isOwn: true)
        cookies.add(name, rule)
        addText(name, rule)
    }

    /// Adds a query parameter.
    mutating func addQuery(_ name: String, _ action: RedactionAction) {
        let rule = book.add(.query, name, action, isOwn: true)
        query.add(name, rule)
        addText(name, rule)
    }

    /// Adds a form field.
    mutating func addForm(_ name: String, _ action: RedactionAction) {
        let rule = book.add(.form, name, action, isOwn: true)
        form.add(name, rule)
        addText(name, rule)
    }

    /// Adds a name in JSON, or a path; returns whether there was room for it.
    mutating func addJSON(_ text: String, _ action: RedactionAction) -> Bool {
        let rule = book.add(.json, text, action, isOwn: true)
        guard text.utf8.first == UInt8(ascii: "$"), let path = try? JSONPath(text) else {
            json.add(text, rule)
            addText(text, rule)
            return true
        }
        return paths.add(path, rule)
    }

    /// Adds the kind of a detector; kinds are numbered in the order in which they are added.
    ///
    /// `isOwn` is true if the user named it or wrote its pattern.
    mutating func addDetector(_ kind: String, _ action: RedactionAction, isOwn: Bool) {
        detectors.append(book.add(.detector, kind, action, isOwn: isOwn))
    }

    /// Adds a rule that counts what `preset: strict` replaces in a place.
    mutating func addStrict(_ place: String) -> Rule {
        book.add(.strict, place, action, isOwn: false)
    }

    /// Adds a name for free text, unless it matches all names, which would redact everything.
    private mutating func addText(_ name: String, _ rule: Rule) {
        guard !name.utf8.allSatisfy({ $0 == .ascii("*") || $0 == .ascii("?") }) else { return }
        text.add(name, rule)
    }
}

// MARK: - The preset

extension RuleList {
    /// Adds the rules of the standard preset, except for some cookies if requested.
    mutating func addStandard(_ action: RedactionAction, keptCookies: [String] = []) {
        masksInDoubt = true
        for name in StandardPreset.fields {
            let rule = book.add(.header, name, action, isOwn: false)
            headers.append((name, rule))
            text.add(name, rule)
            // Recorded requests are often written as JSON.
            json.add(name, rule)
        }
        for name in StandardPreset.cookies {
            cookies.add(name, book.add(.cookie, name, action, isOwn: false))
        }
        for name in keptCookies { cookies.keep(name) }
        for name in StandardPreset.parts {
            query.addPart(name, book.add(.query, name, action, .flagsAndSmallCounts))
            form.addPart(name, book.add(.form, name, action, .flagsAndSmallCounts))
            json.addPart(name, book.add(.json, name, action, .flagsAndSmallCounts))
            text.addPart(name, book.add(.text, name, action, .flagsAndSmallCounts))
        }
        for name in StandardPreset.shortSecrets { addPhrase(name, action, .flags) }
        for name in StandardPreset.names { addPhrase(name, action, .flagsAndSmallCounts) }
        for name in StandardPreset.wholeNames {
            addPhrase(name, action, .flags, .whole)
        }
        for name in StandardPreset.formNames {
            query.add(name, book.add(.query, name, action, .flags))
            form.add(name, book.add(.form, name, action, .flags))
        }
        addHarmless()
        // In text, cookies cannot be distinguished from what follows them.
        for name in StandardPreset.cookieFields {
            let rule = book.add(.text, name, action, isOwn: false)
            text.add(name, rule)
            json.add(name, rule)
            cookieRules.append(rule)
        }
    }

    /// Adds a phrase for names in all places.
    private mutating func addPhrase(
        _ name: String,
        _ action: RedactionAction,
        _ harmless: HarmlessValues,
        _ place: PhraseTable.Place = .end
    ) {
        let place = StandardPreset.suffixPhrases.contains(name) ? .anyEnd : place
        query.addPhrase(name, book.add(.query, name, action, harmless), place)
        form.addPhrase(name, book.add(.form, name, action, harmless), place)
        json.addPhrase(name, book.add(.json, name, action, harmless), place)
        text.addPhrase(name, book.add(.text, name, action, harmless), place)
        fields.addPhrase(name, book.add(.header, name, action, harmless), place)
    }

    /// Adds the phrases that make a name harmless, and those that only qualify it.
    private mutating func addHarmless() {
        func add(_ rules: inout NameRules) {
            for name in StandardPreset.harmless { rules.addPhrase(name, nil) }
            for name in StandardPreset.qualifiers { rules.addPhrase(name, nil, .qualifier) }
        }
        add(&query)
        add(&form)
        add(&json)
        add(&text)
        add(&fields)
    }
}
