// SPDX-License-Identifier: MIT

/// A value in a configuration file, with the place where it stands.
///
/// **Shape** A tree: aliases and merge keys are resolved. Keys of a mapping are scalars, unique,
/// in the order of the file.
public struct ConfigNode: Sendable {
    /// A key of a mapping with its value.
    public typealias Pair = (key: ConfigNode, value: ConfigNode)

    /// The shapes that a YAML node can have (YAML 1.2 §3.2.1), and null apart.
    public enum Value: Sendable {
        /// Nothing, `~` or `null`.
        case null
        /// Text; `isPlain` when it stood without quotes, so that it may be a number or a truth value.
        case scalar(String, isPlain: Bool)
        /// A list.
        case sequence([ConfigNode])
        /// Keys and values.
        case mapping([Pair])
    }

    /// The value itself.
    public var value: Value
    /// Where it stands; the caret of messages.
    public var location: SourceLocation

    /// Makes a node.
    public init(_ value: Value, at location: SourceLocation) {
        self.value = value
        self.location = location
    }
}

extension ConfigNode {
    /// The text of a scalar.
    public var text: String? {
        if case .scalar(let text, _) = value { text } else { nil }
    }

    /// Whether this is null.
    public var isNull: Bool {
        if case .null = value { true } else { false }
    }

    /// The elements of a sequence.
    public var elements: [ConfigNode]? {
        if case .sequence(let elements) = value { elements } else { nil }
    }

    /// The pairs of a mapping.
    public var pairs: [Pair]? {
        if case .mapping(let pairs) = value { pairs } else { nil }
    }

    /// The value of a key of this mapping.
    public subscript(key: String) -> ConfigNode? {
        pair(key)?.value
    }

    /// The pair with a key of this mapping.
    public func pair(_ key: String) -> Pair? {
        pairs?.first { $0.key.text == key }
    }

    /// What messages call this value: `a list`, `a mapping`, `nothing`, `'abc'`.
    ///
    /// Long text is cut and control characters are escaped.
    public var found: String {
        switch value {
        case .null: "nothing"
        case .scalar(let text, _): quoted(text)
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// A user's token in single quotes, short and without control characters.
func quoted(_ text: String) -> String {
    var result = "'"
    var count = 0
    for scalar in text.unicodeScalars {
        guard count < 60 else {
            result += "…"
            break
        }
        result += ExcerptRenderer.escaped(scalar) ?? String(scalar)
        count += 1
    }
    return result + "'"
}
