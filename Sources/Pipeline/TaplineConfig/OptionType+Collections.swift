// SPDX-License-Identifier: MIT

extension OptionType where Value == ConfigNode? {
    /// Any value, with variables replaced; `nil` if it is not given.
    package static var node: Self {
        Self(name: "any value", schema: [:]) { node, _ in .some(node) }
    }
}

extension OptionType {
    /// One of several texts, each of which stands for a value.
    public static func choice(_ choices: [(String, Value)]) -> Self where Value: Equatable {
        let names = choices.map(\.0)
        return Self(
            name: names.joined(separator: " | "),
            schema: ["enum": .array(names.map { .string($0) })],
            describe: { value in choices.first { $0.1 == value }?.0 }
        ) { node, context in
            guard let text = node.text else {
                return context.mismatch(node, expected: names.joined(separator: ", "))
            }
            if let choice = choices.first(where: { $0.0 == text }) { return choice.1 }
            return context.error(
                node,
                "unknown value \(quoted(text)) in '\(context.owner)'; expected "
                    + names.joined(separator: ", "),
                help: Suggestion.help(for: text, among: names)
            )
        }
    }

    /// One of several texts.
    public static func choice(_ names: [String]) -> Self where Value == String {
        choice(names.map { ($0, $0) })
    }

    /// A list of values.
    ///
    /// - Parameters:
    ///   - element: The type of the elements.
    ///   - acceptsSingle: Whether a single scalar counts as a list of one element.
    ///   - allowsEmpty: Whether the list may be empty.
    /// - Returns: The type.
    public static func list<Element>(
        of element: OptionType<Element>,
        acceptsSingle: Bool = false,
        allowsEmpty: Bool = true
    ) -> Self where Value == [Element] {
        var schema: JSONSchemaNode = ["type": "array", "items": element.schema]
        if !allowsEmpty {
            schema = schema.adding([("minItems", 1)])
        }
        if acceptsSingle {
            schema = ["anyOf": [element.schema, schema]]
        }
        return Self(
            name: "list of \(element.name)",
            unit: element.unit,
            schema: schema,
            describe: { values in
                let texts = values.compactMap(element.describe)
                return texts.count == values.count ? "[\(texts.joined(separator: ", "))]" : nil
            },
            nested: element.nested
        ) { node, context in
            if acceptsSingle, node.text != nil {
                return element.decode(node, &context).map { [$0] }
            }
            guard let nodes = node.elements else {
                return context.mismatch(node, expected: "a list of \(element.name)")
            }
            guard allowsEmpty || !nodes.isEmpty else {
                return context.error(node, "the list is empty; expected at least one element")
            }
            // Options that are missing in an element are reported there, not at the list's name.
            let place = context.place
            defer { context.place = place }
            let values = nodes.compactMap { node in
                if node.pairs != nil { context.place = node.location }
                return element.decode(node, &context)
            }
            return values.count == nodes.count ? values : nil
        }
    }

    /// A mapping from user-defined names to values, in the order of the file.
    public static func map<Element>(of element: OptionType<Element>) -> Self
    where Value == [ConfigEntry<Element>] {
        Self(
            name: "map of \(element.name)",
            unit: element.unit,
            schema: ["type": "object", "additionalProperties": element.schema],
            describe: { $0.isEmpty ? "{}" : nil },
            nested: element.nested
        ) { node, context in
            guard let pairs = node.pairs else {
                return context.mismatch(node, expected: "a mapping")
            }
            let entries = pairs.compactMap { key, value in
                element.decode(value, &context).map {
                    ConfigEntry(
                        key: key.text ?? "",
                        value: $0,
                        keyLocation: key.location,
                        location: value.location
                    )
                }
            }
            return entries.count == pairs.count ? entries : nil
        }
    }

    /// Nested options.
    public static func object(_ schema: OptionSchema) -> Self where Value == Options {
        Self(
            name: "options",
            unit: nil,
            schema: schema.jsonSchema(),
            describe: { _ in nil },
            nested: schema
        ) { node, context in
            schema.decode(node, &context)
        }
    }

    /// A value that may be null, which counts as not given.
    public static func optional<Wrapped>(_ wrapped: OptionType<Wrapped>) -> Self
    where Value == Wrapped? {
        Self(
            name: wrapped.name,
            unit: wrapped.unit,
            schema: ["anyOf": [wrapped.schema, ["type": "null"]]],
            describe: { $0.flatMap(wrapped.describe) },
            nested: wrapped.nested
        ) { node, context in
            if node.isNull { return .some(nil) }
            return wrapped.decode(node, &context).map { .some($0) }
        }
    }

    /// This type or null; the default of such an option is usually `nil`.
    public var optional: OptionType<Value?> {
        .optional(self)
    }

    /// This type with the location of each value, for problems that are found later.
    public var located: OptionType<Located<Value>> {
        OptionType<Located<Value>>(
            name: name,
            unit: unit,
            schema: schema,
            describe: { describe($0.value) },
            nested: nested
        ) { node, context in
            decode(node, &context).map { Located($0, at: node) }
        }
    }
}
