// SPDX-License-Identifier: MIT

/// The predefined names of scripts: Lua's own, without those that are removed, and the names of the
/// interface.
enum ScriptNames {
    /// The basic functions of Lua (reference manual of Lua 5.4, §6.1) that scripts have.
    private static let basic: Set<String> = [
        "assert", "collectgarbage", "error", "getmetatable", "ipairs", "next", "pairs", "pcall",
        "print", "rawequal", "rawget", "rawlen", "rawset", "select", "setmetatable", "tonumber",
        "tostring", "type", "xpcall", "_G", "_VERSION",
    ]

    /// Lua's libraries with their members.
    static let libraries: [String: Set<String>] = [
        "coroutine": [
            "close", "create", "isyieldable", "resume", "running", "status", "wrap", "yield",
        ],
        "math": [
            "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge",
            "log", "max", "maxinteger", "min", "mininteger", "modf", "pi", "rad", "random",
            "randomseed", "sin", "sqrt", "tan", "tointeger", "type", "ult",
        ],
        "string": [
            "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "pack",
            "packsize", "rep", "reverse", "sub", "unpack", "upper",
        ],
        "table": ["concat", "insert", "move", "pack", "remove", "sort", "unpack"],
        "utf8": ["char", "charpattern", "codepoint", "codes", "len", "offset"],
    ]

    /// The groups of the interface by path.
    static let groups = Dictionary(LuaAPI.groups.map { ($0.path, $0) }) { first, _ in first }
    /// The groups of the interface by type name.
    static let types = Dictionary(LuaAPI.groups.map { ($0.className, $0) }) { first, _ in first }

    /// The names of the hooks.
    static let hooks = LuaAPI.hooks.map(\.name)

    /// The names of Lua that scripts do not have.
    static let absent = Set(LuaAPI.absent)

    /// All predefined global names.
    static let globals: Set<String> = {
        let functions = groups[""]?.members.map(\.name) ?? []
        // A group that has only fields is the type of an argument, not a global name.
        let named = LuaAPI.groups.filter { group in
            group.members.contains { $0.kind == .function }
        }
        return basic.union(libraries.keys).union(functions).union(named.map(\.path))
            .subtracting(absent).subtracting([""])
    }()

    /// Whether a path names a part of another object: `ex.request`.
    static func isPart(_ path: String) -> Bool { path.contains(".") }

    /// The group of a value, found by its path or by its type.
    static func group(path: String?, type: String?) -> LuaGroup? {
        if let path, !path.isEmpty, let group = groups[path] { return group }
        guard let type else { return nil }
        return types[type.hasSuffix("?") ? String(type.dropLast()) : type]
    }

    /// The result type of a function, in the notation of the Lua language server.
    static func result(of type: String?) -> String? {
        guard let type, type.hasPrefix("fun(") else { return nil }
        var depth = 0
        var index = type.startIndex
        while index < type.endIndex {
            if type[index] == "(" { depth += 1 }
            if type[index] == ")" {
                depth -= 1
                if depth == 0 { break }
            }
            index = type.index(after: index)
        }
        guard index < type.endIndex else { return nil }
        let rest = type[type.index(after: index)...]
        return rest.hasPrefix(": ") ? String(rest.dropFirst(2)) : nil
    }
}
