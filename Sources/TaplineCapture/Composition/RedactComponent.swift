// SPDX-License-Identifier: MIT

extension Component {
    /// The rules from which `redact` starts.
    public enum RedactionPreset: String, Sendable {
        /// Those that everybody needs.
        case standard
        /// All but what is known to be harmless.
        case strict
        /// None.
        case none
    }

    /// What becomes of a secret.
    public enum Redaction: String, Sendable {
        /// A fixed text takes its place.
        case mask
        /// It goes with its name.
        case remove
        /// A keyed hash takes its place.
        case hash
        /// A stand-in of its form takes its place, under a key.
        case pseudonym
    }

    /// What `redact` takes out: a name, or a path within JSON.
    public struct RedactionRule: Sendable, ExpressibleByStringLiteral {
        let name: String
        let action: Redaction?

        /// A rule with an action of its own, or that of the stage.
        public init(_ name: String, action: Redaction? = nil) {
            self.name = name
            self.action = action
        }

        /// A rule with the action of the stage.
        public init(stringLiteral name: String) { self.init(name) }

        fileprivate var value: Value {
            guard let action else { return .text(name) }
            return .map([("name", .text(name)), ("action", .text(action.rawValue))])
        }
    }

    /// Which detectors find secrets by their form; all but none need the product
    /// `TaplineDetectors`, whose `.detectors` are given as plugins.
    public struct Detectors: Sendable {
        fileprivate let value: Value

        /// None.
        public static let off = Detectors(value: .plain("off"))
        /// Those that everybody needs.
        public static let standard = Detectors(value: .text("standard"))

        /// Those of these names, which may be those of groups.
        public static func named(_ names: [String]) -> Detectors { Detectors(value: .texts(names)) }
    }

    /// A secret of the app's own, found by its form.
    public struct SecretPattern: Sendable {
        fileprivate let value: Value

        /// A pattern.
        ///
        /// - Parameters:
        ///   - name: What findings are called.
        ///   - regex: The expression, in RE2's syntax.
        ///   - group: The group that is the secret; 0 is all of it.
        public init(name: String, regex: String, group: Int = 0) {
            value = .map([
                ("name", .text(name)), ("regex", .text(regex)), ("group", .number(group)),
            ])
        }
    }

    /// The stage `redact`: takes secrets out of what is kept, by their names and their form.
    ///
    /// - Parameters:
    ///   - preset: The rules to start from.
    ///   - keep: What `preset: strict` lets stand: paths in JSON, and places with names.
    ///   - headers: Fields.
    ///   - cookies: Cookies.
    ///   - query: Query parameters.
    ///   - form: Form fields.
    ///   - json: JSON values: a name at any depth, or a path from `$`.
    ///   - detectors: What finds secrets by their form.
    ///   - patterns: Secrets of the app's own.
    ///   - allow: Known values that detectors let through; `*` stands for any characters.
    ///   - action: What becomes of a value; a mask, or a stand-in with `preset: strict`, where it is
    ///     not given.
    ///   - mask: The text that takes the place of values.
    ///   - keyEnvironment: The variable that holds the key of `hash` and `pseudonym`.
    ///   - keyFile: A file whose bytes are that key.
    ///   - marks: Whether the tag `tapline.redacted` tells which rules took something out.
    ///   - maxDepth: How deeply JSON may nest; what lies deeper is masked.
    ///   - maxDecodedBytes: How large a coded body may become; a larger one is masked whole.
    ///   - maxTime: Processor time for what is embedded in an exchange; the rest of that is masked.
    ///   - keptTypes: Media types whose bodies stay although they cannot be searched for names; `*` for
    ///     all.
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
        keyEnvironment: String? = nil,
        keyFile: String? = nil,
        marks: Bool? = nil,
        maxDepth: Int? = nil,
        maxDecodedBytes: Int? = nil,
        maxTime: Duration? = nil,
        keepingTypes keptTypes: [String] = []
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
            options.set("key_env", keyEnvironment.map(Value.text))
            options.set("key_file", keyFile.map(Value.text))
            options.set("mark", marks.map(Value.truth))
            options.set("max_depth", maxDepth.map(Value.number))
            options.set("max_decoded_bytes", maxDecodedBytes.map(Value.bytes))
            options.set("max_time", maxTime.map(Value.time))
            options.set("keep_types", .texts(keptTypes))
        }
    }
}

// MARK: - The same for what is found in another way

extension Component {
    /// Whether this is the stage `redact`.
    package var isRedaction: Bool { plugin == "redact" && stage == nil }

    /// The known values that detectors let through.
    package var allowed: [String] {
        guard case .list(let values) = option("allow") else { return [] }
        return values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    /// The text that takes the place of values.
    package var mask: String {
        if case .text(let text) = option("mask") { text } else { "[redacted]" }
    }

    /// A stage that does to what a detector finds what this one does to secrets, and nothing else.
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
