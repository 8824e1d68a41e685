// SPDX-License-Identifier: MIT

/// A value in a configuration file, with its location.
///
/// **Shape** A tree: aliases and merge keys are resolved. The keys of a mapping are unique scalars
/// in the order of the file.
package struct ConfigNode: Sendable {
    /// A key of a mapping with its value.
    package typealias Pair = (key: ConfigNode, value: ConfigNode)

    /// The kinds of YAML nodes (YAML 1.2 §3.2.1), and null as a kind of its own.
    package enum Value: Sendable {
        /// An empty value, `~` or `null`.
        case null
        /// Text; `isPlain` if it is unquoted, so that it may be a number or a boolean.
        case scalar(String, isPlain: Bool)
        /// A list.
        case sequence([ConfigNode])
        /// Keys and values.
        case mapping([Pair])
    }

    /// The value itself.
    package var value: Value
    /// The location of the value, which messages point at.
    package var location: SourceLocation

    /// Creates a node.
    package init(_ value: Value, at location: SourceLocation) {
        self.value = value
        self.location = location
    }
}

extension ConfigNode {
    /// The text of a scalar.
    package var text: String? {
        if case .scalar(let text, _) = value { text } else { nil }
    }

    /// Whether this is null.
    package var isNull: Bool {
        if case .null = value { true } else { false }
    }

    /// The elements of a sequence.
    package var elements: [ConfigNode]? {
        if case .sequence(let elements) = value { elements } else { nil }
    }

    /// The pairs of a mapping.
    package var pairs: [Pair]? {
        if case .mapping(let pairs) = value { pairs } else { nil }
    }

    /// Returns the value of a key of this mapping.
    package subscript(key: String) -> ConfigNode? {
        pair(key)?.value
    }

    /// Returns the pair with a key of this mapping.
    package func pair(_ key: String) -> Pair? {
        pairs?.first { $0.key.text == key }
    }

    /// The description of this value in messages: `a list`, `a mapping`, `nothing`, `'abc'`.
    ///
    /// Long text is truncated and control characters are escaped.
    package var found: String {
        switch value {
        case .null: "nothing"
        case .scalar(let text, _): quoted(text)
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// Returns a user's token in single quotes, truncated and without control characters.
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
