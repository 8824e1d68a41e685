// SPDX-License-Identifier: MIT

internal import TaplineModel

/// How a field's value is read.
enum FieldTreatment: Sendable, BitwiseCopyable {
    /// A rule names the field.
    case redact(RedactionAction)
    /// `a=b; c=d` (RFC 6265 §4.2).
    case cookies
    /// `a=b; Path=/` (RFC 6265 §4.1).
    case setCookie
    /// A URL and nothing else.
    case url
}

/// All rules of a stage, ready to use.
struct RuleSet: Sendable {
    var headers = NameRules()
    var cookies = NameRules()
    var query = NameRules()
    var form = NameRules()
    var json = NameRules()
    var paths = JSONPathRules()
    /// All names together, for tags, errors and other free text.
    var text = NameRules()
    var action = RedactionAction.mask
    var limits = RedactionLimits()
    let replacement: Replacement
    private let special = RuleSet.specialFields()

    init(replacement: Replacement) {
        self.replacement = replacement
    }

    /// How a field is to be read; nothing where it is free text.
    func treatment(of name: Span<UInt8>) -> FieldTreatment? {
        if let action = headers.action(for: name) { return .redact(action) }
        return special.value(of: name)
    }

    private static func specialFields() -> NameTable<FieldTreatment> {
        var table = NameTable<FieldTreatment>()
        table.set("Cookie", to: .cookies)
        table.set("Set-Cookie", to: .setCookie)
        // `:path` and `:authority` stand among the fields in recordings of HTTP/2.
        for name in [
            "Location", "Content-Location", "Referer", "Referrer", ":path", "X-Original-URL",
            "X-Rewrite-URL", "X-Forwarded-URI", "X-Request-URL", "SourceMap",
        ] {
            table.set(name, to: .url)
        }
        return table
    }
}

/// How much work a body may be.
struct RedactionLimits: Sendable {
    /// How deeply JSON may nest; what lies deeper is masked.
    var maxDepth = 512
    /// How large a coded body may become; a larger one is masked whole.
    var maxDecodedBytes = 16 << 20
}
