// SPDX-License-Identifier: MIT

internal import TaplinePlugin

extension LuaAPI {
    /// `ex` and its parts.
    static let exchange: [LuaGroup] = [
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
                .field("tls", "tapline.TLS?", "TLS on the client's leg; nil without."),
                .field("server_tls", "tapline.TLS?", "TLS on the server's leg; nil without."),
                .field("connection", "tapline.Connection", "The client's connection."),
                .field("bytes", "tapline.Bytes?", "Bytes on the client's leg; nil if not counted."),
                .field("original", "tapline.Original", "Values before wire hooks changed them."),
                .field("error", "tapline.Error?", "The error; nil if there was none."),
                .field("messages", "tapline.Message[]", "WebSocket messages and events."),
                .field("grpc", "tapline.GRPC?", "The gRPC call; nil if it is none."),
                .field("tags", "tapline.Notes", "Notes that sinks store."),
                .field("vars", "tapline.Notes", "Notes discarded with the exchange."),
                .field("request", "tapline.Request", "The request."),
                .field("response", "tapline.Response?", "The response; nil if there is none."),
            ]
        ),
        LuaGroup(
            "ex.timing",
            "tapline.Timing",
            "Durations in milliseconds; nil if unknown.",
            ["dns", "connect", "tls", "send", "wait", "receive", "total"].map { phase in
                .field("\(phase)_ms", "number?", "Milliseconds of the phase '\(phase)'.")
            }
        ),
        LuaGroup("ex.tls", "tapline.TLS", "TLS parameters of the client's leg.", tls),
        LuaGroup("ex.server_tls", "tapline.TLS", "TLS parameters of the server's leg.", tls),
        LuaGroup(
            "ex.connection",
            "tapline.Connection",
            "The client's connection.",
            [.field("reused", "boolean?", "Whether it carried an exchange before.")]
        ),
        LuaGroup(
            "ex.bytes",
            "tapline.Bytes",
            "Bytes on the client's leg.",
            [
                .field("up", "integer?", "Bytes from the client."),
                .field("down", "integer?", "Bytes to the client."),
                .field("exact", "boolean?", "Whether they were counted on the wire."),
            ]
        ),
        LuaGroup(
            "ex.grpc",
            "tapline.GRPC",
            "The gRPC call that the exchange is.",
            [
                .field("service", "string?", "The service: shop.v1.Orders."),
                .field("method", "string?", "The method: Get."),
                .field("status", "string?", "The name of the final status: OK, NOT_FOUND."),
                .field("message", "string?", "The message of the final status."),
                .field("messages", "table?", "The messages as tables."),
                .field("left_out", "integer?", "The number of messages that are not listed."),
            ]
        ),
        LuaGroup(
            "ex.original",
            "tapline.Original",
            "The values before wire hooks changed them.",
            [
                .field("method", "string?", "The original method."),
                .field("url", "string?", "The original URL."),
                .field("status", "integer?", "The original status."),
            ]
        ),
        LuaGroup(
            "ex.error",
            "tapline.Error",
            "Why the response is missing or incomplete.",
            [
                .field("code", "string?", "A short word: reset, dns, aborted."),
                .field("message", "string?", "A readable description."),
            ]
        ),
        LuaGroup(
            "message",
            "tapline.Message",
            "A WebSocket message or a server-sent event.",
            isValue: true,
            [
                .field("dir", "\"up\"|\"down\"", "The direction."),
                .field("at_ms", "number?", "Milliseconds since the start."),
                .field("type", "string", "text, binary, close, ping, pong or event."),
                .field("code", "integer?", "The status of a close."),
                .field("text", "string", "The kept bytes.", writable: [.message, .record]),
                .method(
                    "json",
                    "(): any",
                    "The text decoded as JSON; a value may be assigned.",
                    writable: [.message, .record]
                ),
                .field("size", "integer?", "The size on the wire."),
                .field("truncated", "boolean", "Whether bytes are missing at the end."),
                .field("event", "string?", "The event type set by the server."),
                .field("id", "string?", "The last event id set by the server."),
            ]
        ),
        LuaGroup("ex.tags", "tapline.Notes", "Notes by name; nil removes.", others: "string?", []),
        LuaGroup("ex.vars", "tapline.Notes", "Notes by name; nil removes.", others: "string?", []),
    ]

    private static let tls: [LuaMember] = [
        .field("version", "string?", "The version, such as TLSv1.3."),
        .field("cipher", "string?", "The cipher suite."),
        .field("sni", "string?", "The requested server name."),
        .field("alpn", "string?", "The application protocol."),
    ]
}
