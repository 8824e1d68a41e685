// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A message of Lua or of its libraries without anything that a script computed.
///
/// Some messages of Lua contain values: type names, which a script sets with `__name`, options and
/// formats. Messages of known forms are rebuilt from their parts. In other messages, quoted words
/// are kept only if they are words of Tapline or of Lua, or names in the text of the script.
struct SanitizedLuaMessage {
    /// The message that may be shown.
    private(set) var text: [UInt8] = []
    private let words: ScriptIdentifiers

    /// Reads a message without its position.
    init(_ message: [UInt8], _ words: ScriptIdentifiers) {
        self.words = words
        let rest = message[...]
        if appendAttempt(rest) || appendArgument(rest) || appendLoop(rest) { return }
        text = []
        var tail = rest
        if tail.take("integral size (") {
            // The size is a number from the format.
            append("integral size out of limits")
        } else if tail.take("number "), tail.split("has no integer representation") != nil {
            append("number has no integer representation")
        } else {
            appendQuoted(rest)
        }
    }

    private mutating func append(_ string: String) { text += string.utf8 }

    /// The operations in Lua's messages "attempt to …".
    private static let verbs = [
        "perform arithmetic on", "perform bitwise operation on", "concatenate", "index", "call",
        "get length of",
    ]

    /// Lua's words for the origin of a value.
    private static let variables = [
        "local", "global", "upvalue", "field", "method", "for iterator", "metamethod",
    ]

    /// The names of types.
    ///
    /// A script could set one of these names as `__name`, which would reveal nothing.
    fileprivate static let types = [
        "nil", "boolean", "number", "string", "table", "function", "light userdata", "userdata",
        "thread", "no value",
    ]
}

// MARK: - Known forms

extension SanitizedLuaMessage {
    /// Appends `attempt to index a nil value (local 'cart')`; returns `false` for another form.
    private mutating func appendAttempt(_ message: ArraySlice<UInt8>) -> Bool {
        var rest = message
        guard rest.take("attempt to ") else { return false }
        if rest.take("compare ") {
            appendComparison(rest)
            return true
        }
        guard let verb = rest.takeOne(of: SanitizedLuaMessage.verbs), rest.take(" a ") else {
            return false
        }
        append("attempt to \(verb) a ")
        let type = rest.takeType()
        if let type, rest.take(" value"), rest.isEmpty || rest.starts(with: " (".utf8) {
            append("\(type) value")
            appendVariable(rest)
        } else {
            append("value")
        }
        return true
    }

    /// Appends `compare two table values` or `compare number with string`.
    private mutating func appendComparison(_ message: ArraySlice<UInt8>) {
        var (same, pair) = (message, message)
        if same.take("two "), let type = same.takeType(), same.elementsEqual(" values".utf8) {
            append("attempt to compare two \(type) values")
        } else if let left = pair.takeType(), pair.take(" with "), let right = pair.takeType(),
            pair.isEmpty
        {
            append("attempt to compare \(left) with \(right)")
        } else {
            append("attempt to compare two values")
        }
    }

    /// Appends the origin of a value: `(local 'cart')`.
    private mutating func appendVariable(_ message: ArraySlice<UInt8>) {
        var rest = message
        guard rest.take(" ("), let kind = rest.takeOne(of: SanitizedLuaMessage.variables),
            rest.take(" '"),
            let (name, end) = rest.split("'"), end.elementsEqual("')".utf8)
        else { return }
        // The names of metamethods and iterators come from Lua.
        let isOfLua = kind == "for iterator" || kind == "metamethod"
        guard isOfLua ? name.isPlainWord : isKnown(name) else { return }
        append(" (\(kind) '")
        text += name
        append("')")
    }

    /// Appends `bad argument #1 to 'rep' (number expected, got table)`; returns `false` for another
    /// form.
    private mutating func appendArgument(_ message: ArraySlice<UInt8>) -> Bool {
        var rest = message
        let isSelf = rest.take("calling '")
        if !isSelf {
            guard rest.take("bad argument #") else { return false }
            rest = rest.drop(while: \.isDigit)
            guard rest.take(" to '") else { return false }
        }
        let mark = isSelf ? "' on bad self (" : "' ("
        guard let (name, tail) = rest.split(mark) else { return false }
        text += message[..<rest.startIndex]
        if isKnown(name) { text += name } else { append("?") }
        append(mark)
        let end = tail.dropFirst(mark.utf8.count)
        if !appendExpectation(end) { appendQuoted(end) }
        return true
    }

    /// Appends `bad 'for' limit (number expected, got table)`; returns `false` for another form.
    private mutating func appendLoop(_ message: ArraySlice<UInt8>) -> Bool {
        var rest = message
        guard rest.take("bad 'for' "),
            let part = rest.takeOne(of: ["limit", "step", "initial value", "initial"]),
            rest.take(" (")
        else { return false }
        append("bad 'for' \(part) (")
        return appendExpectation(rest)
    }

    /// Appends the expected and the actual type: `number expected, got table)`.
    private mutating func appendExpectation(_ message: ArraySlice<UInt8>) -> Bool {
        let mark = " expected, got "
        guard let (expected, tail) = message.split(mark), expected.isPlainWord else { return false }
        text += expected
        append(" expected")
        var end = tail.dropFirst(mark.utf8.count)
        if let type = end.takeType(), end.elementsEqual(")".utf8) { append(", got \(type)") }
        append(")")
        return true
    }
}

