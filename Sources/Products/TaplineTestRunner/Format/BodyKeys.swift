// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineConfig
internal import TaplineJSON
internal import TaplineModel

/// The options of a test file for the body of a request or a response.
enum BodyKeys {
    static let headers = ConfigKey(
        "headers",
        OptionType<FieldSection>.fields,
        default: FieldSection(),
        summary: "Header fields: names, each with a text or a list of texts, or a list of pairs.",
        example: "{ Cookie: a=b, Accept: [text/html, image/*] }",
        interpolates: false
    )
    static let version = ConfigKey(
        "version",
        OptionType<String>.text,
        default: "HTTP/1.1",
        summary: "The version of HTTP.",
        interpolates: false
    )
    static let body = ConfigKey(
        "body",
        OptionType<String>.text.optional,
        default: nil,
        summary: "The body as text.",
        example: "hello",
        interpolates: false
    )
    static let json = ConfigKey(
        "json",
        OptionType<ConfigNode?>.node,
        default: nil,
        summary: "The body as JSON.",
        example: "{ user: { id: 7 } }",
        interpolates: false
    )
    static let base64 = ConfigKey(
        "base64",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "The body as base64, for binary content.",
        example: "iVBORw0KGgo=",
        interpolates: false
    )
    static let coding = ConfigKey(
        "coding",
        OptionType<ContentCoding?>.choice([
            ("none", nil), ("gzip", .gzip), ("deflate", .deflate), ("zstd", .zstd),
        ]),
        default: nil,
        summary: "The content coding on the wire; the body is given here without it.",
        example: "gzip",
        interpolates: false
    )
    static let truncated = ConfigKey(
        "truncated",
        OptionType<Bool>.bool,
        default: false,
        summary: "Whether the rest of the body was discarded.",
        interpolates: false
    )
    static let size = ConfigKey(
        "size",
        OptionType<Int>.integer(in: 0...Int(Int32.max)).optional,
        default: nil,
        summary: "The size on the wire, if it differs from the size of the given body.",
        interpolates: false
    )
    static let trailers = ConfigKey(
        "trailers",
        OptionType<FieldSection>.fields,
        default: FieldSection(),
        summary: "Trailer fields.",
        interpolates: false
    )

    static let keys: [any ConfigKeyDeclaration] = [
        headers, version, body, json, base64, coding, size, truncated, trailers,
    ]

    /// Reads the body, and adds the header fields that describe it unless they are given.
    static func read(
        _ options: Options,
        _ fields: inout FieldSection,
        form: [UInt8]? = nil,
        _ context: inout OptionContext
    ) -> Body? {
        var contents: [(bytes: [UInt8], type: String?)] = []
        if let text = options[body] { contents.append((Array(text.utf8), nil)) }
        if let node = options[json] {
            contents.append((Array(TestValue(node).compactText.utf8), "application/json"))
        }
        if let form { contents.append((form, "application/x-www-form-urlencoded")) }
        if let text = options[base64] {
            var bytes: [UInt8] = []
            if Base64.decode(text.value.utf8.span, .lenient, into: &bytes) != nil {
                context.diagnostics.error(at: text.location, "the text is not valid base64")
                return nil
            }
            contents.append((bytes, nil))
        }
        guard contents.count <= 1 else {
            context.diagnostics.error(
                at: options.location(of: json) ?? options.location(of: body),
                "two bodies; expected one of body, json, form and base64"
            )
            return nil
        }
        guard let content = contents.first else {
            return Body(bytes: [], size: options[size], isTruncated: options[truncated])
        }
        if let type = content.type, !fields.contains("content-type") {
            fields.append(name: "Content-Type", value: type)
        }
        return coded(content.bytes, options, &fields)
    }

    private static func coded(
        _ bytes: [UInt8],
        _ options: Options,
        _ fields: inout FieldSection
    ) -> Body? {
        var kept = bytes
        if let coding = options[coding] {
            var output: [UInt8] = []
            // Only supported codings are offered, so this fails only if memory runs out.
            guard let encoder = try? ContentEncoder(coding),
                (try? encoder.encode(bytes.span, appendingTo: &output)) != nil,
                (try? encoder.finish(appendingTo: &output)) != nil
            else { return nil }
            kept = output
        }
        let size = options[size] ?? kept.count
        let name = options[coding]?.name ?? ""
        fields.describeContent(size: size, coding: name)
        return Body(
            bytes: kept,
            size: size,
            coding: ByteString(name),
            isTruncated: options[truncated]
        )
    }
}
