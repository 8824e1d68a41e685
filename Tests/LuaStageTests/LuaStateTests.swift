// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

/// The sandbox's libraries; Tapline's own implementations follow the reference manual.
@Suite struct LuaStateTests {
    @Test(arguments: [
        ("('hello world'):find('o w')", "5 7"), ("('hello'):find('l', 1, true)", "3 3"),
        ("('hello'):find('xyz')", "nil"), ("('hello'):find('')", "1 0"),
        ("('hello'):find('', 10)", "nil"), ("('hello'):find('l', -2)", "4 4"),
        ("('key = value'):match('(%w+)%s*=%s*(%w+)')", "key value"),
        ("('2026-11-20'):match('(%d+)-(%d+)-(%d+)')", "2026 11 20"),
        ("('hello'):match('()ll()')", "3 5"), ("('f(a(b)c)d'):match('%b()')", "(a(b)c)"),
        ("('THE (quick) fox'):find('%((%a+)%)')", "5 11 quick"),
        ("('hello world'):gsub('o', '0')", "hell0 w0rld 2"),
        ("('hello world'):gsub('(%w+)', '<%1>')", "<hello> <world> 2"),
        ("('abc'):gsub('%w', '%0%0', 2)", "aabbc 2"), ("('abc'):gsub('', '-')", "-a-b-c- 4"),
        ("('hello'):gsub('l', {l = 'L'})", "heLLo 2"),
        ("('hello'):gsub('.', function(c) if c == 'l' then return '' end end)", "heo 5"),
        ("('abc abd'):gsub('%f[%w]%w+', string.upper)", "ABC ABD 2"),
        ("('x^2'):gsub('^x', 'y')", "y^2 1"), ("('a.b'):gsub('%.', '%%')", "a%b 1"),
        ("('aXb'):match('^%l%u%l$')", "aXb"), ("('a]b'):match('[]]')", "]"),
        ("('a-b'):match('[a%-]+')", "a-"), ("('abab'):match('(ab)%1')", "ab"),
        ("('[[x]]'):match('%[%[(.-)%]%]')", "x"), ("('a\\0b'):find('\\0')", "2 2"),
        ("('x'):rep(3, ', ')", "x, x, x"), ("('x'):rep(0)", ""), ("('x'):rep(-1)", ""),
        ("('abc'):byte(1, -1)", "97 98 99"), ("('abc'):byte(10)", ""), ("('abc'):byte(-1)", "99"),
        ("table.concat({1, 2, 'x'}, '-')", "1-2-x"), ("table.concat({}, '-')", ""),
        ("table.concat({1, 2, 3}, ',', 2, 3)", "2,3"), ("table.unpack({1, 2, 3}, 2)", "2 3"),
        ("select('#', table.unpack({}, 1, 3))", "3"),
        ("table.concat(table.move({1, 2, 3}, 1, 3, 2), ',')", "1,1,2,3"),
        ("table.concat(table.move({1, 2, 3}, 2, 3, 1), ',')", "2,3,3"),
        ("table.remove({1, 2, 3}, 1)", "1"), ("table.remove({})", "nil"),
        ("pcall(error, 'x', 0)", "false x"),
        ("pcall(function(...) return ... end, 1, 2)", "true 1 2"),
        ("xpcall(error, function(e) return e .. '!' end, 'x', 0)", "false x!"),
        ("xpcall(function(...) return ... end, print, 1, 2)", "true 1 2"),
        ("select(2, pcall(error))", "nil"), ("assert(1, 'x')", "1 x"),
        ("coroutine.wrap(function(a) local b = coroutine.yield(a) return b end)(1)", "1"),
        ("coroutine.resume(coroutine.create(function() error('x', 0) end))", "false x"),
        ("tonumber('0x10')", "16"), ("tonumber('z', 36)", "35"), ("tostring(nil)", "nil"),
        ("math.type(2^53 | 0)", "integer"), ("utf8.len('äö')", "2"), ("utf8.char(228)", "ä"),
        ("#collectgarbage('count') > 0", "error"),
        ("io, os, package, debug, load, dofile", "nil nil nil nil nil nil"),
        ("dofile, loadfile, string.dump, warn", "nil nil nil nil"),
    ])
    func librariesFollowTheManual(expression: String, expected: String) throws {
        guard expected != "error" else {
            #expect(Bench.failure("log(\(expression))") != nil)
            return
        }
        #expect(try Bench.log("log(\(expression))") == [expected])
    }

