// SPDX-License-Identifier: MIT

extension JSONSchemaNode {
    /// The schema of a text that contains a variable, for a value of any type.
    static let variable: JSONSchemaNode = [
        "type": "string", "pattern": "[$][{][A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?[}]",
    ]

    /// This schema, extended so that each scalar may also be written as `${NAME}`.
    var allowingVariables: JSONSchemaNode {
        guard case .object(let pairs) = self else { return self }
        if let items = self["items"] {
            return replacing("items", with: items.allowingVariables)
        }
        if case .object(let choices)? = self["additionalProperties"] {
            let element = JSONSchemaNode.object(choices)
            return replacing("additionalProperties", with: element.allowingVariables)
        }
        if case .array(let choices)? = self["anyOf"] {
            return replacing("anyOf", with: .array(choices.map(\.allowingVariables)))
        }
        let isObject = self["properties"] != nil
        let isFreeText = self["type"] == "string" && self["pattern"] == nil
        let isAnything = pairs.isEmpty
        if isObject || isFreeText || isAnything || self["type"] == "null" || acceptsAnyText {
            return self
        }
        return ["anyOf": [self, .variable]]
    }

    /// Whether the type is a list of types that includes `string`.
    private var acceptsAnyText: Bool {
        guard case .array(let types)? = self["type"] else { return false }
        return types.contains("string") && self["pattern"] == nil
    }

    /// Parses YAML text into a value of this schema; `nil` if it does not match.
    func value(of text: String) -> JSONSchemaNode? {
        var diagnostics = Diagnostics()
        let source = ConfigSource(name: "default", text: text)
        return ConfigReader().read(source, into: &diagnostics).flatMap(value(of:))
    }

    private func value(of node: ConfigNode) -> JSONSchemaNode? {
        switch node.value {
        case .null: return .null
        case .scalar(let text, let isPlain): return isPlain ? plain(text) : .string(text)
        case .sequence(let elements):
            let values = elements.compactMap { (self["items"] ?? [:]).value(of: $0) }
            return values.count == elements.count ? .array(values) : nil
        case .mapping(let pairs):
            return pairs.isEmpty ? [:] : nil
        }
    }

    /// Returns the value of an unquoted scalar under this schema.
    private func plain(_ text: String) -> JSONSchemaNode {
        switch self["type"] {
        case "integer": Int(text).map { .integer($0) } ?? .string(text)
        case "number": Double(text).map { .number($0) } ?? .string(text)
        case "boolean": .bool(text == "true")
        default: .string(text)
        }
    }

    private func replacing(_ key: String, with value: JSONSchemaNode) -> JSONSchemaNode {
        guard case .object(let pairs) = self else { return self }
        return .object(pairs.map { $0.0 == key ? (key, value) : $0 })
    }
}
