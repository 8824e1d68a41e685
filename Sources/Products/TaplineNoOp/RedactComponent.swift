// SPDX-License-Identifier: MIT

extension Component {
    /// The set of rules that `redact` starts with.
    public enum RedactionPreset: String, Sendable {
        /// The rules for common secrets.
        case standard
        /// Masks everything that is not known to be harmless.
        case strict
        /// No rules.
        case none
    }

    /// What happens to a secret.
    public enum Redaction: String, Sendable {
        /// It is replaced by a fixed text.
        case mask
        /// It is removed together with its name.
        case remove
        /// It is replaced by a keyed hash.
        case hash
        /// It is replaced by a pseudonym.
        case pseudonym
    }

    /// The target of a redaction.
    public struct RedactionRule: Sendable, ExpressibleByStringLiteral {
        /// Creates a rule without effect.
        public init(_ name: String, action: Redaction? = nil) {}
        /// Creates a rule without effect.
        public init(stringLiteral name: String) {}
    }

    /// The detectors that find secrets.
    public struct Detectors: Sendable {
        /// Has no effect.
        public static let off = Detectors()
        /// Has no effect.
        public static let standard = Detectors()
        /// An empty value.
        public static func named(_ names: [String]) -> Detectors { Detectors() }
    }

    /// A custom secret, found by its format.
    public struct SecretPattern: Sendable {
        /// Creates a pattern without effect.
        public init(name: String, regex: String, group: Int = 0) {}
    }

    /// A component without effect.
    public static func redact(
        preset: RedactionPreset = .standard,
        keep: [String] = [],
        headers: [RedactionRule] = [],
        cookies: [RedactionRule] = [],
        query: [RedactionRule] = [],
        form: [RedactionRule] = [],
        json: [RedactionRule] = [],
        detectors: Detectors = .off,
        patterns: [SecretPattern] = [],
        allow: [String] = [],
        action: Redaction? = nil,
        mask: String? = nil,
        keyEnv: String? = nil,
        keyFile: String? = nil,
        mark: Bool? = nil,
        maxDepth: Int? = nil,
        maxDecodedBytes: Int? = nil,
        maxTime: Duration? = nil,
        keepTypes: [String] = []
    ) -> Component { Component() }
}
