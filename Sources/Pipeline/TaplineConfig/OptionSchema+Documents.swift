// SPDX-License-Identifier: MIT

extension OptionSchema {
    /// Returns the JSON Schema (draft 2020-12) of a mapping with these options.
    package func jsonSchema() -> JSONSchemaNode {
        let properties = keys.map { key -> (String, JSONSchemaNode) in
            var extra: [(String, JSONSchemaNode)] = [("description", .string(key.summary))]
            if let value = key.defaultText.flatMap(key.schema.value(of:)) {
                extra.append(("default", value))
            }
            let schema = key.interpolates ? key.schema.allowingVariables : key.schema
            return (key.name, schema.adding(extra))
        }
        var schema: [(String, JSONSchemaNode)] = [
            ("type", "object"),
            ("properties", .object(properties)),
            ("additionalProperties", false),
        ]
        let required = keys.filter(\.isRequired).map { JSONSchemaNode.string($0.name) }
        if !required.isEmpty {
            schema.append(("required", .array(required)))
        }
        return .object(schema)
    }

    /// Returns a Markdown table of the options; nested ones follow their option, as `rotate.size`.
    package func table() -> String {
        var lines = ["| option | type | default | what it does |", "|---|---|---|---|"]
        appendRows(to: &lines, prefix: "")
        return lines.joined(separator: "\n") + "\n"
    }

    private func appendRows(to lines: inout [String], prefix: String) {
        for key in keys {
            let fallback = key.isRequired ? "required" : key.defaultText.map { "`\($0)`" } ?? ""
            let example = key.example.map { " Example: `\($0)`." } ?? ""
            let cells = ["`\(prefix)\(key.name)`", key.typeName, fallback, key.summary + example]
                .map {
                    $0.split(separator: "|", omittingEmptySubsequences: false).joined(
                        separator: "\\|"
                    )
                }
            lines.append("| " + cells.joined(separator: " | ") + " |")
            key.nested?.appendRows(to: &lines, prefix: "\(prefix)\(key.name).")
        }
    }
}
