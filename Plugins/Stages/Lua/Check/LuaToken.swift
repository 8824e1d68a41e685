// SPDX-License-Identifier: MIT

/// One word, name, literal or mark of a script (reference manual of Lua 5.4, §3.1).
struct LuaToken {
    /// What kinds there are; a keyword or mark is known by its text.
    enum Kind: Equatable {
        case end
        case name
        case string
        case number
        case symbol(String)
    }

    var kind: Kind
    /// Where it stands in the script, in bytes.
    var range: Range<Int>
    /// The text of a name; that of a string where it has no escapes.
    var text = ""

    static let keywords: Set<String> = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if",
        "in", "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
    ]

    /// How messages call it.
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

/// What keeps a script from being one.
struct LuaSyntaxError: Error, Equatable {
    let message: String
    let range: Range<Int>
    var help: String?
}
