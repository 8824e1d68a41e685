// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TestSupport
import Testing

@testable import LuaStage

@Suite struct ScriptCheckTests {
    private func messages(_ code: String) -> [String] {
        let source = ConfigSource(name: "test.lua", bytes: Array(code.utf8))
        return ScriptCheck.check(source).sorted.map { diagnostic in
            let place = diagnostic.location.map { "\($0.line):\($0.column)+\($0.length)" } ?? "-"
            let help = diagnostic.help.map { " (\($0))" } ?? ""
            return "\(place) \(diagnostic.severity): \(diagnostic.message)\(help)"
        }
    }

    /// Checks the body of a hook.
    private func messages(in hook: String, _ body: String) -> [String] {
        messages("function \(hook)(ex)\n\(body)\nend")
    }

    @Test(arguments: [
        (
            "ex.reponse.status = 1",
            "2:4+7 error: unknown field 'reponse' of ex (did you mean 'response'?)"
        ),
        (
            "log(ex.request.hots)",
            "2:16+4 error: unknown field 'hots' of ex.request (did you mean 'host'?)"
        ),
        (
            "log(ex['reqest'])",
            "2:8+8 error: unknown field 'reqest' of ex (did you mean 'request'?)"
        ),
        ("ex.id = 4", "2:4+2 error: 'ex.id' cannot be assigned"),
        (
            "local r = ex.request r.body_size = 1",
            "2:24+9 error: 'ex.request.body_size' cannot be assigned"
        ),
        (
            "ex.request.json()",
            "2:12+4 error: 'json' is called with a dot; expected a colon (write ':json(')"
        ),
        (
            "ex.request.headers.add('x', 1)",
            "2:20+3 error: 'add' is called with a dot; expected a colon (write ':add(')"
        ),
        (
            "json:decode('1')",
            "2:6+6 error: 'decode' is called with a colon; expected a dot (write '.decode(')"
        ),
        (
            "ex.request.headers:ad('x', 1)",
            "2:20+2 error: unknown method 'ad' of ex.request.headers (did you mean 'add'?)"
        ),
        (
            "log(ex.request.body:json())",
            "2:21+4 error: unknown method 'json' of ex.request.body, a text (write 'ex.request:json(')"
        ),
        (
            "local body = ex.request.body log(body:json())",
            "2:39+4 error: unknown method 'json' of ex.request.body, a text (write 'ex.request:json(')"
        ),
        (
            "log(ex.request.body:sbu(1, 2))",
            "2:21+3 error: unknown method 'sbu' of ex.request.body, a text (did you mean 'sub'?)"
        ),
        (
            "log(ex.request.body.json)",
            "2:21+4 warning: unknown field 'json' of ex.request.body, a text (write 'ex.request:json(')"
        ),
        ("json.encod(1)", "2:6+5 error: unknown field 'encod' of json (did you mean 'encode'?)"),
        ("io.write('x')", "2:1+2 error: 'io' is not available in scripts"),
        ("string.dump(print)", "2:8+4 error: 'string.dump' is not available in scripts"),
        (
            "table.foreach({}, print)",
            "2:7+7 warning: unknown field 'foreach' of table"
        ),
        (
            "local function send() return pcall(function() return ex.reponse end) end log(send())",
            "2:57+7 error: unknown field 'reponse' of ex (did you mean 'response'?)"
        ),
        ("strng.rep('x', 3)", "2:1+5 warning: unknown global 'strng' (did you mean 'string'?)"),
        (
            "drop('x')",
            "2:1+9 warning: a verdict is created but not returned (write 'return drop(…)')"
        ),
        (
            "return respond{status = 200}",
            "2:8+7 error: 'respond' is not available in hook 'record'; expected in request, response"
        ),
        ("local x <const> = 1 x = 2", "2:21+1 error: 'x' is constant"),
        ("if then end", "2:4+4 error: expected an expression; found 'then'"),
        ("local x = = 1", "2:11+1 error: expected an expression; found '='"),
        ("x y", "2:1+1 error: expected a statement; found an expression"),
        ("f() = 1", "2:1+3 error: cannot be assigned"),
        ("break", "2:1+5 error: 'break' outside of a loop"),
        ("return ...", "2:8+3 error: '...' outside of a function that takes '...'"),
        ("local x <var> = 1", "2:10+3 error: unknown attribute 'var'; expected const, close"),
        ("log('\\q')", "2:6+2 error: unknown escape in a string (write '\\\\' for a backslash)"),
        (
            "log('x",
            "2:5+2 error: string is not closed on its line (close it, or write '\\n' for a line break)"
        ),
        ("log(3x)", "2:5+2 error: malformed number"),
        ("log(1 ! 2)", "2:7+1 error: unexpected character; found a byte of 33"),
        ("--[[ x", "2:1+2 error: comment is not closed"),
    ])
    func mistakesInAHookAreReported(body: String, expected: String) {
        // Lua itself also reports assignments to constants.
        #expect(messages(in: "record", body).contains(expected), "\(messages(in: "record", body))")
    }

