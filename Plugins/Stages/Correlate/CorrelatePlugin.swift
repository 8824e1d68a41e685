// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
public import TaplinePlugin

extension StagePlugin {
    /// The stage `correlate`: records the ids that link an exchange to others.
    public static var correlate: StagePlugin {
        StagePlugin(
            name: "correlate",
            summary: "Records the ids that link exchanges to each other and to server logs.",
            options: CorrelateOptions.schema,
            build: { options, _ in
                CorrelateFactory(
                    extractors: options[CorrelateOptions.from],
                    maxBytes: options[CorrelateOptions.maxBytes],
                    maxBody: options[CorrelateOptions.maxBody]
                )
            }
        )
    }
}

/// The options of `correlate`.
enum CorrelateOptions {
    static let from = ConfigKey(
        "from",
        .list(of: extractor, acceptsSingle: true, allowsEmpty: false),
        default: Extractor.usual,
        summary:
            "Where to look for ids: fields and paths in JSON bodies; the first one found is used.",
        example: "[traceparent, X-Conversation-ID, $.meta.id]"
    )
    static let maxBytes = ConfigKey(
        "max_bytes",
        .byteSize,
        default: 256,
        summary: "Maximum length of a recorded value.",
        example: "64B"
    )
    static let maxBody = ConfigKey(
        "max_body",
        .byteSize,
        default: 1 << 20,
        summary: "Maximum decoded size of a body that is searched for JSON.",
        example: "64KiB"
    )
    static let schema = OptionSchema(from, maxBytes, maxBody)
}

// MARK: - Extractors

extension CorrelateOptions {
    private static let header = ConfigKey(
        "header",
        .optional(.text),
        default: nil,
        summary: "The field.",
        example: "X-Conversation-ID"
    )
    private static let json = ConfigKey(
        "json",
        .optional(path),
        default: nil,
        summary: "The path in a JSON body.",
        example: "$.meta.id"
    )
    private static let message = ConfigKey(
        "in",
        .choice([
            ("any", Extractor.Message.any), ("request", .request), ("response", .response),
        ]),
        default: .any,
        summary: "Which message to search; 'any' searches the request, then the response."
    )
    private static let tag = ConfigKey(
        "tag",
        .text,
        default: Correlation.tag,
        summary: "The tag that holds the id."
    )
    private static let decode = ConfigKey(
        "decode",
        .list(of: coding, acceptsSingle: true),
        default: [],
        summary: "How the value is encoded.",
        example: "base64"
    )
    private static let separator = ConfigKey(
        "separator",
        .text,
        default: "",
        summary: "The separator between the parts of the value.",
        example: "'.'"
    )
    private static let parts = ConfigKey(
        "parts",
        .list(of: part),
        default: [],
        summary: "The names of the parts, each recorded in its own tag; '_' skips a part.",
        example: "[device, session, _]"
    )
    private static let extractorSchema = OptionSchema(
        header,
        json,
        message,
        tag,
        decode,
        separator,
        parts
    )

    private static let partName = ConfigKey<String>("name", .text, summary: "The name.")
    private static let partPath = ConfigKey(
        "json",
        .optional(path),
        default: nil,
        summary: "The path of the part, if the value is JSON."
    )
    private static let partSchema = OptionSchema(partName, partPath, decode)

    private static let coding = OptionType<Extractor.Coding>.choice([
        ("percent", .percent), ("base64", .base64), ("hex", .hex),
    ])

    private static let path = OptionType<JSONValuePath>(
        name: "path",
        schema: ["type": "string", "pattern": "^\\$"],
        describe: { _ in nil }
    ) { node, context in
        guard let text = node.text, let path = JSONValuePath(text) else {
            return context.error(
                node,
                "invalid path; expected names and indexes after '$'",
                help: "paths look like '$.meta.id' or '$.items[0].id'"
            )
        }
        return path
    }

    /// A field name, a path, or a mapping with further options.
    private static let extractor = OptionType<Extractor>(
        name: "fields and paths",
        schema: ["anyOf": [OptionType<String>.text.schema, extractorSchema.jsonSchema()]],
        describe: { $0.name }
    ) { node, context in
        if let text = node.text {
            if text.utf8.first == UInt8(ascii: "$") {
                return path.decode(node, &context).map { Extractor(.json($0), name: text) }
            }
            return place(header: text, node, &context).map { Extractor($0, name: text) }
        }
        guard node.pairs != nil else {
            return context.mismatch(
                node,
                expected: "a field name, a path, or a mapping with 'header' or 'json'"
            )
        }
        guard let options = extractorSchema.decode(node, &context) else { return nil }
        let found: Extractor.Place?
        switch (options[header], options[json]) {
        case (let name?, nil): found = place(header: name, node, &context)
        case (nil, let path?): found = .json(path)
        default:
            return context.error(node, "expected exactly one of 'header' and 'json'")
        }
        guard let found else { return nil }
        guard !options[tag].isEmpty else { return context.error(node, "the tag is empty") }
        return Extractor(
            found,
            name: options[header] ?? "json",
            message: options[message],
            tag: options[tag],
            codings: options[decode],
            separator: options[separator],
            parts: options[parts]
        )
    }

    private static func place(
        header name: String,
        _ node: ConfigNode,
        _ context: inout OptionContext
    ) -> Extractor.Place? {
        guard !name.isEmpty else { return context.error(node, "the field name is empty") }
        return name.lowercased() == "traceparent" ? .trace : .header(name)
    }

    /// A name, or a mapping with further options.
    private static let part = OptionType<Extractor.Part>(
        name: "parts",
        schema: ["anyOf": [OptionType<String>.text.schema, partSchema.jsonSchema()]],
        describe: { $0.name }
    ) { node, context in
        if let text = node.text {
            return Extractor.Part(name: text == "_" ? nil : text, path: nil, codings: [])
        }
        guard node.pairs != nil else {
            return context.mismatch(node, expected: "a name, or a mapping with 'name'")
        }
        guard let options = partSchema.decode(node, &context) else { return nil }
        let name = options[partName]
        return Extractor.Part(
            name: name == "_" ? nil : name,
            path: options[partPath],
            codings: options[decode]
        )
    }
}
