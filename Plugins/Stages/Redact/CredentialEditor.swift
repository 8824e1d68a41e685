// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds credentials that name their scheme (RFC 9110 §11.4): `Bearer …`, `Basic …`,
/// `Digest …, response="…"`, and those that are passed as the protocols of a WebSocket, where
/// scripts cannot set fields: `graphql-ws, bearer, …`.
///
/// The rules for the names `bearer` and `authorization` hold for them, where there are any.
struct CredentialEditor: Sendable {
    private let bearer: Rule?
    private let authorization: Rule?

    /// Those of the rules for free text that hold.
    init(_ text: NameRules) {
        bearer = text.rule(for: "bearer".utf8.span)
        authorization = text.rule(for: "authorization".utf8.span)
    }

    /// A scheme at the beginning of a text.
    private struct Scheme {
        let length: Int
        let rule: Rule
        /// How long its token is at least: words of prose follow some names.
        var shortest = 1
        /// Whether it has parameters: then all of them go, if there is a signature among them.
        var hasParameters = false
    }

    /// Edits a text that begins with a scheme; tells whether it does.
    func edit(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ notation: Notation,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) -> Bool {
        guard range.count > 6, let scheme = scheme(bytes.extracting(range)) else { return false }
        var start = range.lowerBound + scheme.length
        guard bytes[start].isBlank || bytes[start] == .ascii(",") else { return false }
        while start < range.upperBound, bytes[start].isBlank || bytes[start] == .ascii(",") {
            start += 1
        }
        if scheme.hasParameters {
            let rest = bytes.trimmed(start..<range.upperBound)
            guard CredentialEditor.hasSignature(bytes.extracting(rest)) else { return false }
            rules.replace(bytes, rest, scheme.rule, notation, &edits)
            return true
        }
        if start < range.upperBound, bytes[start] == .ascii("\"") { start += 1 }
        var end = start
        while end < range.upperBound, CredentialEditor.isTokenByte(bytes[end]) { end += 1 }
        guard end - start >= scheme.shortest else { return false }
        // `Token token="…"` is parameters, whose names count.
        if bytes[end - 1] == .ascii("="), end < range.upperBound, bytes[end] == .ascii("\"") {
            return false
        }
        rules.replace(bytes, start..<end, scheme.rule, notation, &edits)
        return true
    }

    private func scheme(_ text: Span<UInt8>) -> Scheme? {
        func begins(_ name: String) -> Bool {
            let count = name.utf8.count
            return text.count > count && text.extracting(0..<count).equalsIgnoringCase(name)
        }
        func signed(_ name: String) -> Scheme? {
            guard let authorization, begins(name) else { return nil }
            return Scheme(length: name.utf8.count, rule: authorization, hasParameters: true)
        }
        switch text[0] | 0x20 {
        case .ascii("b"):
            if let bearer, begins("bearer") { return Scheme(length: 6, rule: bearer) }
            if let authorization, begins("basic") {
                return Scheme(length: 5, rule: authorization)
            }
        case .ascii("t"):
            if let authorization, begins("token"), text.count > 20 {
                return Scheme(length: 5, rule: authorization)
            }
        case .ascii("n"):
            // RFC 4559 §4, and its forerunner; both sides send tokens.
            if let authorization, begins("negotiate") {
                return Scheme(length: 9, rule: authorization, shortest: 16)
            }
            if let authorization, begins("ntlm") {
                return Scheme(length: 4, rule: authorization, shortest: 16)
            }
        // RFC 7616 §3.4, Hawk, AWS's signature 4.
        case .ascii("d"): return signed("digest")
        case .ascii("h"): return signed("hawk")
        case .ascii("a"): return signed("aws4-hmac-sha256")
        default: break
        }
        return nil
    }

    /// Whether there is a parameter that proves something; challenges have none.
    private static func hasSignature(_ text: Span<UInt8>) -> Bool {
        var position = 0
        while let equals = text.firstIndex(of: .ascii("="), from: position) {
            var start = equals
            while start > position, isNameByte(text[start - 1]) { start -= 1 }
            let name = text.extracting(start..<equals)
            for known in ["response", "mac", "signature"] where name.equalsIgnoringCase(known) {
                return true
            }
            position = equals + 1
        }
        return false
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        0x61...0x7A ~= byte | 0x20 || byte == .ascii("-")
    }

    /// The characters of token68 (RFC 9110 §11.2), and those that servers use beside them.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3D, 0x3F...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}

// MARK: - Protocols of WebSockets

extension CredentialEditor {
    /// Edits a list of protocols: what follows one that a rule names (`bearer, …`), and what
    /// follows such a name within one, behind dots (`base64url.bearer.authorization.k8s.io.…`).
    func editProtocols(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) {
        var start = range.lowerBound
        var named: Rule?
        while start < range.upperBound {
            let end =
                bytes.extracting(0..<range.upperBound).firstIndex(of: .ascii(","), from: start)
                ?? range.upperBound
            let item = bytes.trimmed(start..<end)
            start = end + 1
            guard !item.isEmpty else { continue }
            if let rule = named {
                named = nil
                rules.replace(bytes, item, rule, .plain, &edits)
                continue
            }
            named = rules.text.rule(for: bytes.extracting(item))
            if named == nil { editParts(bytes, item, rules, &edits) }
        }
    }

    /// Edits what stands behind the last dot, where a part before it is named.
    private func editParts(
        _ bytes: Span<UInt8>,
        _ item: Range<Int>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) {
        var start = item.lowerBound
        var rule: Rule?
        while let dot = bytes.extracting(0..<item.upperBound)
            .firstIndex(of: .ascii("."), from: start)
        {
            rule = rule ?? rules.text.rule(for: bytes.extracting(start..<dot))
            start = dot + 1
        }
        guard let rule, start < item.upperBound else { return }
        rules.replace(bytes, start..<item.upperBound, rule, .plain, &edits)
    }
}
