// SPDX-License-Identifier: MIT

internal import TaplineModel

/// What the name of an element implies about its content.
enum MarkupNames {
    enum Kind {
        /// The name of the next value: `<param-name>`, `<field>`.
        case name
        /// The name of the next element's content, whatever that element is called: `<key>`,
        /// `<name>`.
        case anyName
        /// A value: `<value>`, `<param-value>`.
        case value
        case other
    }

    /// Returns the role of an element in a pair of a name and a value.
    static func kind(of local: Span<UInt8>) -> Kind {
        if local.equalsIgnoringCase("key") || local.equalsIgnoringCase("name") { return .anyName }
        switch JSONPairs.Role(of: local) {
        case .name: return .name
        case .value: return .value
        case .none: break
        }
        guard 6...32 ~= local.count else { return .other }
        for (suffix, kind) in [("name", Kind.name), ("key", .name), ("value", .value)] {
            let count = suffix.utf8.count
            guard local.count > count,
                local.extracting(local.count - count..<local.count).equalsIgnoringCase(suffix)
            else { continue }
            if isPart(local.extracting(0..<local.count - count)) { return kind }
        }
        return .other
    }

    /// Whether a word before `name` and `value` indicates settings.
    private static func isPart(_ text: Span<UInt8>) -> Bool {
        let last = text[text.count - 1]
        let isJoined = last == .ascii("-") || last == .ascii("_") || last == .ascii(".")
        let word = text.extracting(0..<(isJoined ? text.count - 1 : text.count))
        for known in [
            "param", "parameter", "init-param", "context-param", "env-entry", "entry", "header",
            "field", "property", "prop", "attribute", "attr", "option", "var", "variable",
            "setting",
            "config", "item", "arg", "argument", "metadata", "meta", "data", "key",
        ] where word.equalsIgnoringCase(known) {
            return true
        }
        return false
    }

    /// Whether an element may be between a name and its value.
    static func isBeside(_ local: Span<UInt8>) -> Bool {
        for known in [
            "type", "description", "desc", "comment", "env-entry-type", "display-name", "category",
            "id", "title", "required",
        ] where local.equalsIgnoringCase(known) {
            return true
        }
        return false
    }

    /// Whether the attribute `name` of an element names its content.
    static func isHolder(_ local: Span<UInt8>) -> Bool {
        for holder in [
            "textarea", "string", "property", "entry", "field", "data", "param", "item",
            "attribute",
            "setting", "parameter", "variable", "var", "arg", "argument", "prop", "env",
        ] where local.equalsIgnoringCase(holder) {
            return true
        }
        return false
    }

    /// Whether the same is true for an element that has other uses in HTML, if an attribute names
    /// the content.
    static func isNamedHolder(_ local: Span<UInt8>) -> Bool {
        for holder in ["header", "option", "output", "value", "meta", "member", "add"]
        where local.equalsIgnoringCase(holder) {
            return true
        }
        return false
    }

    /// Whether an element is a message or a statement of SAML (SAML 2.0 core §2.3, §3).
    static func isSAMLMessage(_ local: Span<UInt8>) -> Bool {
        for message in [
            "Response", "Assertion", "EncryptedAssertion", "AuthnRequest", "ArtifactResponse",
            "ArtifactResolve", "LogoutRequest", "LogoutResponse", "AttributeQuery", "Request",
            "AuthnStatement", "AttributeStatement", "Subject", "Artifact",
        ] where local.equals(message) {
            return true
        }
        return false
    }
}
