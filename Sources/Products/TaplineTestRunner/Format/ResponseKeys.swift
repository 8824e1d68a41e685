// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel

/// The options of a test file for the response of an exchange.
enum ResponseKeys {
    static let status = ConfigKey(
        "status",
        OptionType<Int>.integer(in: 100...999),
        default: 200,
        summary: "The status code.",
        interpolates: false
    )
    static let reason = ConfigKey(
        "reason",
        OptionType<String>.text,
        default: "",
        summary: "The reason phrase.",
        example: "Not Found",
        interpolates: false
    )

    /// The options, in the order of the reference page.
    static let schema = OptionSchema(
        [status, reason] as [any ConfigKeyDeclaration] + BodyKeys.keys
    )

    /// A response: a status code, or options.
    static let type = OptionType<Response>(
        name: "response",
        schema: ["anyOf": [["type": "integer"], schema.jsonSchema()]]
    ) { node, context in
        if node.text != nil {
            return OptionType<Int>.integer(in: 100...999).decode(node, &context).map {
                Response(status: $0)
            }
        }
        guard let options = schema.decode(node, &context) else { return nil }
        var response = Response(
            status: options[status],
            reason: ByteString(options[reason]),
            version: ByteString(options[BodyKeys.version]),
            fields: options[BodyKeys.headers],
            trailers: options[BodyKeys.trailers]
        )
        guard let body = BodyKeys.read(options, &response.fields, &context) else { return nil }
        response.body = body
        return response
    }
}
