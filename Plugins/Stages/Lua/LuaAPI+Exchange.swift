// SPDX-License-Identifier: MIT

internal import TaplinePlugin

extension LuaAPI {
    /// `ex` and its parts.
    static let exchange: [LuaGroup] =
        [
            LuaGroup(
                "ex",
                "tapline.Exchange",
                "The exchange that a hook runs over.",
                [
                    .field("id", "string", "The id (UUIDv7) as text."),
                    .field("source", "string?", "The component that captured it."),
                    .field("state", "string?", "completed, failed or cancelled.", in: .record),
                    .field("client", "string?", "The client's address and port."),
                    .field("server", "string?", "The server's address and port."),
                    .field("started", "number", "Seconds since 1970."),
                    .field("timing", "tapline.Timing", "How long the phases took."),
                    .field("tags", "tapline.Notes", "Notes that sinks store."),
                    .field("vars", "tapline.Notes", "Notes that end with the exchange."),
                    .field("request", "tapline.Request", "The request."),
                    .field(
                        "response",
                        "tapline.Response?",
                        "The response; nil where there is none."
                    ),
                ]
            ),
            LuaGroup(
                "ex.timing",
                "tapline.Timing",
                "Milliseconds, where known.",
                ["dns", "connect", "tls", "send", "wait", "receive", "total"].map { phase in
                    .field("\(phase)_ms", "number?", "Milliseconds of the phase '\(phase)'.")
                }
            ),
            LuaGroup(
                "ex.tags",
                "tapline.Notes",
                "Notes by name; nil removes.",
                others: "string?",
                []
            ),
            LuaGroup(
                "ex.vars",
                "tapline.Notes",
                "Notes by name; nil removes.",
                others: "string?",
                []
            ),
        ] + messages

    private static let messages: [LuaGroup] = [
        LuaGroup(
            "ex.request",
            "tapline.Request",
            "The request.",
            [
                .field("method", "string", "The method.", writable: .toServer),
                .field("url", "string", "The whole URL.", writable: .toServer),
                .field("scheme", "string", "http or https.", writable: .toServer),
                .field("host", "string", "The host without the port.", writable: .toServer),
                .field("port", "integer?", "The port, or the scheme's.", writable: .toServer),
                .field("path", "string", "The raw path without the query.", writable: .toServer),
                .field(
                    "query",
                    "tapline.Query",
                    "The items of the query; text may be assigned.",
                    writable: .toServer
                ),
                .field("target", "string", "The request target as sent."),
            ] + content(writable: .toServer)
        ),
        LuaGroup("ex.request.query", "tapline.Query", "Decoded items.", others: "string?", items),
        LuaGroup("ex.request.headers", "tapline.Headers", "Fields.", others: "string?", items),
        LuaGroup(
            "ex.response",
            "tapline.Response",
            "The response.",
            [
                .field("status", "integer", "The status code.", writable: .toClient),
                .field("reason", "string", "The reason phrase.", writable: .toClient),
            ] + content(writable: .toClient)
        ),
        LuaGroup("ex.response.headers", "tapline.Headers", "Fields.", others: "string?", items),
    ]

    /// What requests and responses have alike.
    private static func content(writable: Hooks) -> [LuaMember] {
        [
            .field("version", "string", "The version, such as HTTP/1.1."),
            .field("headers", "tapline.Headers", "The header fields."),
            .field("body", "string", "The decoded body; nil may be assigned.", writable: writable),
            .field("body_size", "integer?", "The size on the wire."),
            .field("body_truncated", "boolean", "Whether bytes are missing at the end."),
            .method("json", "(): any", "The body decoded as JSON, once for each call."),
        ]
    }

    /// What lists of names and values have alike.
    private static let items: [LuaMember] = [
        .method("get", "(name: string): string?", "The first value of a name."),
        .method("all", "(name: string): string[]", "All values of a name."),
        .method("set", "(name: string, value: any)", "Replaces all values of a name; nil removes."),
        .method("add", "(name: string, value: string|number)", "Appends a value."),
    ]
}
