// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery

/// The exchange of a test as its file gives it: inline, or from a recording.
enum ExchangeKeys {
    static let request = ConfigKey(
        "request",
        RequestKeys.type.optional,
        default: nil,
        summary: "The request as the client sends it: options, or one line.",
        example: "GET https://shop.test/cart",
        interpolates: false
    )
    static let response = ConfigKey(
        "response",
        ResponseKeys.type.optional,
        default: nil,
        summary: "The server's response; without it and without `error`, 200 with no body.",
        example: "{ status: 404 }",
        interpolates: false
    )
    static let state = ConfigKey(
        "state",
        OptionType<ExchangeState?>.choice(ExchangeState.allCases.map { ($0.name, $0) }),
        default: nil,
        summary: "How it ends; by default completed if there is a response, otherwise failed.",
        interpolates: false
    )
    static let error = ConfigKey(
        "error",
        ErrorKeys.type.optional,
        default: nil,
        summary: "Why there is no response: `code` and `message`.",
        example: "{ code: reset, message: connection reset }",
        interpolates: false
    )
    static let started = ConfigKey(
        "started",
        OptionType<Timestamp>.timestamp.optional,
        default: nil,
        summary: "When it begins; by default the time of `clock`.",
        example: "2026-01-01T00:00:00Z",
        interpolates: false
    )
    static let duration = ConfigKey(
        "duration",
        OptionType<Duration>.duration.optional,
        default: nil,
        summary: "How long the whole exchange takes.",
        example: "250ms",
        interpolates: false
    )
    static let source = ConfigKey(
        "source",
        OptionType<String>.text,
        default: "test",
        summary: "The component that captures it.",
        interpolates: false
    )
    static let client = ConfigKey(
        "client",
        OptionType<String>.text,
        default: "127.0.0.1:50000",
        summary: "The client's address and port.",
        interpolates: false
    )
    static let server = ConfigKey(
        "server",
        OptionType<String>.text,
        default: "",
        summary: "The server's address and port.",
        example: "127.0.0.1:8443",
        interpolates: false
    )
    static let tags = ConfigKey(
        "tags",
        OptionType<Tags>.tags,
        default: Tags(),
        summary: "Tags that it already has.",
        example: "{ team: checkout }",
        interpolates: false
    )
    static let messages = ConfigKey(
        "messages",
        OptionType<[StreamMessage]>.list(of: MessageKeys.type),
        default: [],
        summary: "WebSocket messages and events: `dir`, `type`, and `text` or `json`.",
        example: "[{ dir: up, text: hello }]",
        interpolates: false
    )
    static let file = ConfigKey(
        "file",
        OptionType<String>.path.located.optional,
        default: nil,
        summary:
            "A recording to use instead, NDJSON or HAR, also compressed; all its exchanges are "
            + "passed on, one after the other.",
        example: "recordings/shop.har",
        interpolates: false
    )
    static let `where` = ConfigKey(
        "where",
        OptionType<Filter>.filter.optional,
        default: nil,
        summary: "Selects exchanges of the recording.",
        example: "path == \"/login\"",
        interpolates: false
    )
    static let index = ConfigKey(
        "index",
        OptionType<Int>.integer(in: 0...1_000_000_000).optional,
        default: nil,
        summary: "Selects one of these, counted from 0.",
        example: "0",
        interpolates: false
    )

    /// The options, in the order of the reference page.
    static let schema = OptionSchema(
        request,
        response,
        state,
        error,
        started,
        duration,
        source,
        client,
        server,
        tags,
        messages,
        file,
        `where`,
        index
    )

    /// An exchange as an option.
    static let type = OptionType<TestExchange>(
        name: "exchange",
        schema: schema.jsonSchema()
    ) { node, context in
        guard let options = schema.decode(node, &context) else { return nil }
        if let file = options[file] { return recorded(file, options, &context) }
        for key in [options.location(ifSet: `where`), options.location(ifSet: index)] {
            guard let key else { continue }
            context.diagnostics.error(
                at: key,
                "this selects from a recording, but there is no 'file'"
            )
            return nil
        }
        guard let request = options[request] else {
            return context.error(
                node,
                "the exchange has no request; expected 'request' or 'file'",
                help: "add 'request: GET https://shop.test/'"
            )
        }
        return .inline(exchange(request, options))
    }

    private static func recorded(
        _ file: Located<String>,
        _ options: Options,
        _ context: inout OptionContext
    ) -> TestExchange? {
        let chosen = ["file", "where", "index"]
        for key in schema.keys where !chosen.contains(key.name) && options.isSet(name: key.name) {
            context.diagnostics.error(
                at: file.location,
                "an exchange is either read from a file or given here; found 'file' and "
                    + "'\(key.name)'"
            )
            return nil
        }
        guard let location = file.location else { return nil }
        return .recorded(
            Recording(
                path: file.value,
                filter: options[`where`],
                index: options[index],
                location: location
            )
        )
    }

    private static func exchange(_ request: Request, _ options: Options) -> InlineExchange {
        var exchange = Exchange(
            id: ExchangeID(high: 0, low: 0),
            source: options[source],
            request: request,
            response: options[response]
        )
        exchange.error = options[error]
        if exchange.response == nil, exchange.error == nil { exchange.response = Response() }
        exchange.state = options[state] ?? (exchange.response == nil ? .failed : .completed)
        exchange.timing.total = options[duration].map { Microseconds($0) }
        exchange.connection = Connection(client: options[client], server: options[server])
        exchange.tags = options[tags]
        exchange.messages = options[messages]
        return InlineExchange(exchange: exchange, started: options[started])
    }
}

/// The error of an exchange in a test.
enum ErrorKeys {
    static let code = ConfigKey(
        "code",
        OptionType<String>.text,
        summary: "A short code.",
        example: "reset",
        interpolates: false
    )
    static let message = ConfigKey(
        "message",
        OptionType<String>.text,
        default: "",
        summary: "A description.",
        interpolates: false
    )
    static let schema = OptionSchema(code, message)

    static let type = OptionType<ExchangeError>(name: "options", schema: schema.jsonSchema()) {
        node,
        context in
        schema.decode(node, &context).map {
            ExchangeError(code: $0[code], message: $0[message])
        }
    }
}

/// A WebSocket message or event in a test.
enum MessageKeys {
    static let direction = ConfigKey(
        "dir",
        OptionType<StreamMessage.Direction>.choice([("up", .up), ("down", .down)]),
        default: .up,
        summary: "Its direction.",
        interpolates: false
    )
    static let kind = ConfigKey(
        "type",
        OptionType<String>.text,
        default: "text",
        summary: "Its kind.",
        interpolates: false
    )
    static let text = ConfigKey(
        "text",
        OptionType<String>.text.optional,
        default: nil,
        summary: "Its text.",
        interpolates: false
    )
    static let json = ConfigKey(
        "json",
        OptionType<ConfigNode?>.node,
        default: nil,
        summary: "Its JSON.",
        interpolates: false
    )
    static let schema = OptionSchema(direction, kind, text, json)

    static let type = OptionType<StreamMessage>(name: "message", schema: schema.jsonSchema()) {
        node,
        context in
        guard let options = schema.decode(node, &context) else { return nil }
        let text = options[json].map { TestValue($0).compactText } ?? options[text] ?? ""
        let bytes = Array(text.utf8)
        return StreamMessage(
            direction: options[direction],
            type: options[kind],
            bytes: bytes,
            size: bytes.count
        )
    }
}
