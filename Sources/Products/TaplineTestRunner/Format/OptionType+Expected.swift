// SPDX-License-Identifier: MIT

internal import TaplineConfig

/// The types of expected values; each returns the node, so that a difference can point to it.
extension OptionType where Value == ConfigNode? {
    /// One text, quoted or not.
    static var expectedText: Self {
        Self(name: "text", schema: ["type": ["string", "number", "boolean"]]) { node, context in
            if node.text != nil { return .some(node) }
            return context.mismatch(node, expected: "text", help: Self.help(node))
        }
    }

    /// A whole number.
    static var expectedNumber: Self {
        Self(name: "integer", schema: ["type": "integer"]) { node, context in
            if let text = node.text, Int(text) != nil { return .some(node) }
            return context.mismatch(node, expected: "a whole number", help: Self.help(node))
        }
    }

    /// Names, each with a text or a list of texts.
    static var expectedNames: Self {
        let text: JSONSchemaNode = ["type": ["string", "number", "boolean"]]
        return Self(
            name: "map of text",
            schema: [
                "type": "object",
                "additionalProperties": ["anyOf": [text, ["type": "array", "items": text]]],
            ]
        ) { node, context in
            guard let pairs = node.pairs else {
                return context.mismatch(node, expected: "names with their texts")
            }
            var isRight = true
            for (_, value) in pairs where !value.isText {
                let _: Bool? = context.mismatch(
                    value,
                    expected: "text or a list of texts",
                    help: Self.help(value)
                )
                isRight = false
            }
            return isRight ? .some(node) : nil
        }
    }

    private static func help(_ node: ConfigNode) -> String? {
        node.isNull ? "list what must not exist under 'absent'" : nil
    }
}

extension ConfigNode {
    /// Whether the node is a text or a list of texts.
    var isText: Bool { text != nil || elements.map { $0.allSatisfy { $0.text != nil } } ?? false }
}

extension ObservedField {
    /// The declaration of the option that expects a value of this field.
    var key: ConfigKey<ConfigNode?> {
        ConfigKey(
            name,
            type,
            default: nil,
            summary: summary,
            example: example,
            interpolates: false
        )
    }

    private var type: OptionType<ConfigNode?> {
        switch kind {
        case .text: .expectedText
        case .number: .expectedNumber
        case .names, .headers: .expectedNames
        case .json: .node
        }
    }
}