    @Test func sortsTables() throws {
        let lines = try Bench.log(
            """
            local t = {} for i = 1, 500 do t[i] = (i * 7919) % 1009 end
            table.sort(t) for i = 2, #t do assert(t[i - 1] <= t[i]) end
            table.sort(t, function(a, b) return a > b end)
            for i = 2, #t do assert(t[i - 1] >= t[i]) end
            local w = {"pear", "apple", "fig"} table.sort(w) log(table.concat(w, " "))
            log(pcall(table.sort, {1, "x"}))
            """
        )
        #expect(lines.first == "apple fig pear")
        #expect(lines.last?.hasPrefix("false attempt to compare") == true)
    }

    @Test func insertsIntoTables() throws {
        let lines = try Bench.log(
            """
            local t = {} table.insert(t, "b") table.insert(t, 1, "a") table.insert(t, 3, "c")
            log(table.concat(t)) log(table.remove(t, 2), table.concat(t), table.remove(t), #t)
            log(pcall(table.insert, t, 5, "x")) log(pcall(table.insert, t)) log(pcall(table.remove, t, 7))
            """
        )
        #expect(lines[0] == "abc")
        #expect(lines[1] == "b ac c 1")
        #expect(lines[2...].allSatisfy { $0.hasPrefix("false") })
    }

