// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplineSystem

/// The options of `respond`.
enum RespondKeys {
    static let status = ConfigKey(
        "status",
        OptionType<Int>.integer(in: 200...599),
        default: 200,
        summary: "The status code."
    )
    static let headers = ConfigKey(
        "headers",
        OptionType<[ConfigEntry<[RuleTemplate]>]>.map(
            of: .list(of: .template(isField: true), acceptsSingle: true)
        ),
        default: [],
        summary: "The fields, with templates as values; a list gives several fields of a name.",
        example: "{ Content-Type: application/json }"
    )
    static let body = ConfigKey(
        "body",
        OptionType<RuleTemplate>.template().optional,
        default: nil,
        summary: "The content, a template.",
        example: "'{\"id\":\"{{request.query.id}}\"}'"
    )
    static let file = ConfigKey(
        "file",
        OptionType<String>.path.located.optional,
        default: nil,
        summary: "A file with the content, which is sent as it is.",
        example: "answers/cart.json"
    )
    static let schema = OptionSchema(status, headers, body, file)

    static let type = OptionType<RuleResponse>(name: "response", schema: schema.jsonSchema()) {
        node,
        context in
        guard let options = schema.decode(node, &context),
            let fields = fields(options[headers], &context)
        else { return nil }
        var response = RuleResponse(status: options[status], fields: fields)
        switch (options[body], options[file]) {
        case (nil, nil): break
        case (let body?, nil): response.content = .template(body)
        case (nil, let file?):
            // It is read later, once it is known which files no rule may send.
            let location = file.location ?? node.location
            response.content = .file(RuleFileContent(path: file.value, location: location))
        case (.some, .some):
            return context.error(node, "expected at most one of 'body' and 'file'")
        }
        return response
    }

    private static func fields(
        _ entries: [ConfigEntry<[RuleTemplate]>],
        _ context: inout OptionContext
    ) -> [(name: String, value: RuleTemplate)]? {
        var fields: [(name: String, value: RuleTemplate)] = []
        var isValid = true
        for entry in entries {
            if !RulePlace.isFieldName(entry.key) {
                context.diagnostics.error(
                    at: entry.keyLocation,
                    "the name of a field is invalid; expected letters, digits and hyphens"
                )
                isValid = false
            }
            fields += entry.value.map { (entry.key, $0) }
        }
        return isValid ? fields : nil
    }
}

/// The options of `map`.
enum MapKeys {
    static let scheme = ConfigKey(
        "scheme",
        OptionType<String?>.optional(.choice(["http", "https"])),
        default: nil,
        summary: "The new scheme.",
        example: "https"
    )
    static let host = ConfigKey(
        "host",
        hostType.optional,
        default: nil,
        summary: "The new host, which the Host field gets, too.",
        example: "staging.test"
    )
    static let port = ConfigKey(
        "port",
        OptionType<Int>.integer(in: 1...65_535).optional,
        default: nil,
        summary: "The new port.",
        example: "8443"
    )
    static let path = ConfigKey(
        "path",
        OptionType<RuleTemplate>.template().optional,
        default: nil,
        summary: "The new path, a template; the query stays unless the path contains a `?`.",
        example: "'/v2{{request.path}}'"
    )
    static let schema = OptionSchema(scheme, host, port, path)

    static let type = OptionType<RuleMapping>(name: "target", schema: schema.jsonSchema()) {
        node,
        context in
        guard let options = schema.decode(node, &context) else { return nil }
        let mapping = RuleMapping(
            scheme: options[scheme],
            host: options[host],
            port: options[port],
            path: options[path]
        )
        guard
            mapping.scheme != nil || mapping.host != nil || mapping.port != nil
                || mapping.path != nil
        else {
            return context.error(node, "'map' is empty; expected scheme, host, port or path")
        }
        return mapping
    }

    private static let hostType = OptionType<String>(
        name: "host",
        schema: ["type": "string"],
        describe: { $0 }
    ) { node, context in
        guard let text = node.text else { return context.mismatch(node, expected: "a host") }
        guard RuleMapping.isHost(text) else {
            return context.error(
                node,
                "the host is invalid; found \(node.found), expected a name or an address",
                help: "give the port as 'port' and the scheme as 'scheme'"
            )
        }
        return text
    }
}

/// The values of `set` and `remove`.
enum PlaceKeys {
    /// Places with the templates that they get.
    static let assignments = OptionType<[RuleAction]>(
        name: "map of template",
        schema: [
            "type": "object",
            "propertyNames": ["pattern": .string(RulePlace.pattern)],
            "additionalProperties": OptionType<RuleTemplate>.template().schema,
        ]
    ) { node, context in
        guard let pairs = node.pairs, !pairs.isEmpty else {
            return context.mismatch(node, expected: "places with their values")
        }
        var found: [RuleAction] = []
        for (key, value) in pairs {
            guard let place = place(key, among: RulePlace.forms, &context) else { continue }
            if let template = template(value, for: place, &context) {
                found.append(.set(place, template))
            }
        }
        return found.count == pairs.count ? found : nil
    }

    /// A place that can be removed.
    static let removable = OptionType<RulePlace>(
        name: "place",
        schema: ["type": "string"],
        describe: { $0.name }
    ) { node, context in
        guard let found = place(node, among: RulePlace.removableForms, &context) else {
            return nil
        }
        guard found.isRemovable else {
            return context.error(
                node,
                "'\(found.name)' cannot be removed; expected "
                    + RulePlace.removableForms.joined(separator: ", ")
            )
        }
        return found
    }

    private static func place(
        _ node: ConfigNode,
        among forms: [String],
        _ context: inout OptionContext
    ) -> RulePlace? {
        guard let text = node.text else {
            return context.mismatch(node, expected: "a place such as request.header.X-Debug")
        }
        guard let place = RulePlace(text) else {
            return context.error(
                node,
                "unknown place \(node.found); expected \(forms.joined(separator: ", "))",
                help: Suggestion.help(for: text, among: forms)
            )
        }
        return place
    }

    private static func template(
        _ node: ConfigNode,
        for place: RulePlace,
        _ context: inout OptionContext
    ) -> RuleTemplate? {
        switch place {
        case .status:
            let status = OptionType<Int>.integer(in: 200...599).decode(node, &context)
            return status.map { RuleTemplate(constant: Array("\($0)".utf8)) }
        case .method:
            guard let text = node.text, RulePlace.isFieldName(text) else {
                return context.mismatch(node, expected: "a method such as POST")
            }
            return RuleTemplate(constant: Array(text.utf8))
        case .requestHeader, .responseHeader, .reason:
            return OptionType<RuleTemplate>.template(isField: true).decode(node, &context)
        case .path, .query, .requestBody, .responseBody, .tag:
            return OptionType<RuleTemplate>.template().decode(node, &context)
        }
    }
}
