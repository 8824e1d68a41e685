// SPDX-License-Identifier: MIT

internal import TaplinePlugin

extension LuaAPI {
    /// The global functions and the libraries.
    static let libraries: [LuaGroup] = [
        LuaGroup(
            "",
            "tapline.Globals",
            "Verdicts and logging.",
            [
                .function("log", "(...: any)", "Writes a line to the log at the level info."),
                .function("print", "(...: any)", "The same as log."),
                .function("require", "(name: string): any", "Loads a module beside the script."),
                .function(
                    "respond",
                    "(reply: tapline.Reply): tapline.Verdict",
                    "Sends a response instead of the server's.",
                    in: .passing
                ),
                .function(
                    "drop",
                    "(reason?: string): tapline.Verdict",
                    "Drops the record; in hook 'message', drops the message."
                ),
                .function(
                    "delay",
                    "(seconds: number, verdict?: tapline.Verdict): tapline.Verdict",
                    "Delays the exchange or another verdict.",
                    in: .passing
                ),
                .function("abort", "(): tapline.Verdict", "Closes the connection.", in: .wire),
            ]
        ),
        LuaGroup(
            "reply",
            "tapline.Reply",
            "The argument of respond.",
            isValue: true,
            [
                .field("status", "integer?", "The status code; 200 by default.", in: .passing),
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
            "Log functions by level.",
            ["debug", "info", "warn", "error"].map { level in
                .function(level, "(...: any)", "Writes a line at the level '\(level)'.")
            }
        ),
        LuaGroup(
            "json",
            "tapline.JSON",
            "JSON that preserves null, empty arrays and 64-bit integers.",
            [
                .function("decode", "(text: string): any", "Decodes a JSON text."),
                .function("encode", "(value: any): string", "Encodes a value as JSON text."),
                .function("array", "(list?: table): table", "Marks a table as an array."),
                .field("null", "tapline.Null", "The value null."),
            ]
        ),
        LuaGroup(
            "base64",
            "tapline.Base64",
            "Base64 with both alphabets.",
            [
                .function("encode", "(text: string): string", "With + and /, padded."),
                .function(
                    "encode_url",
                    "(text: string, padded?: boolean): string",
                    "With - and _; padded if requested."
                ),
                .function(
                    "decode",
                    "(text: string): string?, string?",
                    "Accepts both alphabets, padded or not; nil and the reason on failure."
                ),
            ]
        ),
        LuaGroup("hash", "tapline.Hash", "Digests and authentication codes.", hashes),
        LuaGroup("re", "tapline.RE", "Regular expressions (RE2).", expressions),
        LuaGroup("url", "tapline.URL", "URLs and query strings.", urls),
        LuaGroup("time", "tapline.Time", "The time, constant during a call.", times),
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
                    "Header, payload and signature, unverified; nil and the reason on failure."
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
                "Compares in constant time."
            )
        ]

    private static let expressions: [LuaMember] = [
        .function(
            "match",
            "(text: string, pattern: string, init?: integer): ...",
            "The groups of the first match, or the whole match; nil if there is none."
        ),
        .function(
            "find",
            "(text: string, pattern: string, init?: integer): integer?, integer?, ...",
            "The start and end of the first match, and its groups."
        ),
        .function(
            "captures",
            "(text: string, pattern: string, init?: integer): table?",
            "The groups by number and name; 0 is the whole match."
        ),
        .function(
            "gmatch",
            "(text: string, pattern: string): fun(): ...",
            "Iterates over matches."
        ),
        .function(
            "gsub",
            "(text: string, pattern: string, with: string|table|function, most?: integer): string, integer",
            "Replaces matches; returns the text and their number."
        ),
        .function("quote", "(text: string): string", "A pattern that matches exactly this text."),
    ]

    private static let urls: [LuaMember] = [
        .function("parse", "(url: string): table?, string?", "The parts of a URL, or nil and why."),
        .function("build", "(parts: table): string", "Builds a URL from its parts."),
        .function("join", "(base: string, reference: string): string", "Resolves a reference."),
        .function("encode", "(text: string): string", "Percent-encodes all but unreserved bytes."),
        .function("decode", "(text: string): string", "Percent-decodes; keeps plus signs."),
        .function("parse_query", "(query: string): string[][]", "The pairs of a query string."),
        .function("build_query", "(pairs: table): string", "The query string of pairs."),
    ]

    private static let times: [LuaMember] = [
        .function("now", "(): number", "Seconds since 1970, with a fraction."),
        .function("epoch", "(): integer", "Whole seconds since 1970."),
        .function("ms", "(): integer", "Milliseconds since 1970."),
        .function("iso8601", "(seconds?: number): string", "A time as in 2026-11-20T14:03:00Z."),
        .function("http", "(seconds?: number): string", "A time in the format of the Date field."),
        .function(
            "parse",
            "(text: string): number?, string?",
            "Reads both formats as seconds since 1970; nil and the reason on failure."
        ),
    ]

    private static let store: [LuaMember] = [
        .function("get", "(key: string): string|number|boolean|nil", "The value of a key."),
        .function(
            "set",
            "(key: string, value: string|number|boolean|nil, ttl?: number): boolean",
            "Stores a value, for ttl seconds if given; nil deletes."
        ),
        .function(
            "add",
            "(key: string, value: string|number|boolean, ttl?: number): boolean",
            "Stores a value if the key is absent; returns whether it did."
        ),
        .function(
            "incr",
            "(key: string, step?: number, ttl?: number): number",
            "Adds to a number that starts at 0; returns the sum."
        ),
        .function("delete", "(key: string): boolean", "Deletes a key; returns whether it existed."),
    ]
}
