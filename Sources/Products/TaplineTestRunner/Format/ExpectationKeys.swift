// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel

/// The options of `expect`.
enum ExpectationKeys {
    static let server = section("server", .server, "The request as the server gets it.")
    static let client = section("client", .client, "The response as the client gets it.")
    static let request = section("request", .request, "The request of the record, as sinks get it.")
    static let response = section(
        "response",
        .response,
        "The response of the record, as sinks get it."
    )

    static let dropped = ConfigKey(
        "dropped",
        OptionType<ConfigNode?>.verdict("drop", of: DropKeys.schema.jsonSchema()),
        default: nil,
        summary:
            "Whether the record is dropped; or the reason; or `{ by: STAGE, reason: TEXT }`.",
        example: "health check",
        interpolates: false
    )
    static let responded = ConfigKey(
        "responded",
        OptionType<ConfigNode?>.verdict("response", of: ResponseExpectation.schema.jsonSchema()),
        default: nil,
        summary: "Whether a stage answers instead of the server; or its response.",
        example: "{ status: 429 }",
        interpolates: false
    )
    static let aborted = ConfigKey(
        "aborted",
        OptionType<Bool>.bool.located.optional,
        default: nil,
        summary: "Whether a stage closes the connection.",
        example: "true",
        interpolates: false
    )
    static let delayed = ConfigKey(
        "delayed",
        OptionType<Duration>.duration.located.optional,
        default: nil,
        summary: "How long the exchange is delayed.",
        example: "250ms",
        interpolates: false
    )
    static let failed = ConfigKey(
        "failed",
        OptionType<ConfigNode?>.verdict("message", of: nil),
        default: nil,
        summary: "Whether a hook fails; or a part of its message.",
        example: "attempt to index a nil value",
        interpolates: false
    )
    static let log = ConfigKey(
        "log",
        OptionType<[Located<String>]>.list(
            of: OptionType<String>.text.located,
            acceptsSingle: true
        ),
        default: [],
        summary: "Texts that lines logged by the stages must contain.",
        example: "[slow answer]",
        interpolates: false
    )

    /// The options of `expect`, in the order of the reference page.
    static let schema = OptionSchema(
        [server, client, request, response]
            + ObservedField.ofRecords.map { $0.key as any ConfigKeyDeclaration }
            + [dropped, responded, aborted, delayed, failed, log] + MatcherKeys.keys
    )

    /// An expectation as an option.
    static let type = OptionType<Expectation>(
        name: "expectation",
        schema: schema.jsonSchema()
    ) { node, context in
        guard let options = schema.decode(node, &context) else { return nil }
        var expectation = Expectation(location: node.location)
        for key in [server, client, request, response] { expectation.checks += options[key] }
        for field in ObservedField.ofRecords {
            guard let node = options[field.key] else { continue }
            expectation.checks += field.checks(of: .record, node)
        }
        expectation.checks += verdicts(options, &context)
        expectation.checks += MatcherKeys.checks(options, of: nil, into: &context.diagnostics)
        return context.diagnostics.hasErrors ? nil : expectation
    }

    private static func section(
        _ name: String,
        _ side: ValuePath.Side,
        _ summary: String
    ) -> ConfigKey<[Check]> {
        let schema =
            side == .server || side == .request
            ? RequestExpectation.schema : ResponseExpectation.schema
        let example = side == .server || side == .request ? "{ method: POST }" : "{ status: 200 }"
        let type = OptionType<[Check]>(
            name: schema.keys[0].name == "method" ? "request" : "response",
            schema: schema.jsonSchema()
        ) { node, context in
            checks(of: side, schema, node, &context)
        }
        return ConfigKey(
            name,
            type,
            default: [],
            summary: summary,
            example: example,
            interpolates: false
        )
    }

    fileprivate static func checks(
        of side: ValuePath.Side,
        _ schema: OptionSchema,
        _ node: ConfigNode,
        _ context: inout OptionContext
    ) -> [Check]? {
        guard let options = schema.decode(node, &context) else { return nil }
        var checks: [Check] = []
        for field in side.fields {
            guard let node = options[field.key] else { continue }
            checks += field.checks(of: side, node)
        }
        return checks + MatcherKeys.checks(options, of: side, into: &context.diagnostics)
    }
}

/// The expectations of a request.
enum RequestExpectation {
    static let schema = OptionSchema(ObservedField.ofRequests.map(\.key) + MatcherKeys.keys)
}