    @Test func coroutinesSurviveCallsAndAreClosed() throws {
        let lines = try Bench.log(
            """
            local co = coroutine.create(function(a)
              local x <close> = setmetatable({}, {__close = function() log("closed") end})
              log(a, coroutine.yield(1), coroutine.isyieldable()) coroutine.yield(2)
            end)
            log(coroutine.resume(co, "a")) log(coroutine.resume(co, "b")) log(coroutine.status(co))
            log(coroutine.close(co)) log(coroutine.status(co), coroutine.resume(co))
            """
        )
        #expect(
            lines == [
                "true 1", "a b true", "true 2", "suspended", "closed", "true",
                "dead false cannot resume dead coroutine",
            ]
        )
    }

    @Test(arguments: [
        (#"{"b":1,"a":[1,2.5,true,null,"x"]}"#, #"{"a":[1,2.5,true,null,"x"],"b":1}"#),
        ("[]", "[]"), ("{}", "{}"), (#"{"a":[],"b":{}}"#, #"{"a":[],"b":{}}"#),
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"), ("9007199254740993", "9007199254740993"),
        ("9223372036854775808", "9.223372036854775807e18"), ("0.1", "0.1"), ("1e2", "100"),
        (#""a\"b\\c\u0001\u00e4\n/""#, #""a\"b\\c\u0001ä\n/""#), ("null", "null"),
    ])
    func jsonIsReadAndWritten(text: String, expected: String) throws {
        let lines = try Bench.log("log(json.encode(json.decode([==[\(text)]==])))")
        let found = try #require(lines.first)
        // The two notations of a double may differ.
        if let number = Double(expected) {
            #expect(Double(found) == number)
        } else {
            #expect(found == expected)
        }
    }

    /// Small, large and deeply nested objects are written by different code.
    @Test func jsonObjectsOfAnySizeAreSorted() throws {
        let lines = try Bench.log(
            """
            local function expected(t)
              local keys, parts = {}, {}
              for key in pairs(t) do keys[#keys + 1] = key end
              table.sort(keys)
              for _, key in ipairs(keys) do
                local value = t[key]
                if type(value) == "table" then value = expected(value) end
                parts[#parts + 1] = '"' .. key .. '":' .. value
              end
              return "{" .. table.concat(parts, ",") .. "}"
            end
            for _, count in ipairs {0, 1, 15, 16, 17, 40} do
              local t = {}
              for depth = 1, 60 do
                local around = {t = t}
                for i = 2, count do around["k" .. i % 7 .. ("x"):rep(i)] = i end
                t = around
              end
              local text = json.encode(t)
              log(count, text == expected(t), json.encode(json.decode(text)) == text)
            end
            """
        )
        #expect(lines == [0, 1, 15, 16, 17, 40].map { "\($0) true true" })
    }

    @Test func jsonListsMayBeStoredInAnyOrder() throws {
        let lines = try Bench.log(
            """
            local backwards = {} for i = 9, 1, -1 do backwards[i] = {i} end
            log(json.encode(backwards))
            local mixed = {1, 2} mixed[4] = 4 mixed[3] = 3 mixed[5] = {}
            log(json.encode(mixed))
            """
        )
        #expect(lines == ["[[1],[2],[3],[4],[5],[6],[7],[8],[9]]", "[1,2,3,4,{}]"])
    }

    @Test func jsonEscapesMayBeAnywhere() throws {
        let lines = try Bench.log(
            #"""
            local spelled = {['"'] = '\\"', ['\\'] = '\\\\', ['\n'] = '\\n', ['\1'] = '\\u0001',
              ['\31'] = '\\u001f', [' '] = ' ', ['!'] = '!', ['#'] = '#', ['\127'] = '\127', ['ä'] = 'ä'}
            for before = 0, 17 do
              for byte, text in pairs(spelled) do
                local head, tail = ("a"):rep(before), ("~"):rep(9)
                local value = head .. byte .. tail .. byte
                local written = json.encode(value)
                if written ~= '"' .. head .. text .. tail .. text .. '"' then log(before, text) end
                if json.decode(written) ~= value then log(before, text) end
              end
            end
            log("done")
            """#
        )
        #expect(lines == ["done"])
    }

    /// Numbers with few decimals are written by separate code.
    @Test func jsonFractionsAreShort() throws {
        let lines = try Bench.log(
            """
            for _, scale in ipairs {10, 100, 1000, 10000, 100000} do
              for n = -3001, 3001 do
                local value = (n + 123456789 * (n % 3)) / scale
                local text = json.encode(value)
                if json.decode(text) ~= value then log(text) end
              end
            end
            log(json.encode({0.5, -0.001, 12.34, 1.25, 0.1 + 0.2, 999999999999.5, 5e-324, 1.0005}))
            """
        )
        #expect(
            lines == ["[0.5,-0.001,12.34,1.25,0.30000000000000004,999999999999.5,5e-324,1.0005]"]
        )
    }

    /// Repeated keys are cached while a text is read; other keys must not be mistaken for them.
    @Test func jsonKeysAreDistinguished() throws {
        let lines = try Bench.log(
            #"""
            local keys, parts = {"", "a", "ab", "ba", "aab", ("k"):rep(33), ("k"):rep(32)}, {}
            for i = 1, 300 do keys[#keys + 1] = "k" .. i .. "e" end
            for _, key in ipairs(keys) do parts[#parts + 1] = '"' .. key .. '":"' .. key .. '"' end
            local object = "{" .. table.concat(parts, ",") .. "}"
            local list = json.decode("[" .. object .. "," .. object .. "]")
            for _, found in ipairs(list) do
              for _, key in ipairs(keys) do if found[key] ~= key then log(key) end end
            end
            log(json.encode(json.decode('[{"ab":1},{"a\\u0062":2,"\\u0061c":3},{"ac":4,"ab":5}]')))
            """#
        )
        #expect(lines == [#"[{"ab":1},{"ab":2,"ac":3},{"ab":5,"ac":4}]"#])
    }

    @Test func jsonKeepsNullAndEmptyArrays() throws {
        let lines = try Bench.log(
            """
            local t = json.decode('{"n":null,"e":[],"l":[null]}')
            log(t.n == json.null, tostring(json.null), #t.l, t.l[1] == json.null)
            t.e[1] = "x" t.l[1] = nil
            log(json.encode(t), json.encode(json.array()), json.encode({json.null}))
            """
        )
        #expect(lines == ["true null 1 true", #"{"e":["x"],"l":[],"n":null} [] [null]"#])
    }

    @Test(arguments: [
        ("json.decode('{')", "json: text ends too early at byte 2"),
        ("json.decode('')", "json: text is empty at byte 1"),
        ("json.decode('[1,]')", "json: expected a value at byte 4"),
        ("json.decode('[1] x')", "json: unexpected text after the value"),
        ("json.encode({1, nil, 3})", "json: a list has holes"),
        ("json.encode({1, a = 2})", "json: a list has holes or keys other than"),
        ("json.encode({[1.5] = 2})", "json: a table has a key that is a number"),
        ("json.encode(print)", "json: a function has no JSON form"),
        ("json.encode(0/0)", "json: a number is not finite"),
        ("json.encode('\\xff')", "json: a string is not valid UTF-8"),
    ])
    func malformedJSONIsReported(call: String, message: String) throws {
        let error = try #require(Bench.failure(call))
        #expect(error.message.hasPrefix(message), "\(error.message)")
    }

    @Test func theLogIsBounded() throws {
        let lines = try Bench.log("log(('ä'):rep(2000)) for i = 1, 1000 do log(i) end")
        #expect(lines[0].utf8.count == 1024)
        #expect(lines.count == 257)
        #expect(lines.last == "745 more lines were dropped")
    }

    @Test func logJoinsItsArguments() throws {
        let lines = try Bench.log(
            "log('a', 1, nil, true, setmetatable({}, {__tostring = function() return 'x' end})) print('p')"
        )
        #expect(lines == ["a 1 nil true x", "p"])
    }

    @Test func malformedPatternsAreErrors() {
        for pattern in ["(", "%w)", "[a", "%", "%b", "%f", "(()", "%1", "[%", "%0"] {
            let error = Bench.failure("return ('x'):find([=[\(pattern)]=])")
            #expect(error?.code == .fault, "\(pattern)")
        }
    }
}
