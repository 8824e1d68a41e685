// SPDX-License-Identifier: MIT

internal import TaplinePlugin

extension LuaAPI {
    /// `ex.request`, `ex.response` and their parts.
    static let messages: [LuaGroup] = [
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
                    "tapline.Items",
                    "The items of the query; text can be assigned.",
                    writable: .toServer
                ),
                .field("target", "string", "The request target as sent."),
                .field("cookies", "tapline.Cookies", "Cookies by name."),
            ] + content(writable: .toServer) + [
                .method("form", "(): tapline.Items?", "The items of a form; nil for other types."),
                .method(
                    "multipart",
                    "(): tapline.Parts?, string?",
                    "The parts of the body; nil and the reason if it has none."
                ),
            ]
        ),
        LuaGroup("ex.request.query", "tapline.Items", "Decoded items.", others: "string?", items),
        LuaGroup(
            "form",
            "tapline.Items",
            "The decoded items of a form; assignments change the body.",
            others: "string?",
            isValue: true,
            items
        ),
        LuaGroup(
            "parts",
            "tapline.Parts",
            "The list of the parts of a multipart body.",
            elements: "tapline.Part",
            isValue: true,
            [
                .method(
                    "add",
                    "(part: tapline.Part|table): tapline.Part",
                    "Appends a part."
                )
            ]
        ),
        LuaGroup(
            "part",
            "tapline.Part",
            "A part of a multipart body.",
            isValue: true,
            [
                .field("name", "string?", "The name of the field."),
                .field("filename", "string?", "The name of the file."),
                .field("content_type", "string?", "The type."),
                .field("headers", "table<string, string>", "All fields, by lowercase name."),
                .field("body", "string", "The content.", writable: .toServer),
            ]
        ),
        LuaGroup("ex.request.headers", "tapline.Headers", "Fields.", others: "string?", items),
        trailers(of: "ex.request"),
        LuaGroup(
            "ex.request.cookies",
            "tapline.Cookies",
            "Cookies by name; nil removes.",
            others: "string?",
            [
                .method("get", "(name: string): string?", "The first value of a name."),
                .method("all", "(name: string): string[]", "All values of a name."),
                .method("set", "(name: string, value: any)", "Replaces all cookies of a name."),
            ]
        ),
        LuaGroup(
            "ex.response",
            "tapline.Response",
            "The response.",
            [
                .field("status", "integer", "The status code.", writable: .toClient),
                .field("reason", "string", "The reason phrase.", writable: .toClient),
                .field("cookies", "tapline.SetCookies", "Cookies that the response sets."),
                .field("interim", "table[]", "Interim responses with status, reason, headers."),
            ] + content(writable: .toClient)
        ),
        LuaGroup("ex.response.headers", "tapline.Headers", "Fields.", others: "string?", items),
        trailers(of: "ex.response"),
        LuaGroup(
            "ex.response.cookies",
            "tapline.SetCookies",
            "Cookies by name; nil removes.",
            others: "tapline.Cookie?",
            [
                .method("get", "(name: string): tapline.Cookie?", "The first cookie of a name."),
                .method("all", "(name: string): tapline.Cookie[]", "All cookies of a name."),
                .method("set", "(name: string, cookie: any)", "Replaces all cookies of a name."),
            ]
        ),
        LuaGroup(
            "cookie",
            "tapline.Cookie",
            "A cookie with its attributes; assign the table to write it.",
            isValue: true,
            [
                .field("value", "string", "The value."),
                .field("path", "string?", "Path."),
                .field("domain", "string?", "Domain."),
                .field("expires", "string?", "Expires, an HTTP date."),
                .field("max_age", "integer?", "Max-Age, in seconds."),
                .field("secure", "boolean?", "Secure."),
                .field("http_only", "boolean?", "HttpOnly."),
                .field("same_site", "string?", "SameSite: Strict, Lax or None."),
                .field("partitioned", "boolean?", "Partitioned."),
            ]
        ),
    ]

    /// The members that requests and responses share.
    private static func content(writable: Hooks) -> [LuaMember] {
        [
            .field("version", "string", "The version, such as HTTP/1.1."),
            .field("headers", "tapline.Headers", "The header fields."),
            .field("trailers", "tapline.Trailers", "The trailer fields, read-only."),
            .field("body", "string", "The decoded body; nil empties it.", writable: writable),
            .field("body_size", "integer?", "The size on the wire."),
            .field("body_truncated", "boolean", "Whether bytes are missing at the end."),
            .method(
                "json",
                "(): any",
                "The body decoded as JSON, once per call; a value can be assigned.",
                writable: writable
            ),
        ]
    }

    private static func trailers(of message: String) -> LuaGroup {
        LuaGroup(
            "\(message).trailers",
            "tapline.Trailers",
            "The trailers, read-only.",
            others: "string?",
            [
                .method("get", "(name: string): string?", "The first value of a name."),
                .method("all", "(name: string): string[]", "All values of a name."),
            ]
        )
    }

    /// The members that lists of names and values share.
    private static let items: [LuaMember] = [
        .method("get", "(name: string): string?", "The first value of a name."),
        .method("all", "(name: string): string[]", "All values of a name."),
        .method("set", "(name: string, value: any)", "Replaces all values of a name; nil removes."),
        .method("add", "(name: string, value: string|number)", "Appends a value."),
    ]
}
