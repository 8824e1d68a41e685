// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineJSON
internal import TaplineModel
internal import TaplineQuery
internal import TaplineRegex

/// The options of `replace`.
enum ReplaceKeys {
    static let message = ConfigKey(
        "in",
        OptionType<Bool>.choice([("request", false), ("response", true)]),
        default: true,
        summary: "The message whose body is changed."
    )
    static let text = ConfigKey(
        "text",
        OptionType<String>.text.optional,
        default: nil,
        summary: "The text to replace, wherever it occurs.",
        example: "https://"
    )
    static let regex = ConfigKey(
        "regex",
        pattern.optional,
        default: nil,
        summary: "The regular expression whose matches are replaced.",
        example: "'\"id\":(\\d+)'"
    )
    static let json = ConfigKey(
        "json",
        path.optional,
        default: nil,
        summary: "The path of the JSON values to replace.",
        example: "$.items[*].price"
    )
    static let with = ConfigKey(
        "with",
        OptionType<ConfigNode?>.node,
        summary:
            "The replacement, a template; in JSON a string in quotes, a number, true, false or "
            + "null, in a match of `regex` also the groups `{{1}}`, `{{2}}`, ….",
        example: "'0'"
    )
    static let schema = OptionSchema(message, text, regex, json, with)

    static let type = OptionType<BodyReplacement>(
        name: "replacement",
        schema: schema.jsonSchema()
    ) { node, context in
        guard let options = schema.decode(node, &context), let replacement = options[with] else {
            return nil
        }
        let search: BodyReplacement.Search
        var groups = 0
        switch (options[text], options[regex], options[json]) {
        case (let text?, nil, nil):
            guard !text.isEmpty else { return context.error(node, "'text' is empty") }
            search = .text(Array(text.utf8))
        case (nil, let pattern?, nil):
            search = .pattern(pattern)
            groups = pattern.captureCount + 1
        case (nil, nil, let path?):
            search = .json(path)
            return value(replacement, &context).map { value, isString in
                BodyReplacement(
                    isInResponse: options[message],
                    search: search,
                    value: value,
                    isString: isString
                )
            }
        default:
            return context.error(node, "expected exactly one of 'text', 'regex' and 'json'")
        }
        let template = OptionType<RuleTemplate>.template(groups: groups)
            .decode(replacement, &context)
        return template.map {
            BodyReplacement(
                isInResponse: options[message],
                search: search,
                value: $0,
                isString: false
            )
        }
    }

    /// Returns a value for JSON, and whether it is a string.
    private static func value(
        _ node: ConfigNode,
        _ context: inout OptionContext
    ) -> (RuleTemplate, isString: Bool)? {
        switch node.value {
        case .null: return (RuleTemplate(constant: Array("null".utf8)), false)
        case .scalar(let text, isPlain: true) where isLiteral(text):
            return (RuleTemplate(constant: Array(text.utf8)), false)
        case .scalar:
            return OptionType<RuleTemplate>.template().decode(node, &context).map { ($0, true) }
        case .sequence, .mapping:
            return context.mismatch(node, expected: "a string, a number, true, false or null")
        }
    }

    /// Whether an unquoted text is a number, true or false in JSON.
    private static func isLiteral(_ text: String) -> Bool {
        var parser = JSONParser()
        do throws(JSONError) {
            let document = try parser.parse(text.utf8.span)
            return document.root.kind == .number || document.root.asBool != nil
        } catch {
            return false
        }
    }

    private static let pattern = OptionType<Pattern>(
        name: "regular expression",
        schema: ["type": "string"],
        describe: { $0.text }
    ) { node, context in
        guard let text = node.text else {
            return context.mismatch(node, expected: "a regular expression")
        }
        context.diagnostics.warnAboutComment(after: node)
        do throws(PatternError) {
            return try Pattern(text)
        } catch {
            let start = error.offset ?? 0
            let length = error.offset == nil ? text.utf8.count : error.length
            context.diagnostics.error(
                in: node,
                at: start..<start + length,
                "invalid regular expression: \(error.message)"
            )
            return nil
        }
    }

    private static let path = OptionType<JSONPath>(
        name: "path",
        schema: ["type": "string", "pattern": "^\\$"]
    ) { node, context in
        guard let text = node.text, let path = JSONPath(Array(text.utf8)) else {
            return context.error(
                node,
                "invalid path; found \(node.found), expected names and indexes after '$'",
                help: "paths look like '$.meta.id', '$.items[0].id' or '$.items[*].id'"
            )
        }
        return path
    }
}
