// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
public import TaplinePlugin

extension StagePlugin {
    /// The stage `correlate`: notes what ties an exchange to others.
    public static var correlate: StagePlugin {
        StagePlugin(
            name: "correlate",
            summary: "Notes the ids that tie exchanges to each other and to logs of servers.",
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
            "Where ids stand: fields, and paths in JSON bodies; the first that is there counts.",
        example: "[traceparent, X-Conversation-ID, $.meta.id]"
    )
    static let maxBytes = ConfigKey(
        "max_bytes",
        .byteSize,
        default: 256,
        summary: "The longest value that is noted.",
        example: "64B"
    )
    static let maxBody = ConfigKey(
        "max_body",
        .byteSize,
        default: 1 << 20,
        summary: "The largest body in which JSON is looked for, decoded.",
        example: "64KiB"
    )
    static let schema = OptionSchema(from, maxBytes, maxBody)
}

// MARK: - Extractors

extension CorrelateOptions {
    private static let header = ConfigKey(
        "header",
        .optional(.string),
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
        summary: "In which message; otherwise in the request, or else in the response."
    )
    private static let tag = ConfigKey(
        "tag",
        .string,
        default: Correlation.tag,
        summary: "The tag that holds the id."
    )
    private static let decode = ConfigKey(
        "decode",
        .list(of: coding, acceptsSingle: true),
        default: [],
        summary: "How the value is written.",
        example: "base64"
    )
    private static let separator = ConfigKey(
        "separator",
        .string,
        default: "",
        summary: "What stands between the parts of the value.",
        example: "'.'"
    )
    private static let parts = ConfigKey(
        "parts",
        .list(of: part),
        default: [],
        summary: "The names of the parts, each noted in a tag of its own; '_' leaves one out.",
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

    private static let partName = ConfigKey<String>("name", .string, summary: "The name.")
    private static let partPath = ConfigKey(
        "json",
        .optional(path),
        default: nil,
        summary: "The path in a value that is JSON."
    )
    private static let partSchema = OptionSchema(partName, partPath, decode)

    private static let coding = OptionType<Extractor.Coding>.choice([
        ("percent", .percent), ("base64", .base64), ("hex", .hex),
    ])

    private static let path = OptionType<ValuePath>(
        name: "path",
        schema: ["type": "string", "pattern": "^\\$"],
        describe: { _ in nil }
    ) { node, context in
        guard let text = node.text, let path = ValuePath(text) else {
            return context.error(
                node,
                "wrong path; expected names and numbers behind '$'",
                help: "paths look like '$.meta.id' or '$.items[0].id'"
            )
        }
        return path
    }

    /// A name, a path, or a mapping with more.
    private static let extractor = OptionType<Extractor>(
        name: "fields and paths",
        schema: ["anyOf": [OptionType<String>.string.schema, extractorSchema.jsonSchema()]],
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
                expected: "a field, a path, or a mapping with one of them"
            )
        }
        guard let options = extractorSchema.decode(node, &context) else { return nil }
        let found: Extractor.Place?
        switch (options[header], options[json]) {
        case (let name?, nil): found = place(header: name, node, &context)
        case (nil, let path?): found = .json(path)
        default:
            return context.error(node, "found no place, or two; expected 'header' or 'json'")
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
        guard !name.isEmpty else { return context.error(node, "the name of the field is empty") }
        return name.lowercased() == "traceparent" ? .trace : .header(name)
    }

    /// A name, or a mapping with more.
    private static let part = OptionType<Extractor.Part>(
        name: "parts",
        schema: ["anyOf": [OptionType<String>.string.schema, partSchema.jsonSchema()]],
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
