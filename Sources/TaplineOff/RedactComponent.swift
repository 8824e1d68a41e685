// SPDX-License-Identifier: MIT

extension Component {
    /// The rules from which a redaction would start.
    public enum RedactionPreset: String, Sendable {
        /// Those that everybody needs.
        case standard
        /// All but what is known to be harmless.
        case strict
        /// None.
        case none
    }

    /// What would become of a secret.
    public enum Redaction: String, Sendable {
        /// A fixed text would take its place.
        case mask
        /// It would go with its name.
        case remove
        /// A keyed hash would take its place.
        case hash
        /// A stand-in would take its place.
        case pseudonym
    }

    /// What would be taken out.
    public struct RedactionRule: Sendable, ExpressibleByStringLiteral {
        /// A rule.
        public init(_ name: String, action: Redaction? = nil) {}
        /// A rule.
        public init(stringLiteral name: String) {}
    }

    /// Which detectors would find secrets.
    public struct Detectors: Sendable {
        /// None.
        public static let off = Detectors()
        /// None.
        public static let standard = Detectors()
        /// None.
        public static func named(_ names: [String]) -> Detectors { Detectors() }
    }

    /// A secret that would be found by its form.
    public struct SecretPattern: Sendable {
        /// A pattern.
        public init(name: String, regex: String, group: Int = 0) {}
    }

    /// Nothing.
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
        keyEnvironment: String? = nil,
        keyFile: String? = nil,
        marks: Bool? = nil,
        maxDepth: Int? = nil,
        maxDecodedBytes: Int? = nil,
        maxTime: Duration? = nil,
        keepingTypes keptTypes: [String] = []
    ) -> Component { Component() }
}
