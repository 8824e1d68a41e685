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
        /// It is replaced by a pseudonym of the same format, derived with a key.
        case pseudonym
    }

    /// The target of a redaction: a name, or a path within JSON.
    public struct RedactionRule: Sendable, ExpressibleByStringLiteral {
        let name: String
        let action: Redaction?

        /// Creates a rule with its own action; by default, with that of the stage.
        public init(_ name: String, action: Redaction? = nil) {
            self.name = name
            self.action = action
        }

        /// Creates a rule with the action of the stage.
        public init(stringLiteral name: String) { self.init(name) }

        fileprivate var value: Value {
            guard let action else { return .text(name) }
            return .map([("name", .text(name)), ("action", .text(action.rawValue))])
        }
    }

    /// The detectors that find secrets by their format.
    ///
    /// All except `off` need the product `TaplineDetectors`, whose `.detectors` are passed as
    /// plugins.
    public struct Detectors: Sendable {
        fileprivate let value: Value

        /// No detectors.
        public static let off = Detectors(value: .plain("off"))
        /// The detectors for common secrets.
        public static let standard = Detectors(value: .text("standard"))

        /// The detectors with these names, which may be names of groups.
        public static func named(_ names: [String]) -> Detectors { Detectors(value: .texts(names)) }
    }

    /// A custom secret, found by its format.
    public struct SecretPattern: Sendable {
        fileprivate let value: Value

        /// Creates a pattern.
        ///
        /// - Parameters:
        ///   - name: The name of its findings.
        ///   - regex: The expression, in RE2's syntax.
        ///   - group: The group that contains the secret; 0 is the whole match.
        public init(name: String, regex: String, group: Int = 0) {
            value = .map([
                ("name", .text(name)), ("regex", .text(regex)), ("group", .number(group)),
            ])
        }
    }

    /// The stage `redact`: removes secrets from what is stored, by their names and formats.
    ///
    /// - Parameters:
    ///   - preset: The initial rules.
    ///   - keep: What `preset: strict` leaves unmasked: paths in JSON, and places with names.
    ///   - headers: Header fields.
    ///   - cookies: Cookies.
    ///   - query: Query parameters.
    ///   - form: Form fields.
    ///   - json: JSON values: a name at any depth, or a path from `$`.
    ///   - detectors: The detectors that find secrets by their format.
    ///   - patterns: Custom secrets.
    ///   - allow: Known values that detectors ignore; `*` stands for any characters.
    ///   - action: What happens to a value; by default a mask, or a pseudonym with
    ///     `preset: strict`.
    ///   - mask: The text that replaces values.
    ///   - keyEnv: The environment variable with the key of `hash` and `pseudonym`.
    ///   - keyFile: A file whose bytes are that key.
    ///   - mark: Whether the tag `tapline.redacted` lists the rules that removed something.
    ///   - maxDepth: How deeply JSON may nest; deeper values are masked.
    ///   - maxDecodedBytes: The largest decoded size of a body; a larger one is masked whole.
    ///   - maxTime: The processor time for embedded data of an exchange; the rest is masked.
    ///   - keepTypes: Media types whose bodies stay although they cannot be searched for names; `*`
    ///     for all.
    /// - Returns: The stage.
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
    ) -> Component {
        Component(.stage, "redact") { options in
            options.set("preset", .text(preset.rawValue))
            options.set("keep", keep.isEmpty ? nil : .texts(keep))
            options.set("headers", .list(headers.map(\.value)))
            options.set("cookies", .list(cookies.map(\.value)))
            options.set("query", .list(query.map(\.value)))
            options.set("form", .list(form.map(\.value)))
            options.set("json", .list(json.map(\.value)))
            options.set("detectors", detectors.value)
            options.set("patterns", .list(patterns.map(\.value)))
            options.set("allow", .texts(allow))
            options.set("action", action.map { .text($0.rawValue) })
            options.set("mask", mask.map(Value.text))
            options.set("key_env", keyEnv.map(Value.text))
            options.set("key_file", keyFile.map(Value.text))
            options.set("mark", mark.map(Value.truth))
            options.set("max_depth", maxDepth.map(Value.number))
            options.set("max_decoded_bytes", maxDecodedBytes.map(Value.bytes))
            options.set("max_time", maxTime.map(Value.time))
            options.set("keep_types", .texts(keepTypes))
        }
    }
}

// MARK: - The same for secrets that are found in another way

extension Component {
    /// Whether this is the stage `redact`.
    package var isRedaction: Bool { plugin == "redact" && stage == nil }

    /// The known values that detectors ignore.
    package var allowed: [String] {
        guard case .list(let values) = option("allow") else { return [] }
        return values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    /// The text that replaces values.
    package var mask: String {
        if case .text(let text) = option("mask") { text } else { "[redacted]" }
    }

    /// Returns a stage that redacts only the findings of a detector, as this one redacts secrets.
    package func redacting(_ detector: String, by action: Redaction) -> Component {
        let kept = ["mask", "key_env", "key_file", "max_depth", "max_decoded_bytes"]
        return Component(.stage, plugin) { options in
            options.set("preset", .text(RedactionPreset.none.rawValue))
            options.set("detectors", .texts([detector]))
            options.set("action", .text(action.rawValue))
            for name in kept { options.set(name, option(name)) }
        }
    }

    private func option(_ name: String) -> Value? { options.last { $0.name == name }?.value }
}
