// SPDX-License-Identifier: MIT

/// Where scripts of Tapline differ from plain Lua on purpose, as Lua's own tests show it.
enum SuiteDifferences {
    static let files = [
        "bitwise", "calls", "closure", "constructs", "coroutine", "errors", "events", "goto",
        "literals", "locals", "math", "nextvar", "pm", "sort", "strings", "tpack", "utf8", "vararg",
    ]

    /// Names of what scripts do not have; statements that use them are left out, and so are those
    /// that use what such a statement would have set.
    static let absent: Set<String> = [
        "load", "loadstring", "loadfile", "dofile", "require", "debug", "io", "os", "package",
        ".dump", "warn", "arg", "__gc", "__mode", "T",
    ]
    /// What `require` gives, since the prelude makes it do so.
    static let libraries: Set<String> = ["coroutine", "math", "string", "table", "utf8"]
    /// Events that metatables must not have; looked for in strings too.
    static let events = ["__gc", "__mode"]

    /// What the tests expect to be set, for their portable and soft part.
    ///
    /// `require` gives the libraries that scripts have anyhow, and collecting garbage has no effect
    /// that a script could see.
    static let prelude = """
        do local g = _G; require = function (name) return g[name] end end \
        _port = true; _soft = true; _nomsg = true; \
        do local gc = collectgarbage; \
        collectgarbage = function (what) if what == 'count' then return gc(what) end return 0 end \
        end
        """

    /// Statements that show a difference, by their marks, with the reason.
    static let statements: [String: [UInt32: String]] = [:]
}
