// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
public import TaplinePlugin

extension StagePlugin {
    /// The stage `limit_body`: cuts what is kept of bodies.
    public static var limitBody: StagePlugin {
        StagePlugin(
            name: "limit_body",
            summary: "Cuts what is kept of bodies; live traffic stays as it is.",
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
        summary: "The most bytes that are kept of a body.",
        example: "64KiB"
    )
    static let skip = ConfigKey(
        "skip",
        .list(of: .string, acceptsSingle: true),
        default: [],
        summary: "Media types of which nothing is kept but the size.",
        example: "[image/*, video/*]"
    )
    static let request = ConfigKey(
        "request",
        .optional(.object(direction)),
        default: nil,
        summary: "What is different for requests.",
        example: "{ max_bytes: 4KiB }"
    )
    static let response = ConfigKey(
        "response",
        .optional(.object(direction)),
        default: nil,
        summary: "What is different for responses.",
        example: "{ skip: [text/html] }"
    )
    static let messages = ConfigKey(
        "messages",
        .optional(.object(OptionSchema(partMaxBytes))),
        default: nil,
        summary: "What is different for each WebSocket message and each event.",
        example: "{ max_bytes: 1KiB }"
    )

    private static let partMaxBytes = ConfigKey(
        "max_bytes",
        .optional(.byteSize),
        default: nil,
        summary: "The most bytes that are kept.",
        example: "4KiB"
    )
    private static let partSkip = ConfigKey(
        "skip",
        .optional(.list(of: .string, acceptsSingle: true)),
        default: nil,
        summary: "Media types of which nothing is kept, in place of those for both directions.",
        example: "[text/html]"
    )
    private static let direction = OptionSchema(partMaxBytes, partSkip)

    static let schema = OptionSchema(maxBytes, skip, request, response, messages)

    /// The limits; what a direction does not say, both share.
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
