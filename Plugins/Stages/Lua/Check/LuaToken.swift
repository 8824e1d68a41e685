// SPDX-License-Identifier: MIT

/// A keyword, name, literal or symbol of a script (reference manual of Lua 5.4, §3.1).
struct LuaToken {
    /// The kinds of tokens; keywords and symbols are identified by their text.
    enum Kind: Equatable {
        case end
        case name
        case string
        case number
        case symbol(String)
    }

    var kind: Kind
    /// Its range in the script, in bytes.
    var range: Range<Int>
    /// The text of a name, or of a string without escapes.
    var text = ""

    static let keywords: Set<String> = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if",
        "in", "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
    ]

    /// Its description in messages.
    var description: String {
        switch kind {
        case .end: "the end of the script"
        case .name: "'\(text)'"
        case .string: "a string"
        case .number: "a number"
        case .symbol(let symbol): "'\(symbol)'"
        }
    }
}

/// A syntax error in a script.
struct LuaSyntaxError: Error, Equatable {
    let message: String
    let range: Range<Int>
    var help: String?
}
