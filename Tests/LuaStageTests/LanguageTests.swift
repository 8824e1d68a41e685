// SPDX-License-Identifier: MIT

import Testing

/// Behavior that Tapline's versions of Lua's functions must share with Lua.
@Suite struct LanguageTests {
    @Test func byteBeforeTheStartReturnsNothing() throws {
        #expect(
            try Bench.log(
                """
                local none = ("ab"):byte(-5)
                log(none == nil, ("ab"):byte(-2), ("ab"):byte(0), select("#", ("ab"):byte(3)))
                log(("ab"):byte(-5, 1))
                """
            ) == ["true 97 nil 0", "97"]
        )
    }

    @Test func patternsSupportTheClassOfZero() throws {
        #expect(
            try Bench.log(
                """
                log(("x\\0y"):find("%z"), ("x\\0y"):find("%Z+", 2), ("z"):find("%z"))
                log(("one two"):find("%f[%z]"), #("\\0z\\0"):gsub("[%z]", ""))
                """
            ) == ["2 3 nil", "8 1"]
        )
    }

    @Test func substitutionWithoutMatchesReturnsTheSameString() throws {
        #expect(
            try Bench.log(
                """
                local text = ("ab"):rep(100)
                log(("%p"):format(text) == ("%p"):format((text:gsub("c", "d"))), text:gsub("c", ""))
                """
            ) == ["true \(String(repeating: "ab", count: 100)) 0"]
        )
    }

    @Test func substitutionByEqualTextReturnsTheSameString() throws {
        #expect(
            try Bench.log(
                """
                local text = ("ab"):rep(100)
                local same = text:gsub("a", {b = "c"})
                log(("%p"):format(text) == ("%p"):format(same), select(2, text:gsub(".", print, 0)))
                log(text:gsub("(a)b", function() return nil end) == text, ("ab"):gsub("a", {a = 1}))
                """
            ) == ["true 0", "true 1b 1"]
        )
    }

    @Test func closingReportsTheStateOfTheCoroutine() throws {
        #expect(
            try Bench.log(
                """
                local outer
                outer = coroutine.create(function()
                  log(pcall(coroutine.close, outer))
                  coroutine.wrap(function() log(pcall(coroutine.close, outer)) end)()
                end)
                coroutine.resume(outer)
                """
            ) == [
                "false cannot close a running coroutine", "false cannot close a normal coroutine",
            ]
        )
    }
}
