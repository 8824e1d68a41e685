// SPDX-License-Identifier: MIT

/// The intended differences between scripts of Tapline and plain Lua, as found by Lua's own tests.
enum SuiteDifferences {
    static let files = [
        "bitwise", "calls", "closure", "constructs", "coroutine", "errors", "events", "goto",
        "literals", "locals", "math", "nextvar", "pm", "sort", "strings", "tpack", "utf8", "vararg",
    ]

    /// Names that scripts do not have; statements that use them, or that depend on such a
    /// statement, are skipped.
    static let absent: Set<String> = [
        "load", "loadstring", "loadfile", "dofile", "require", "debug", "io", "os", "package",
        ".dump", "warn", "arg", "__gc", "__mode", "T",
    ]
    /// The libraries that the prelude's `require` returns.
    static let libraries: Set<String> = ["coroutine", "math", "string", "table", "utf8"]
    /// Events that metatables must not have; also searched for in strings.
    static let events = ["__gc", "__mode"]

    /// The variables that the tests expect, for their portable and soft part.
    ///
    /// `require` returns the libraries that scripts already have, and collecting garbage has no
    /// effect that a script could observe.
    static let prelude = """
        do local g = _G; require = function (name) return g[name] end end \
        _port = true; _soft = true; _nomsg = true; \
        do local gc = collectgarbage; \
        collectgarbage = function (what) if what == 'count' then return gc(what) end return 0 end \
        end
        """

    /// The reasons of statements that show a difference, by the statements' marks.
    static let statements: [String: [UInt32: String]] = [
        "bitwise": listed(
            "needs the module 'bwcoercion', which gives strings metamethods",
            [
                0x40d9_8fc8, 0xdb18_a3fe, 0xcf71_87ea, 0x2754_88fe, 0x7e99_d4f7, 0x1466_dc4c,
                0xc146_fada, 0x1bd2_eee8, 0xd4ab_d65d, 0x60af_c9e4, 0x054d_bc17, 0x9e4f_e6bf,
                0x664e_0117,
            ]
        ),
        "closure": listed("Lua 5.4.4 does otherwise", [0xfff3_3f57])
            .merging(listed("waits for a weak table", [0x4f7c_8354, 0xd0e8_9a43])) { $1 }
            .merging(listed("needs debug.upvaluejoin", [0x0d75_273c, 0x12dd_1059])) { $1 },
        "coroutine": listed("needs debug.getinfo or sethook", [0x8e81_6778, 0x03b4_3806])
            .merging(listed("waits for a weak table", [0x19eb_94a2])) { $1 }
            .merging(listed("Lua 5.4.4 does otherwise", [0x4763_2556])) { $1 }
            .merging(listed("needs debug.setupvalue", [0x3f61_f6ef, 0x5a15_4c1f])) { $1 },
        "errors": listed("needs what load would run", [0xd853_e9df]),
        "events": listed(
            "needs debug.setmetatable",
            [
                0x2af2_17e8, 0xddf0_193f, 0x5d5d_7b65, 0x0000_6a8c, 0x0230_40a6, 0xce07_2dfa,
                0xb8dd_4858, 0xfbf4_3b96, 0xeaef_f8b4, 0x16ee_4c8d, 0xdaed_623e,
            ]
        ),
        "literals": listed(
            "needs what load would run",
            [0xc098_d103, 0x6e4d_9698, 0x861e_e4b3]
        ),
        "locals": listed("needs what load would run", [0x4c71_9f9f]),
        "nextvar": listed("needs a loop that names io", [0x7541_b217]),
        "sort": listed(
            "sorting ends whatever an order function answers, and says nothing of it",
            [0xce69_b9c3, 0xab14_3c5a, 0x5854_ccd0]
        ),
        "strings": listed(
            "a string that no memory could hold hits the limit, which cannot be caught",
            [0x2619_e996]
        ),
        "utf8": listed("Lua 5.4.4 does otherwise", [0x1212_b171]),
    ]

    private static func listed(_ reason: String, _ marks: [UInt32]) -> [UInt32: String] {
        Dictionary(uniqueKeysWithValues: marks.map { ($0, reason) })
    }
}