/// The expectations of a response.
enum ResponseExpectation {
    static let schema = OptionSchema(ObservedField.ofResponses.map(\.key) + MatcherKeys.keys)
}

/// The options of `dropped`, if it is a mapping.
enum DropKeys {
    static let by = ConfigKey(
        "by",
        OptionType<String>.text.optional,
        default: nil,
        summary: "The stage that drops it.",
        example: "lua",
        interpolates: false
    )
    static let reason = ConfigKey(
        "reason",
        OptionType<String>.text.optional,
        default: nil,
        summary: "The reason that it gives.",
        example: "health check",
        interpolates: false
    )
    static let schema = OptionSchema(by, reason)
}

extension ObservedField {
    /// The checks for the value of this field; a section gives one check for each name.
    fileprivate func checks(of side: ValuePath.Side, _ node: ConfigNode) -> [Check] {
        switch kind {
        case .text, .number:
            let path = ValuePath(side: side, field: self)
            return [Check(assertion: .equals(path, node), location: node.location)]
        case .names, .headers:
            return (node.pairs ?? []).map { key, value in
                let path = ValuePath(side: side, field: self, name: key.text ?? "")
                return Check(assertion: .equals(path, value), location: value.location)
            }
        case .json:
            let path = ValuePath(side: side, field: self)
            return [Check(assertion: .holds(path, node), location: node.location)]
        }
    }
}

// MARK: - Verdicts

extension ExpectationKeys {
    private static func verdicts(_ options: Options, _ context: inout OptionContext) -> [Check] {
        var checks: [Check] = []
        if let node = options[dropped] {
            checks +=
                drop(node, &context).map { [Check(assertion: $0, location: node.location)] } ?? []
        }
        if let node = options[responded] {
            checks.append(Check(assertion: .responded(node.flag ?? true), location: node.location))
            if node.pairs != nil {
                context.owner(is: "responded") { context in
                    checks +=
                        Self.checks(of: .client, ResponseExpectation.schema, node, &context) ?? []
                }
            }
        }
        if let flag = options[aborted], let place = flag.location {
            checks.append(Check(assertion: .aborted(flag.value), location: place))
        }
        if let time = options[delayed], let place = time.location {
            checks.append(Check(assertion: .delayed(Microseconds(time.value)), location: place))
        }
        if let node = options[failed] {
            let text = node.flag == nil ? node.text : nil
            checks.append(
                Check(assertion: .failed(node.flag ?? true, text: text), location: node.location)
            )
        }
        for text in options[log] {
            guard let place = text.location else { continue }
            checks.append(Check(assertion: .logs(text.value), location: place))
        }
        return checks
    }

    private static func drop(_ node: ConfigNode, _ context: inout OptionContext) -> Check.Assertion?
    {
        guard node.pairs != nil else {
            let reason = node.flag == nil ? node.text : nil
            return .dropped(node.flag ?? true, by: nil, reason: reason)
        }
        let options = DropKeys.schema.decode(
            node,
            owner: "dropped",
            into: &context.diagnostics,
            environment: context.environment
        )
        guard let options else { return nil }
        return .dropped(true, by: options[DropKeys.by], reason: options[DropKeys.reason])
    }
}

extension OptionContext {
    /// Runs a closure with another option as the owner that messages name.
    fileprivate mutating func owner(is name: String, _ body: (inout OptionContext) -> Void) {
        var inner = OptionContext(owner: name, environment: environment)
        swap(&inner.diagnostics, &diagnostics)
        body(&inner)
        swap(&inner.diagnostics, &diagnostics)
    }
}

extension ConfigNode {
    /// The value of a boolean without quotes, or `nil`.
    fileprivate var flag: Bool? {
        if case .bool(let flag) = TestValue(self) { flag } else { nil }
    }
}

extension OptionType where Value == ConfigNode? {
    /// A boolean, a text, or a mapping if there is a schema for one.
    fileprivate static func verdict(_ what: String, of mapping: JSONSchemaNode?) -> Self {
        let name = what == "response" ? "true or false or \(what)" : "true or false or text"
        var choices: [JSONSchemaNode] = [["type": "boolean"]]
        if what != "response" { choices.append(["type": "string"]) }
        if let mapping { choices.append(mapping) }
        return Self(name: name, schema: ["anyOf": .array(choices)]) { node, context in
            let isText = node.text != nil && (what != "response" || node.flag != nil)
            if isText || (node.pairs != nil && mapping != nil) { return .some(node) }
            return context.mismatch(node, expected: name)
        }
    }
}