// MARK: - Quoted words

extension SanitizedLuaMessage {
    /// Copies a message up to the first quoted word that may be a value.
    ///
    /// A value may contain quotes itself, so the text after it is not trusted. A quote within a
    /// word is an apostrophe.
    private mutating func appendQuoted(_ message: ArraySlice<UInt8>) {
        var index = message.startIndex
        while index < message.endIndex {
            let quote = message[index]
            let isQuote = quote == .ascii("\"") || quote == .ascii("'")
            if !isQuote || index > message.startIndex && message[index - 1].isLetter {
                text.append(quote)
                index += 1
                continue
            }
            guard let end = message[(index + 1)...].firstIndex(of: quote),
                mayBeShown(message[index + 1..<end], after: message[..<index])
            else { return append("'…'") }
            text += message[index...end]
            index = end + 1
        }
    }

    private func mayBeShown(_ word: ArraySlice<UInt8>, after before: ArraySlice<UInt8>) -> Bool {
        if isOwn(word) { return true }
        if SanitizedLuaMessage.namePrefixes.contains(where: before.ends) {
            return words.hasName(ByteString(Array(word)))
        }
        return SanitizedLuaMessage.ownPrefixes.contains(where: before.ends) && word.isPlainWord
    }

    /// Whether a word belongs to Tapline or Lua, or is a name in the text of the script.
    private func isKnown(_ word: ArraySlice<UInt8>) -> Bool {
        isOwn(word) || words.hasName(ByteString(Array(word)))
    }

    private func isOwn(_ word: ArraySlice<UInt8>) -> Bool {
        SanitizedLuaMessage.ownWords.contains(ByteString(Array(word)))
    }

    /// Words that Lua itself puts in quotes, and words in Tapline's messages that follow none of
    /// `ownPrefixes`.
    private static let ownWords: Set<ByteString> = [
        "for", "n//0", "n%0", "n%%0", "?", "nil", "boolean", "number", "string", "table",
        "function", "userdata", "thread", "max_memory", "max_table", "max_buffer",
        "capture_max_bytes", "shared_max_bytes", "truncated", "messages", "Accept", "Name", "name",
        "value", "count", "for iterator", "__tostring", "[", "]", "%", "%b", "%f", "_", "-",
        "ex", "__index", "__newindex", "%q", "z", "c",
    ]

    /// The text before a quoted word in Tapline's messages.
    private static let ownPrefixes = [
        "field ", " to ", "function ", "in table for ", "hook ", "mean ", "set ", "of ", "write ",
        "with ", "as ", "expected ",
    ]

    /// The text before a name, which may be a string of the script.
    private static let namePrefixes = [
        "(field ", "(local ", "(global ", "(upvalue ", "(method ", "variable ",
    ]
}

// MARK: - Syntax

extension SanitizedLuaMessage {
    /// Returns a message of Lua's compiler without the script's strings and numbers.
    static func syntax(_ message: [UInt8]) -> [UInt8] {
        let mark = " near '"
        guard let (start, near) = message[...].split(mark) else { return message }
        let token = Array(near.dropFirst(mark.utf8.count).dropLast())
        let first = token.first ?? 0
        let second = token.count > 1 ? token[1] : 0
        if first.isDigit || first == .ascii(".") && second.isDigit {
            return Array(start) + " near a number".utf8
        }
        let isQuoted = token.count > 1 && (first == .ascii("\"") || first == .ascii("'"))
        let isLong = first == .ascii("[") && (second == .ascii("[") || second == .ascii("="))
        if isQuoted || isLong { return Array(start) + " near a string".utf8 }
        return Array(start) + (token.count <= 64 ? Array(near) : Array(" near '…'".utf8))
    }
}

extension ArraySlice<UInt8> {
    /// Removes a word from the front; returns `false` if the text does not begin with it.
    fileprivate mutating func take(_ word: String) -> Bool {
        guard starts(with: word.utf8) else { return false }
        removeFirst(word.utf8.count)
        return true
    }

    /// Removes the first of some words that the text begins with, and returns it.
    fileprivate mutating func takeOne(of words: [String]) -> String? {
        words.first { take($0) }
    }

    /// Removes the name of a type from the front, and returns it.
    fileprivate mutating func takeType() -> String? { takeOne(of: SanitizedLuaMessage.types) }

    /// The text before the first occurrence of a word, and the rest, which begins with the word.
    fileprivate func split(_ word: String) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
        let word = Array(word.utf8)
        var index = startIndex
        while index + word.count <= endIndex {
            if self[index..<index + word.count].elementsEqual(word) {
                return (self[..<index], self[index...])
            }
            index += 1
        }
        return nil
    }

    fileprivate func ends(_ ending: String) -> Bool {
        suffix(ending.utf8.count).elementsEqual(ending.utf8)
    }

    /// Whether it can be a word of Tapline's messages, which are short and have little punctuation.
    fileprivate var isPlainWord: Bool {
        count <= 64
            && allSatisfy { byte in
                byte.isLetter || byte.isDigit || "_.:? ()[]{}=\"/".utf8.contains(byte)
            }
    }
}
