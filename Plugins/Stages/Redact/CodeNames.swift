// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Names of functions and keywords that determine the meaning of the strings after them.
enum CodeNames {
    private static let setters: Set<[UInt8]> = words([
        "set", "put", "add", "append", "define", "header", "headers", "with", "insert", "store",
        "save", "write", "push", "env", "setenv", "getenv", "putenv", "setattr", "setcookie",
        "cookie", "property", "prop", "param", "parameter", "field", "attr", "attribute", "option",
        "config", "configure", "entry", "pair", "of", "variable", "var", "bind", "secret", "update",
        "register", "assign", "upsert", "replace", "default", "get", "map", "hmset", "hset",
    ])

    private static let lists: Set<[UInt8]> = words([
        "array", "list", "tuple", "set", "aslist", "listof", "setof", "arrayof", "arraylistof",
        "mutablelistof", "frozenset", "vec",
    ])

    /// Members that describe a value and do not contain one.
    private static let descriptions: Set<[UInt8]> = words([
        "type", "label", "title", "description", "placeholder", "message", "error", "errors",
        "format", "text", "help", "hint", "name", "icon", "class", "classname", "required",
        "pattern", "comment", "tooltip", "summary", "kind", "status", "regex", "component",
        "method", "rules", "validators", "validation", "event", "role", "style", "autocomplete",
        "inputtype", "url", "href", "route", "template", "variant", "alias", "mode", "size",
    ])

    private static let wrappers: Set<[UInt8]> = words([
        "string", "from", "bytes", "bytearray", "secretstr", "secret", "decode", "atob", "btoa",
        "some", "just", "encode", "str", "str_from", "of", "new", "securestring", "strdup",
        "encodeuricomponent", "b64decode", "encodebase64", "decodebase64", "utf8", "quote", "lit",
    ])

    private static func words(_ words: [String]) -> Set<[UInt8]> {
        Set(words.map { Array($0.utf8) })
    }

    /// Whether a function takes a name and a value: `setItem`, `put`, `header`, `Map.of`.
    ///
    /// The first word of its name decides.
    static func isSetter(_ name: Span<UInt8>) -> Bool {
        guard name.count <= 64 else { return false }
        if setters.contains(lowercased(name, name.count)) { return true }
        var end = name.count > 0 && isLetter(name[0]) ? 1 : 0
        // Letters of one case form a word, with an optional capital before them.
        while end < name.count, 0x61...0x7A ~= name[end] { end += 1 }
        return end > 0 && setters.contains(lowercased(name, end))
    }

    /// Whether a function creates a value from its string: `String("…")`, `Buffer.from("…")`.
    static func isWrapper(_ name: Span<UInt8>) -> Bool {
        name.count <= 64 && wrappers.contains(lowercased(name, name.count))
    }

    /// Whether a text is a value of the `credentials` option of `fetch` (Fetch §5.4).
    static func isFetchMode(_ text: Span<UInt8>) -> Bool {
        text.equals("include") || text.equals("same-origin") || text.equals("omit")
    }

    /// Whether a function creates a list of its arguments: `array("…", "…")`, `listOf("…")`.
    static func isList(_ name: Span<UInt8>) -> Bool {
        name.count <= 16 && lists.contains(lowercased(name, name.count))
    }

    /// Whether a word is an access modifier in the output of PHP's `var_dump`.
    static func isAccess(_ word: Span<UInt8>) -> Bool {
        word.equals("protected") || word.equals("private")
    }

    /// Whether a member describes a value: `type`, `label`.
    static func describes(_ name: Span<UInt8>) -> Bool {
        name.count <= 16 && descriptions.contains(lowercased(name, name.count))
    }

    /// Returns where the name of the property begins in the name of its setter: `setPassword`,
    /// `with_token`.
    static func prefixOfSetter(_ name: Span<UInt8>) -> Int? {
        guard name.count > 3 else { return nil }
        let count: Int
        switch name[0] | 0x20 {
        case .ascii("s") where name.extracting(0..<3).equalsIgnoringCase("set"): count = 3
        case .ascii("w") where name.extracting(0..<4).equalsIgnoringCase("with"): count = 4
        default: return nil
        }
        guard name.count > count else { return nil }
        if name[count] == .ascii("_"), name.count > count + 1 { return count + 1 }
        return 0x41...0x5A ~= name[count] ? count : nil
    }

    /// Returns the last word of a name: after its last `_`, or from its last capital on.
    static func lastWord(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Range<Int> {
        var start = name.upperBound
        while start > name.lowerBound {
            let byte = bytes[start - 1]
            if byte == .ascii("_"), start < name.upperBound { break }
            start -= 1
            if 0x41...0x5A ~= byte, start + 1 < name.upperBound { break }
        }
        return start..<name.upperBound
    }

    /// Whether a name is written like a constant or an environment variable: `JWT_SECRET`,
    /// `PASSWORD`.
    static func isConstant(_ name: Span<UInt8>) -> Bool {
        for index in name.indices where !(0x30...0x5A ~= name[index] || name[index] == 0x5F) {
            return false
        }
        return true
    }

    /// Whether a text is not one of the words that functions named after secrets take: it has
    /// digits, or is long.
    static func isUnlikeWord(_ text: Span<UInt8>) -> Bool {
        guard text.count >= 6 else { return false }
        for index in text.indices where text[index].isDigit { return true }
        return text.count >= 24
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte | 0x20 }

    private static func lowercased(_ name: Span<UInt8>, _ end: Int) -> [UInt8] {
        var word: [UInt8] = []
        for index in 0..<end { word.append(name[index].asciiLowercased) }
        return word
    }

    /// Whether a keyword declares a name that is followed by its type: `var xToken string = "…"`.
    static func declares(_ word: Span<UInt8>) -> Bool {
        word.equals("var") || word.equals("const") || word.equals("let") || word.equals("val")
    }

    /// Whether a keyword assigns the following string to the next word, without an operator.
    static func defines(_ word: Span<UInt8>) -> Bool {
        for known in ["define", "ENV", "ARG", "set", "setenv", "export", "SET", "setx", "let"]
        where word.equals(known) {
            return true
        }
        return false
    }

    /// Whether a label names the previous argument: `forKey:`, `forHTTPHeaderField:`.
    static func namesBefore(_ label: Span<UInt8>) -> Bool {
        label.starts(with: "for") && label.count <= 32 || label.equals("key")
            || label.equals("account") || label.equals("named")
    }
}
