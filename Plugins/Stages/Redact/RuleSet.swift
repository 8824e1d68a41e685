// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineProtobuf

/// How a field's value is read.
enum FieldTreatment: Sendable, BitwiseCopyable {
    /// A rule names the field.
    case redact(Rule)
    /// `a=b; c=d` (RFC 6265 §4.2).
    case cookies
    /// `a=b; Path=/` (RFC 6265 §4.1).
    case setCookie
    /// A URL only.
    case url
    /// Names separated by commas (RFC 6455 §11.3.4), possibly with credentials among them.
    case protocols
    /// Host and port, possibly preceded by user-info.
    case authority
    /// The percent-encoded text of a gRPC status.
    case encodedMessage
    /// The base64 of a message, in fields of gRPC whose names end in `-bin`.
    case binary
}

/// What the name of a field implies.
struct FieldKind: BitwiseCopyable {
    /// How its value is read; `nil` for free text.
    let treatment: FieldTreatment?
    /// Whether the name does not look like a field name.
    let isOdd: Bool
}

/// All rules of a stage, compiled for matching; shared by its lanes.
///
/// A class, because passing a struct on would retain each of its parts.
final class RuleSet: Sendable {
    let cookies: NameRules
    let query: NameRules
    let form: NameRules
    let json: NameRules
    let paths: JSONPathRules
    let text: NameRules
    /// Passes names that rules for JSON or text may match.
    let pairNames: NameFilter
    /// Passes names that rules for queries or text may match.
    let queryNames: NameFilter
    /// The rule for user-info in URLs.
    let userInfo: Rule
    /// Whether content that was not understood is masked; without a preset, only what rules name is
    /// masked.
    let masksInDoubt: Bool
    /// The rule for content that was not understood.
    let inDoubt = Rule(RuleBook.inDoubt, .mask)
    /// The preset's rules for fields with cookies, if these occur in text and JSON.
    private let cookieRules: [Rule]
    /// The rules of detectors, indexed by kind.
    let detectors: [Rule]
    /// Edits credentials that name their scheme.
    let credentials: CredentialEditor
    /// The names of the rules.
    let book: RuleBook
    let limits: RedactionLimits
    /// The types of protobuf messages; `nil` if none are known.
    let schema: ProtobufSchema?
    /// The pairs among the fields of its message types, by their indices.
    let pairs: [ProtobufPair]
    let replacement: Replacement
    /// Receives the values that are redacted.
    let listener: (any SecretListener)?
    /// Whether there is a listener; checking the reference itself would retain it.
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
        schema = list.schema
        pairs = list.schema?.messages.map(ProtobufPair.init) ?? []
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

    /// Returns how to read a field; `nil` for free text.
    func treatment(of written: Span<UInt8>) -> FieldTreatment? {
        // Broken clients write blanks after names.
        let name = written.extracting(written.trimmed(0..<written.count))
        let known = fields.value(of: name)
        if case .redact? = known { return known }
        if !fieldPatterns.isEmpty, let rule = fieldPatterns.rule(forNested: name) {
            return .redact(rule)
        }
        let isBinary =
            known == nil && name.count > 4
            && name.extracting(name.count - 4..<name.count).equalsIgnoringCase("-bin")
        return isBinary ? .binary : known
    }

    private static func specialFields() -> NameTable<FieldTreatment> {
        var table = NameTable<FieldTreatment>()
        table.set("Cookie", to: .cookies)
        table.set("Set-Cookie", to: .setCookie)
        table.set("Cookie2", to: .cookies)
        table.set("Set-Cookie2", to: .setCookie)
        table.set("Sec-WebSocket-Protocol", to: .protocols)
        // Recordings of HTTP/2 store `:path` and `:authority` as fields.
        table.set(":authority", to: .authority)
        table.set("Host", to: .authority)
        table.set("grpc-message", to: .encodedMessage)
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
    /// Whether a rule of a JSON name applies to a value: `cookie` is also a name for other things,
    /// unless its value contains cookies.
    func concerns(_ value: Span<UInt8>, _ rule: Rule) -> Bool {
        guard !rule.harmless.contains(value) else { return false }
        guard cookieRules.contains(rule), !value.isEmpty else { return true }
        return value[0] == .ascii("[") || value.firstIndex(of: .ascii("=")) != nil
    }

    /// Whether a rule is for fields whose values contain cookies.
    func isCookie(_ rule: Rule) -> Bool { cookieRules.contains(rule) }

    /// Replaces a value according to its rule; `range` is its encoded form in the text.
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
            report(secret, rule)
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
        report(secret.span, rule)
        edits.add(range, rule) { output in
            if rule.action == .pseudonym, rule.index == UInt32(RuleBook.userInfo) {
                replacement.appendStandIn(ofUserInfo: secret.span, to: &output)
            } else {
                replacement.append(rule.action, of: secret.span, as: notation, to: &output)
            }
        }
    }
}

// MARK: - Reporting redacted values

extension RuleSet {
    /// Whether the action or the listener needs the value.
    func readsValue(_ rule: Rule) -> Bool { rule.action.readsValue || hasListener }

    /// Reports a redacted value, unescaped, to the listener; does not report what is masked in
    /// doubt.
    func report(_ secret: Span<UInt8>, _ rule: Rule) {
        guard hasListener, let listener, rule != inDoubt else { return }
        listener.observe(secret, action: rule.action.name)
    }
}

/// Limits for the work on a body.
struct RedactionLimits: Sendable {
    /// The maximum nesting depth of JSON; deeper values are masked.
    var maxDepth = 512
    /// The maximum decoded size of a body, and of the embedded content in one.
    var maxDecodedBytes = 16 << 20
    /// The maximum time for embedded content in an exchange.
    var maxTime = Duration.milliseconds(50)
    /// How to handle bodies that cannot be searched for names.
    var unreadable = UnreadableBodies()
}
