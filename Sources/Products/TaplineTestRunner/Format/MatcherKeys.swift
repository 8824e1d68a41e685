// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineRegex

/// The four kinds of expectation that are not a plain value; each names fields by their paths.
enum MatcherKeys {
    static let matches = ConfigKey(
        "matches",
        OptionType<ConfigNode?>.paths("regular expression", OptionType<String>.text.schema),
        default: nil,
        summary: "Paths, each with a regular expression (RE2) that must match in its text.",
        example: "{ headers.x-request-id: \"^[0-9a-f-]{36}$\" }",
        interpolates: false
    )
    static let contains = ConfigKey(
        "contains",
        OptionType<ConfigNode?>.paths("text", OptionType<String>.text.schema),
        default: nil,
        summary: "Paths, each with a text that must occur in its text.",
        example: "{ body: hello }",
        interpolates: false
    )
    static let absent = ConfigKey(
        "absent",
        OptionType<[Located<String>]>.list(
            of: OptionType<String>.text.located,
            acceptsSingle: true
        ),
        default: [],
        summary: "Paths that must not exist.",
        example: "[headers.cookie, json.user.password]",
        interpolates: false
    )
    static let exactly = ConfigKey(
        "exactly",
        OptionType<ConfigNode?>.paths("any value", [:]),
        default: nil,
        summary: "Paths, each with its complete value: no other keys are allowed.",
        example: "{ json.user: { id: 7 } }",
        interpolates: false
    )

    static let keys: [any ConfigKeyDeclaration] = [matches, contains, absent, exactly]

    /// Reads the checks that these options ask for.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - side: The side whose fields the paths name; `nil` if each path begins with its side.
    ///   - diagnostics: Receives the problems.
    /// - Returns: The checks.
    static func checks(
        _ options: Options,
        of side: ValuePath.Side?,
        into diagnostics: inout Diagnostics
    ) -> [Check] {
        var checks: [Check] = []
        for (key, value) in options[matches]?.pairs ?? [] {
            guard let path = ValuePath(key, of: side, into: &diagnostics),
                let pattern = pattern(value, into: &diagnostics)
            else { continue }
            checks.append(Check(assertion: .matches(path, pattern), location: value.location))
        }
        for (key, value) in options[contains]?.pairs ?? [] {
            guard let path = ValuePath(key, of: side, into: &diagnostics) else { continue }
            checks.append(
                Check(assertion: .contains(path, value.text ?? ""), location: value.location)
            )
        }
        for text in options[absent] {
            guard let node = text.node, let path = ValuePath(node, of: side, into: &diagnostics)
            else { continue }
            checks.append(Check(assertion: .absent(path), location: node.location))
        }
        for (key, value) in options[exactly]?.pairs ?? [] {
            guard let path = ValuePath(key, of: side, into: &diagnostics),
                fits(value, path, into: &diagnostics)
            else { continue }
            checks.append(Check(assertion: .exactly(path, value), location: value.location))
        }
        return checks
    }

    private static func pattern(
        _ node: ConfigNode,
        into diagnostics: inout Diagnostics
    ) -> Pattern? {
        let text = node.text ?? ""
        do throws(PatternError) {
            return try Pattern(text)
        } catch {
            diagnostics.error(in: node, at: 0..<text.utf8.count, "\(error)")
            return nil
        }
    }

    /// Whether a value has a type that the field can have.
    private static func fits(
        _ node: ConfigNode,
        _ path: ValuePath,
        into diagnostics: inout Diagnostics
    ) -> Bool {
        let expected: String
        switch path.field.kind {
        case .json: return true
        case .text where node.text != nil: return true
        case .text: expected = "text"
        case .number where node.text.flatMap({ Int($0) }) != nil: return true
        case .number: expected = "a whole number"
        case .names, .headers:
            if path.name != nil, node.isText { return true }
            if path.name == nil, node.pairs?.allSatisfy({ $0.value.isText }) == true { return true }
            expected = path.name == nil ? "names with their texts" : "text or a list of texts"
        }
        diagnostics.error(
            at: node.location,
            "wrong type of value; found \(node.found), expected \(expected)"
        )
        return false
    }
}

extension OptionType where Value == ConfigNode? {
    /// A mapping from paths to values of one type.
    fileprivate static func paths(_ element: String, _ schema: JSONSchemaNode) -> Self {
        Self(
            name: "map of \(element)",
            schema: ["type": "object", "additionalProperties": schema]
        ) { node, context in
            guard let pairs = node.pairs else {
                return context.mismatch(node, expected: "paths, each with \(element)")
            }
            var isRight = true
            for (_, value) in pairs where element != "any value" && value.text == nil {
                let _: Bool? = context.mismatch(value, expected: element)
                isRight = false
            }
            return isRight ? .some(node) : nil
        }
    }
}
