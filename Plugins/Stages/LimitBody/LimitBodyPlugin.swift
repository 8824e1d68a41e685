// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
public import TaplinePlugin

extension StagePlugin {
    /// The stage `limit_body`: limits how much of a body is kept.
    public static var limitBody: StagePlugin {
        StagePlugin(
            name: "limit_body",
            summary: "Limits how much of a body is kept; live traffic is unchanged.",
            options: LimitBodyOptions.schema,
            build: { options, _ in LimitBodyOptions.factory(options) }
        )
    }
}

/// The options of `limit_body`.
enum LimitBodyOptions {
    static let maxBytes = ConfigKey(
        "max_bytes",
        .byteSize,
        default: 65_536,
        summary: "Maximum number of bytes to keep of a body.",
        example: "64KiB"
    )
    static let skip = ConfigKey(
        "skip",
        .list(of: .text, acceptsSingle: true),
        default: [],
        summary: "Media types whose bodies are dropped; only their size is kept.",
        example: "[image/*, video/*]"
    )
    static let request = ConfigKey(
        "request",
        .optional(.object(direction)),
        default: nil,
        summary: "Overrides for requests.",
        example: "{ max_bytes: 4KiB }"
    )
    static let response = ConfigKey(
        "response",
        .optional(.object(direction)),
        default: nil,
        summary: "Overrides for responses.",
        example: "{ skip: [text/html] }"
    )
    static let messages = ConfigKey(
        "messages",
        .optional(.object(OptionSchema(partMaxBytes))),
        default: nil,
        summary: "Overrides for each WebSocket message and each server-sent event.",
        example: "{ max_bytes: 1KiB }"
    )

    private static let partMaxBytes = ConfigKey(
        "max_bytes",
        .optional(.byteSize),
        default: nil,
        summary: "Maximum number of bytes to keep.",
        example: "4KiB"
    )
    private static let partSkip = ConfigKey(
        "skip",
        .optional(.list(of: .text, acceptsSingle: true)),
        default: nil,
        summary: "Media types whose bodies are dropped; replaces the shared list.",
        example: "[text/html]"
    )
    private static let direction = OptionSchema(partMaxBytes, partSkip)

    static let schema = OptionSchema(maxBytes, skip, request, response, messages)

    /// Creates the factory; a direction without an option of its own uses the shared one.
    static func factory(_ options: Options) -> LimitBodyFactory {
        LimitBodyFactory(
            request: limit(options, options[request]),
            response: limit(options, options[response]),
            messages: BodyLimit(
                maxBytes: options[messages]?[partMaxBytes] ?? options[maxBytes],
                skip: []
            )
        )
    }

    private static func limit(_ options: Options, _ part: Options?) -> BodyLimit {
        let types = part?[partSkip] ?? options[skip]
        return BodyLimit(
            maxBytes: part?[partMaxBytes] ?? options[maxBytes],
            skip: types.map { Glob($0, ignoringCase: true) }
        )
    }
}
