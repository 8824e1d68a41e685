// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineCrypto
internal import TaplinePlugin
internal import TaplineSystem

/// A name or a path from the options, with its own action if it has one.
struct RedactionRule: Sendable {
    let name: String
    let action: RedactionAction?
}

/// The options of `redact`.
enum RedactOptions {
    enum Preset: Sendable, Equatable {
        case standard
        case strict
        case none
    }

    static let actions = OptionType<RedactionAction>.choice([
        (RedactionAction.mask.name, .mask), (RedactionAction.remove.name, .remove),
        (RedactionAction.hash.name, .hash), (RedactionAction.pseudonym.name, .pseudonym),
    ])

    static let preset = ConfigKey(
        "preset",
        .choice([("standard", Preset.standard), ("strict", .strict), ("none", .none)]),
        default: .standard,
        summary:
            "What to redact: values with names of secrets, everything not known to be harmless, or "
            + "only what rules name."
    )
    static let keep = ConfigKey(
        "keep",
        .list(of: KeepEntry.type, acceptsSingle: true),
        default: [],
        summary: "What 'preset: strict' keeps: JSON paths, and places with names.",
        example: "['$.items[*].price', header X-Request-ID, query page]"
    )
    static let headers = names("headers", "Fields to redact.", "[x-internal-*]")
    static let cookies = names("cookies", "Cookies to redact in Cookie and Set-Cookie.", "[sid]")
    static let query = names("query", "Query parameters to redact in all URLs.", "[email]")
    static let form = names("form", "Form fields to redact.", "[card_number]")
    static let json = ConfigKey(
        "json",
        .list(of: ruleType(isPath: true), acceptsSingle: true),
        default: [],
        summary: "JSON values to redact: a name at any depth, or a path that begins with '$'.",
        example: "[email, $.card.number]"
    )
    static let action = ConfigKey(
        "action",
        actions,
        default: .mask,
        summary:
            "How to replace a value: a fixed text, nothing, a keyed hash, or a stand-in of its form; "
            + "'preset: strict' defaults to the last one."
    )

    /// The action for values: with `preset: strict`, `pseudonym` unless the options set another.
    static func effectiveAction(_ options: Options) -> RedactionAction {
        options[preset] == .strict && !options.isSet(action) ? .pseudonym : options[action]
    }

    static let mask = ConfigKey(
        "mask",
        .text,
        default: "[redacted]",
        summary: "The text that replaces masked values."
    )
    static let keyEnvironment = ConfigKey(
        "key_env",
        RedactKey.variable,
        default: nil,
        summary: "The environment variable that contains the key for 'hash' and 'pseudonym'.",
        example: "TAPLINE_REDACT_KEY",
        interpolates: false
    )
    static let keyFile = ConfigKey(
        "key_file",
        .optional(.path),
        default: nil,
        summary: "A file that contains the key for 'hash' and 'pseudonym'.",
        example: "redact.key"
    )
    static let mark = ConfigKey(
        "mark",
        .bool,
        default: false,
        summary: "Whether tags list the rules that matched, and identify the key of the stand-ins."
    )
    static let maxDepth = ConfigKey(
        "max_depth",
        .integer(in: 1...100_000),
        default: 512,
        summary: "Maximum nesting depth of JSON; deeper values are masked."
    )
    static let maxDecodedBytes = ConfigKey(
        "max_decoded_bytes",
        .byteSize,
        default: 16 << 20,
        summary:
            "Maximum decoded size of a body; a larger one is masked whole. Also limits the total decoded size of "
            + "embedded content in a body; the rest is masked."
    )
    static let maxTime = ConfigKey(
        "max_time",
        .duration,
        default: .milliseconds(50),
        summary:
            "Maximum CPU time for embedded content in an exchange; the rest is masked."
    )
    static let keepTypes = ConfigKey(
        "keep_types",
        .list(of: .text, acceptsSingle: true),
        default: [],
        summary:
            "Media types whose bodies are kept even if they cannot be searched for names; '*' for all.",
        example: "[application/pdf, application/x-protobuf]"
    )

    static let descriptors = ConfigKey(
        "descriptors",
        .optional(.path),
        default: nil,
        summary:
            "The types of protobuf and gRPC messages, so that rules apply to the names of their "
            + "fields: a file from 'protoc --include_imports --descriptor_set_out'.",
        example: "shop.binpb"
    )

    static let schema = OptionSchema(
        preset,
        keep,
        headers,
        cookies,
        query,
        form,
        json,
        DetectorOptions.detectors,
        DetectorOptions.patterns,
        DetectorOptions.allow,
        action,
        mask,
        keyEnvironment,
        keyFile,
        mark,
        maxDepth,
        maxDecodedBytes,
        maxTime,
        keepTypes,
        descriptors
    )

    /// The options that contain rules.
    static let ruleLists = [headers, cookies, query, form, json]

    private static func names(
        _ name: String,
        _ summary: String,
        _ example: String
    ) -> ConfigKey<[RedactionRule]> {
        ConfigKey(
            name,
            .list(of: ruleType(isPath: false), acceptsSingle: true),
            default: [],
            summary: summary,
            example: example
        )
    }
}

// MARK: - Rules

extension RedactOptions {
    private static let ruleAction = ConfigKey(
        "action",
        actions.optional,
        default: nil,
        summary: "How to replace the values of this rule."
    )
    private static let ruleName = ConfigKey<String>(
        "name",
        .text,
        summary: "The name; '*' and '?' are wildcards."
    )
    private static let ruleSchema = OptionSchema(ruleName, ruleAction)

    /// `name`, or `{ name: …, action: … }`.
    private static func ruleType(isPath: Bool) -> OptionType<RedactionRule> {
        OptionType(
            name: isPath ? "names and paths" : "names",
            schema: ["anyOf": [OptionType<String>.text.schema, ruleSchema.jsonSchema()]],
            describe: { $0.name }
        ) { node, context in
            let rule: RedactionRule
            if let text = node.text {
                rule = RedactionRule(name: text, action: nil)
            } else if node.pairs != nil {
                guard let options = ruleSchema.decode(node, &context) else { return nil }
                rule = RedactionRule(name: options[ruleName], action: options[ruleAction])
            } else {
                return context.mismatch(node, expected: "a name, or a mapping with 'name'")
            }
            guard !rule.name.isEmpty else { return context.error(node, "the name is empty") }
            return isPath ? checked(rule, node, &context) : rule
        }
    }

    private static func checked(
        _ rule: RedactionRule,
        _ node: ConfigNode,
        _ context: inout OptionContext
    ) -> RedactionRule? {
        guard rule.name.utf8.first == UInt8(ascii: "$"), rule.name.utf8.count > 1 else {
            return rule.name == "$"
                ? context.error(node, "path has no steps; expected '.name' after '$'") : rule
        }
        do throws(JSONPathError) {
            _ = try JSONPath(rule.name)
            return rule
        } catch {
            return context.error(
                node,
                "invalid path '\(rule.name)': \(error.message)",
                help: "paths look like '$.card.number', '$.items[*].token' or '$..secret'"
            )
        }
    }
}
