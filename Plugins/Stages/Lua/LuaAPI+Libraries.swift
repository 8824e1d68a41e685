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
                .function("log", "(...: any)", "Writes a line to the log."),
                .function("print", "(...: any)", "The same as log."),
                .function(
                    "respond",
                    "(reply: tapline.Reply): tapline.Verdict",
                    "Answers in the server's place.",
                    in: .wire
                ),
                .function("drop", "(reason?: string): tapline.Verdict", "Keeps no record."),
                .function(
                    "delay",
                    "(seconds: number, verdict?: tapline.Verdict): tapline.Verdict",
                    "Waits first.",
                    in: .wire
                ),
                .function("abort", "(): tapline.Verdict", "Closes the connection.", in: .wire),
            ]
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
            "reply",
            "tapline.Reply",
            "What respond takes.",
            [
                .field("status", "integer?", "The status code, 200 when left out.", in: .wire),
                .field("reason", "string?", "The reason phrase.", in: .wire),
                .field("headers", "table?", "Names and values, or a list of pairs.", in: .wire),
                .field("body", "string?", "The body.", in: .wire),
                .field("json", "any", "The body as a value.", in: .wire),
            ]
        ),
    ]
}
