// SPDX-License-Identifier: MIT

internal import TaplinePlugin

extension LuaAPI {
    /// The global functions and the libraries.
    static let libraries: [LuaGroup] = [
        LuaGroup(
            "",
            "tapline.Globals",
            "Verdicts and the log.",
            [
                .function("log", "(...: any)", "Writes a line to the log, at the level info."),
                .function("print", "(...: any)", "The same as log."),
                .function("require", "(name: string): any", "Loads a module beside the script."),
                .function(
                    "respond",
                    "(reply: tapline.Reply): tapline.Verdict",
                    "Answers in the server's place.",
                    in: .passing
                ),
                .function(
                    "drop",
                    "(reason?: string): tapline.Verdict",
                    "Keeps no record; in hook 'message', passes the message on to nobody."
                ),
                .function(
                    "delay",
                    "(seconds: number, verdict?: tapline.Verdict): tapline.Verdict",
                    "Waits first.",
                    in: .passing
                ),
                .function("abort", "(): tapline.Verdict", "Closes the connection.", in: .wire),
            ]
        ),
        LuaGroup(
            "reply",
            "tapline.Reply",
            "What respond takes.",
            isValue: true,
            [
                .field("status", "integer?", "The status code, 200 when left out.", in: .passing),
                .field("reason", "string?", "The reason phrase.", in: .passing),
                .field("headers", "table?", "Names and values, or a list of pairs.", in: .passing),
                .field("body", "string?", "The body.", in: .passing),
                .field("json", "any", "The body as a value.", in: .passing),
                .field("file", "string?", "The body's file, below the folder.", in: .passing),
            ]
        ),
        LuaGroup(
            "log",
            "tapline.Log",
            "Lines of the log by how grave they are.",
            ["debug", "info", "warn", "error"].map { level in
                .function(level, "(...: any)", "Writes a line at the level '\(level)'.")
            }
        ),
        LuaGroup(
            "json",
            "tapline.JSON",
            "JSON, with null, empty arrays and 64-bit integers kept.",
            [
                .function("decode", "(text: string): any", "The value of a JSON text."),
                .function("encode", "(value: any): string", "The JSON text of a value."),
                .function("array", "(list?: table): table", "Marks a table as an array."),
                .field("null", "tapline.Null", "The value null."),
            ]
        ),
        LuaGroup(
            "base64",
            "tapline.Base64",
            "Base64 of both alphabets.",
            [
                .function("encode", "(text: string): string", "With + and /, padded."),
                .function(
                    "encode_url",
                    "(text: string, padded?: boolean): string",
                    "With - and _, not padded unless asked for."
                ),
                .function(
                    "decode",
                    "(text: string): string?, string?",
                    "Either alphabet, padded or not; nil and why for what is neither."
                ),
            ]
        ),
        LuaGroup("hash", "tapline.Hash", "Digests and authentication codes.", hashes),
        LuaGroup("re", "tapline.RE", "Regular expressions (RE2).", expressions),
        LuaGroup("url", "tapline.URL", "URLs and query strings.", urls),
        LuaGroup("time", "tapline.Time", "The time, which stands still in a call.", times),
        LuaGroup(
            "uuid",
            "tapline.UUID",
            "Identifiers.",
            [
                .function("v4", "(): string", "A random UUID."),
                .function("v7", "(): string", "A UUID that sorts by time."),
            ]
        ),
        LuaGroup(
            "jwt",
            "tapline.JWT",
            "JSON web tokens.",
            [
                .function(
                    "decode",
                    "(token: string): table?, string?",
                    "Header, payload and signature, nothing verified; nil and why for no token."
                )
            ]
        ),
        LuaGroup("shared", "tapline.Shared", "A store that all lanes share.", store),
    ]

    private static let hashes: [LuaMember] =
        ["md5", "sha1", "sha256", "sha384", "sha512"].map { name in
            .function(
                name,
                "(text: string, form?: \"hex\"|\"raw\"|\"base64\"|\"base64url\"): string",
                "The digest \(name.uppercased())."
            )
        }
        + ["sha1", "sha256", "sha384", "sha512"].map { name in
            .function(
                "hmac_\(name)",
                "(key: string, text: string, form?: \"hex\"|\"raw\"|\"base64\"|\"base64url\"): string",
                "The authentication code with \(name.uppercased())."
            )
        } + [
            .function(
                "equal",
                "(left: string, right: string): boolean",
                "Compares in a time that tells nothing."
            )
        ]

    private static let expressions: [LuaMember] = [
        .function(
            "match",
            "(text: string, pattern: string, init?: integer): ...",
            "The groups of the first match, or all of it; nil without one."
        ),
        .function(
            "find",
            "(text: string, pattern: string, init?: integer): integer?, integer?, ...",
            "Where the first match begins and ends, and its groups."
        ),
        .function(
            "captures",
            "(text: string, pattern: string, init?: integer): table?",
            "The groups by number and name, 0 being the whole match."
        ),
        .function("gmatch", "(text: string, pattern: string): fun(): ...", "All matches, in turn."),
        .function(
            "gsub",
            "(text: string, pattern: string, with: string|table|function, most?: integer): string, integer",
            "Replaces matches; gives how many."
        ),
        .function("quote", "(text: string): string", "The pattern that matches just a text."),
    ]

    private static let urls: [LuaMember] = [
        .function("parse", "(url: string): table?, string?", "The parts of a URL; nil and why."),
        .function("build", "(parts: table): string", "The URL of its parts."),
        .function("join", "(base: string, reference: string): string", "What a link leads to."),
        .function("encode", "(text: string): string", "Percent-encodes what is not unreserved."),
        .function("decode", "(text: string): string", "Percent-decodes; a plus sign stays."),
        .function("parse_query", "(query: string): string[][]", "The pairs of a query string."),
        .function("build_query", "(pairs: table): string", "The query string of pairs."),
    ]

    private static let times: [LuaMember] = [
        .function("now", "(): number", "Seconds since 1970, with a fraction."),
        .function("epoch", "(): integer", "Whole seconds since 1970."),
        .function("ms", "(): integer", "Milliseconds since 1970."),
        .function("iso8601", "(seconds?: number): string", "As in 2026-11-20T14:03:00Z."),
        .function("http", "(seconds?: number): string", "As in the field Date."),
        .function(
            "parse",
            "(text: string): number?, string?",
            "The seconds of either notation; nil and why for what is none."
        ),
    ]

    private static let store: [LuaMember] = [
        .function("get", "(key: string): string|number|boolean|nil", "The value of a key."),
        .function(
            "set",
            "(key: string, value: string|number|boolean|nil, ttl?: number): boolean",
            "Stores a value, for so many seconds where given; nil deletes."
        ),
        .function(
            "add",
            "(key: string, value: string|number|boolean, ttl?: number): boolean",
            "Stores a value unless there is one; whether it did."
        ),
        .function(
            "incr",
            "(key: string, step?: number, ttl?: number): number",
            "Adds to a number that begins at 0; the sum."
        ),
        .function("delete", "(key: string): boolean", "Deletes a key; whether there was one."),
    ]
}