    @Test func membersUnavailableInAHookAreReported() {
        #expect(
            messages(in: "response", "ex.request.method = 'PUT'") == [
                "2:12+6 error: 'ex.request.method' cannot be changed in hook 'response'; expected in "
                    + "request, record"
            ]
        )
        #expect(
            messages(in: "request", "log(ex.response.status) if ex.response then end") == [
                "2:5+11 error: there is no response in hook 'request' (read it in 'response' or 'record')"
            ]
        )
        #expect(
            messages(in: "request", "log(ex.state)")
                == [
                    "2:8+5 error: 'ex.state' is not available in hook 'request'; expected in record"
                ]
        )
    }

    @Test func functionsThatAreNotHooksAreReported() {
        #expect(
            messages("function requst(ex) end") == [
                "1:10+6 warning: function 'requst' is never called (did you mean the hook 'request'?)"
            ]
        )
        #expect(
            messages("local function record(ex) end") == [
                "1:16+6 warning: function 'record' is local, so it is never called as a hook (remove "
                    + "'local')"
            ]
        )
        #expect(
            messages("function record(ex) end function record(ex) end") == [
                "1:10+6 warning: hook 'record' is overridden by the one below"
            ]
        )
        #expect(
            messages("local x = 1") == [
                "1:1+0 warning: script has no hook; expected a global function request, response, "
                    + "message or record"
            ]
        )
    }

    @Test func anUnclosedBlockNamesItsStart() {
        let found = messages("function record(ex)\n  if true then\n    log(1)\n")
        #expect(found.count == 1)
        #expect(
            found[0].hasPrefix(
                "4:1+0 error: expected 'end' to close 'if'; found the end of the script"
            )
        )
    }

    @Test(arguments: [
        "", "return { f = function(ex) return ex.anything end }",
        "local M = {} function M.record(x) return x.y end return M",
        "function record(ex) local e = { ex = 1 } log(e.ex, e.foo) end",
        "function record(ex) local r = ex.request if x then r = {} end r.foo = 1 end x = true",
        "function record(ex) local ex = { a = 1 } log(ex.a) end",
        "function record(ex) local h = ex.request.headers h.anything = 1 h['X-A'] = h.other end",
        "function record(ex) ex.tags.any = 1 ex.vars.thing = ex.tags.get end",
        "function record(ex) if DEBUG then log(1) end end DEBUG = false",
        "function record(ex) log(io, os, load) if io then log(1) end end",
        "string.trim = function(s) return s end function record(ex) log(string.trim('x')) end",
        "string.trim = function(s) return s end function record(ex) log(ex.request.body:trim()) end",
        "function record(ex) log(ex.request.body:sub(1, 2), ex.request.path:len()) end",
        "request = function(ex) return drop('x') end",
        "function request(ex) return drop('x') end response = request",
        "function record(ex) local ok, v = pcall(function() return ex.request:json() end) end",
        "setmetatable(_G, {__index = function() return 1 end}) function record(ex) log(anything) end",
        "function record(ex) for ex = 1, 3 do log(ex) end for _, ex in ipairs({}) do log(ex.y) end end",
        "function record(ex) goto done do log(1) end ::done:: end",
        "local function helper(ex) return ex.request.path end function record(ex) log(helper(ex)) end",
        "function record(ex) local s = [==[\n]]]=]==] .. 'a\\z\n  b\\u{1F600}\\x41\\065\\\n' log(s) end",
        "function record(ex) log(0x.8p1, 3., .5e-3, 0xA, 1e10, 3 // 2 ~ 1 << 2 & ~5 | 1) end",
        "function record(ex) local t = {1; 2, [3] = 4, a = 5,} log(#t, -t[1]^2, not t, ('x'):rep(3)) end",
    ])
    func correctScriptsHaveNoFindings(code: String) {
        let found = messages(code).filter { !$0.contains("script has no hook") }
        #expect(found.isEmpty, "\(found)")
    }

    @Test func examplesOfTheReferencePageHaveNoFindings() {
        for example in Page.examples {
            let found = messages(example.script).filter {
                // One example shows the error for a misspelled field.
                !$0.contains("'requets'")
            }
            #expect(found.isEmpty, "\(found)")
        }
    }

    /// For scripts with parts removed, duplicated or swapped, the check and Lua agree on whether
    /// the syntax is valid, except for errors that only Lua detects.
    @Test func theCheckAgreesWithLua() throws {
        let seeds =
            Page.examples.map(\.script) + [
                "for i = 1, 3 do while x do repeat local y <close> = nil until y break end end goto a ::a::",
                "local function f(...) return ..., select('#', ...) end function a.b.c:d() self = 1 end",
                "if a then elseif b then else end local t = { [1] = 2; x = 'y', f{}, f'', f[[z]]() }",
                "return -x ^ 2 .. 'a' == #b and not c or d // 1 >> 2 ~= ~3 | 4 & 5 << 6",
            ]
        let onlyLua = [
            "goto", "label", "const", "attempt to assign", "too many", "multiple", "registers",
            "break", "levels", "overflow", "limit", "jumps",
        ]
        var random = Random(seed: 20_26)
        var agreed = 0
        for round in 0..<1500 {
            let seed = seeds[round % seeds.count]
            let code = mutate(Array(seed.utf8), &random)
            let mine = syntaxError(code)
            var lua: ScriptError?
            do throws(ScriptError) {
                try LuaState.compile(LuaScript(path: "test.lua", text: code))
            } catch { lua = error }
            if mine != nil {
                #expect(
                    lua != nil,
                    "\(mine?.message ?? "") in \(String(decoding: code, as: UTF8.self))"
                )
            } else if let lua, !onlyLua.contains(where: { lua.message.contains($0) }) {
                Issue.record("\(lua.message) in \(String(decoding: code, as: UTF8.self))")
            } else {
                agreed += 1
            }
        }
        #expect(agreed > 100)
    }

    private func syntaxError(_ code: [UInt8]) -> LuaSyntaxError? {
        do throws(LuaSyntaxError) {
            var parser = try LuaParser(code)
            try parser.parse()
            return nil
        } catch { return error }
    }

    private func mutate(_ code: [UInt8], _ random: inout Random) -> [UInt8] {
        let words = code.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map(Array.init)
        guard words.count > 1 else { return code }
        var changed = words
        let place = Int(random.next() % UInt64(words.count))
        let other = Int(random.next() % UInt64(words.count))
        switch random.next() % 5 {
        case 0: changed.remove(at: place)
        case 1: changed.insert(words[other], at: place)
        case 2: changed.swapAt(place, other)
        case 3: changed[place] = Array(changed[place].dropLast())
        default:
            let marks = Array("()[]{}=,;:.~<>+-*/^#\"'\\%&|0aexp\n".utf8)
            changed[place].insert(marks[other % marks.count], at: changed[place].count / 2)
        }
        return Array(changed.joined(separator: [UInt8(ascii: " ")]))
    }

    @Test(arguments: [
        String(repeating: "(", count: 20_000), String(repeating: "{", count: 20_000),
        String(repeating: "do ", count: 20_000), String(repeating: "f(function() ", count: 10_000),
        "return " + String(repeating: "- ", count: 20_000) + "1",
        "return " + String(repeating: "a .. ", count: 20_000) + "a",
        "return a" + String(repeating: ".b", count: 20_000),
        "return 1" + String(repeating: " + 1", count: 20_000),
        "return f" + String(repeating: "()", count: 20_000),
        String(repeating: "local a ", count: 10_000), String(repeating: "x = y ", count: 20_000),
        "return \"" + String(repeating: "\\u{7FFFFFFF}", count: 10_000) + "\"",
        "\u{0}\u{1}\u{FF}", "[==[", "[=", "'\\", "\"\\x", "0x", "1e+", "--[==[ ]=]", "a.", "a:",
        "a[",
        "::", "function", "function f(", "for", "for a", "for a,", "local", "local function",
        "goto",
    ])
    func checksOfHugeAndBrokenScriptsTerminate(code: String) {
        let clock = ContinuousClock()
        let time = clock.measure { _ = messages(code) }
        #expect(time < .seconds(20), "\(time)")
    }
}
