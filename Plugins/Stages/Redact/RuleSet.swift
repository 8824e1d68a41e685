// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// How a field's value is read.
enum FieldTreatment: Sendable, BitwiseCopyable {
    /// A rule names the field.
    case redact(Rule)
    /// `a=b; c=d` (RFC 6265 §4.2).
    case cookies
    /// `a=b; Path=/` (RFC 6265 §4.1).
    case setCookie
    /// A URL and nothing else.
    case url
    /// Names with commas between them (RFC 6455 §11.3.4), credentials perhaps among them.
    case protocols
    /// Host and port, perhaps with user-info before them.
    case authority
}

/// What the name of a field tells.
struct FieldKind: BitwiseCopyable {
    /// How its value is read; `nil` for free text.
    let treatment: FieldTreatment?
    /// Whether it is no name.
    let isOdd: Bool
}

/// All rules of a stage, ready to use; shared by its lanes.
///
/// A class, since its parts would each be counted when it is handed on.
final class RuleSet: Sendable {
    let cookies: NameRules
    let query: NameRules
    let form: NameRules
    let json: NameRules
    let paths: JSONPathRules
    let text: NameRules
    /// For names that rules for JSON or for text may concern.
    let pairNames: NameFilter
    /// For names that rules for queries or for text may concern.
    let queryNames: NameFilter
    /// What is done with user-info in URLs.
    let userInfo: Rule
    /// Whether what was not understood is masked; without a preset, only what rules name is.
    let masksInDoubt: Bool
    /// What is done with what was not understood.
    let inDoubt = Rule(RuleBook.inDoubt, .mask)
    /// The preset's rules for fields with cookies, where these stand in text and JSON.
    private let cookieRules: [Rule]
    /// The rules of detectors, by their kinds.
    let detectors: [Rule]
    /// What is done with credentials that name their scheme.
    let credentials: CredentialEditor
    /// What the rules are called.
    let book: RuleBook
    let limits: RedactionLimits
    let replacement: Replacement
    /// Who gets the values that are taken out.
    let listener: (any SecretListener)?
    /// Whether there is one: to look at it would count a reference.
    private let hasListener: Bool
    private let fields: NameTable<FieldTreatment>
    private let fieldPatterns: NameRules

    init(
        _ list: RuleList,
        _ replacement: Replacement,
        _ listener: (any SecretListener)? = nil
    ) {
        cookies = list.cookies
        query = list.query
        form = list.form
        json = list.json
        paths = list.paths
        text = list.text
        pairNames = list.json.filter.union(list.text.filter)
        queryNames = list.query.filter.union(list.text.filter)
        userInfo = Rule(RuleBook.userInfo, list.action)
        cookieRules = list.cookieRules
        detectors = list.detectors
        book = list.book
        credentials = CredentialEditor(list.text)
        limits = list.limits
        masksInDoubt = list.masksInDoubt
        self.replacement = replacement
        self.listener = listener
        hasListener = listener != nil
        var fields = RuleSet.specialFields()
        var patterns = list.fields
        for (name, rule) in list.headers {
            if NameRules.isPattern(name) {
                patterns.add(name, rule)
            } else {
                fields.set(name, to: .redact(rule))
            }
        }
        self.fields = fields
        fieldPatterns = patterns
    }

    /// How a field is to be read; `nil` if it is free text.
    func treatment(of written: Span<UInt8>) -> FieldTreatment? {
        // Broken clients put blanks after names.
        let name = written.extracting(written.trimmed(0..<written.count))
        let known = fields.value(of: name)
        if case .redact? = known { return known }
        guard !fieldPatterns.isEmpty else { return known }
        return fieldPatterns.rule(forNested: name).map { .redact($0) } ?? known
    }

    private static func specialFields() -> NameTable<FieldTreatment> {
        var table = NameTable<FieldTreatment>()
        table.set("Cookie", to: .cookies)
        table.set("Set-Cookie", to: .setCookie)
        table.set("Cookie2", to: .cookies)
        table.set("Set-Cookie2", to: .setCookie)
        table.set("Sec-WebSocket-Protocol", to: .protocols)
        // `:path` and `:authority` stand among the fields in recordings of HTTP/2.
        table.set(":authority", to: .authority)
        table.set("Host", to: .authority)
        for name in [
            "Location", "Content-Location", "Referer", "Referrer", ":path", "X-Original-URL",
            "X-Rewrite-URL", "X-Forwarded-URI", "X-Request-URL", "SourceMap",
        ] {
            table.set(name, to: .url)
        }
        return table
    }
}

extension RuleSet {
    /// Whether a rule of a name in JSON concerns a value: `cookie` is the name of other things too,
    /// unless it has cookies for a value.
    func concerns(_ value: Span<UInt8>, _ rule: Rule) -> Bool {
        guard !rule.harmless.contains(value) else { return false }
        guard cookieRules.contains(rule), !value.isEmpty else { return true }
        return value[0] == .ascii("[") || value.firstIndex(of: .ascii("=")) != nil
    }

    /// Whether a rule is for fields whose values hold cookies.
    func isCookie(_ rule: Rule) -> Bool { cookieRules.contains(rule) }

    /// Replaces a value by what its rule says; `range` is how it is written where it stands.
    func replace(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ rule: Rule,
        _ notation: Notation,
        _ edits: inout EditList
    ) {
        guard !rule.harmless.contains(bytes.extracting(range)), rule != inDoubt || masksInDoubt
        else { return }
        guard readsValue(rule), notation != .plain else {
            let secret = bytes.extracting(range)
            tell(secret, rule)
            edits.add(range, rule) { output in
                replacement.append(rule.action, of: secret, as: notation, to: &output)
            }
            return
        }
        var secret: [UInt8] = []
        if notation == .url {
            secret = PercentEncoding.decode(bytes.extracting(range), plusIsSpace: true)
        } else {
            JSONText.decode(bytes.extracting(range), to: &secret)
        }
        tell(secret.span, rule)
        edits.add(range, rule) { output in
            if rule.action == .pseudonym, rule.index == UInt32(RuleBook.userInfo) {
                replacement.appendStandIn(ofUserInfo: secret.span, to: &output)
            } else {
                replacement.append(rule.action, of: secret.span, as: notation, to: &output)
            }
        }
    }
}

// MARK: - Telling what is taken out

extension RuleSet {
    /// Whether the value is looked at, and not only replaced.
    func readsValue(_ rule: Rule) -> Bool { rule.action.readsValue || hasListener }

    /// Tells of a value that is taken out, its escapes undone; not of what is masked in doubt.
    func tell(_ secret: Span<UInt8>, _ rule: Rule) {
        guard hasListener, let listener, rule != inDoubt else { return }
        listener.hear(secret, action: rule.action.name)
    }
}

/// How much work a body may be.
struct RedactionLimits: Sendable {
    /// How deeply JSON may nest; what lies deeper is masked.
    var maxDepth = 512
    /// How large a coded body may become, and how much may come out of what is embedded in one.
    var maxDecodedBytes = 16 << 20
    /// How long what is embedded in an exchange may take.
    var maxTime = Duration.milliseconds(50)
    /// What is done with bodies in which names cannot be looked for.
    var unreadable = UnreadableBodies()
}
