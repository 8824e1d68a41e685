// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel

extension OptionType where Value == FieldSection {
    /// Header fields: a mapping of names to a text or a list of texts each, or a list of
    /// `[name, value]` pairs as in records.
    static var fields: Self {
        let text: JSONSchemaNode = ["type": ["string", "number", "boolean"]]
        return Self(
            name: "map of text",
            schema: [
                "anyOf": [
                    [
                        "type": "object",
                        "additionalProperties": [
                            "anyOf": [text, ["type": "array", "items": text]]
                        ],
                    ],
                    [
                        "type": "array",
                        "items": ["type": "array", "minItems": 2, "maxItems": 2, "items": text],
                    ],
                ]
            ],
            describe: { $0.isEmpty ? "{}" : nil }
        ) { node, context in
            var fields = FieldSection()
            let isRight = node.elements.map { FieldPairs.append($0, to: &fields, &context) }
            if let isRight { return isRight ? fields : nil }
            guard let pairs = node.pairs else {
                return context.mismatch(node, expected: "names with their texts")
            }
            return FieldPairs.append(pairs, to: &fields, &context) ? fields : nil
        }
    }
}

/// Reads fields into a section.
private enum FieldPairs {
    static func append(
        _ pairs: [ConfigNode.Pair],
        to fields: inout FieldSection,
        _ context: inout OptionContext
    ) -> Bool {
        var isRight = true
        for (key, value) in pairs {
            guard value.isText else {
                let _: Bool? = context.mismatch(value, expected: "text or a list of texts")
                isRight = false
                continue
            }
            for text in value.elements?.compactMap(\.text) ?? [value.text ?? ""] {
                fields.append(name: key.text ?? "", value: text)
            }
        }
        return isRight
    }

    static func append(
        _ elements: [ConfigNode],
        to fields: inout FieldSection,
        _ context: inout OptionContext
    ) -> Bool {
        var isRight = true
        for element in elements {
            if let pair = element.elements?.compactMap(\.text), pair.count == 2 {
                fields.append(name: pair[0], value: pair[1])
            } else {
                let _: Bool? = context.mismatch(element, expected: "a name and a text")
                isRight = false
            }
        }
        return isRight
    }
}

extension OptionType where Value == Timestamp {
    /// A timestamp in the format of RFC 3339.
    static var timestamp: Self {
        Self(
            name: "moment",
            schema: ["type": "string", "format": "date-time"],
            describe: { $0.rfc3339 }
        ) { node, context in
            if let moment = node.text.flatMap({ Timestamp(rfc3339: $0) }) { return moment }
            return context.mismatch(node, expected: "a time such as 2026-01-01T00:00:00Z")
        }
    }
}

extension OptionType where Value == Tags {
    /// Tags: names with one text each.
    static var tags: Self {
        Self(
            name: "map of text",
            schema: ["type": "object", "additionalProperties": OptionType<String>.text.schema],
            describe: { $0.isEmpty ? "{}" : nil }
        ) { node, context in
            guard let pairs = node.pairs else {
                return context.mismatch(node, expected: "names with a text each")
            }
            var tags = Tags()
            var isRight = true
            for (key, value) in pairs {
                if let text = value.text {
                    tags[key.text ?? ""] = text
                } else {
                    let _: Bool? = context.mismatch(value, expected: "text")
                    isRight = false
                }
            }
            return isRight ? tags : nil
        }
    }
}

extension OptionType where Value == ByteString {
    /// An absolute URL.
    static var url: Self {
        Self(name: "URL", schema: ["type": "string"], describe: { $0.description }) {
            node,
            context in
            guard let text = node.text else {
                return context.mismatch(node, expected: "a URL such as https://shop.test/cart")
            }
            guard URLParts(text.utf8.span) != nil else {
                return context.error(
                    node,
                    "the URL is incomplete; found \(node.found), expected a URL such as "
                        + "https://shop.test/cart"
                )
            }
            return ByteString(text)
        }
    }
}
