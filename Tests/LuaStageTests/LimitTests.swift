// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

/// Scripts that try to evade the limits.
///
/// Each must be stopped promptly, and the stage must work for the next exchange.
@Suite struct LimitTests {
    private static let limits = LuaLimits(
        memory: 8 << 20,
        instructions: 300_000,
        time: .milliseconds(500)
    )

    /// Runs a hostile hook for the first exchange and a harmless one for the second.
    private func stop(_ body: String, _ limits: LuaLimits = limits) throws -> ScriptError? {
        let bench = try Bench(
            """
            function record(ex)
              if ex.request.method == "GET" then log("alive") return end
              \(body)
            end
            """,
            limits: limits
        )
        var failure: ScriptError?
        let clock = ContinuousClock()
        let time = clock.measure {
            var exchange = Exchange.sample
            do { try bench.run("record", &exchange) } catch { failure = error as? ScriptError }
        }
        #expect(time < .seconds(20), "\(time)")
        #expect(bench.stage.memoryUsed <= limits.memory)
        var next = Exchange.sample
        next.request.method = "GET"
        try bench.run("record", &next)
        #expect(bench.log.last == "alive")
        return failure
    }

    @Test(arguments: [
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "pcall(error) while true do pcall(pcall, function() while true do end end) end",
        "xpcall(function() while true do end end, function() while true do end end)",
        "while true do coroutine.wrap(function() while true do end end)() end",
        "while true do coroutine.wrap(function() for i = 1, 300 do end end)() end",
        """
        local co = coroutine.create(function() while true do pcall(function() while true do end end) end end)
        while true do coroutine.resume(co) end
        """,
        """
        local x <close> = setmetatable({}, {__close = function() while true do end end})
        while true do end
        """,
        """
        coroutine.wrap(function()
          local x <close> = setmetatable({}, {__close = function() while true do end end})
          while true do end
        end)()
        """,
        """
        local co = coroutine.create(function()
          local x <close> = setmetatable({}, {__close = function() while true do end end})
          coroutine.yield()
        end)
        coroutine.resume(co) coroutine.close(co)
        """,
        "local t = setmetatable({}, {__index = function() while true do end end}) return t.x",
        "log(setmetatable({}, {__tostring = function() while true do end end}))",
        "for _ in pairs(setmetatable({}, {__pairs = function() while true do end end})) do end",
        "table.move({}, 1, 1 << 53, 2)",
        "table.move({}, 1, 1 << 53, 2, {})",
        "table.insert(setmetatable({}, {__len = function() return 1 << 53 end}), 1, 2)",
        """
        local proxy = {__len = function() return 1 << 53 end, __index = function() return "" end}
        table.concat(setmetatable({}, proxy))
        """,
        "local t = {} for i = 1, 20000 do t[i] = i end table.sort(t, function() return true end)",
        "local t = {3, 2, 1} table.sort(t, function() while true do end end)",
        "local s = ('a'):rep(5000) s:find('.-.-.-.-.-.-.-.-b')",
        "local s = ('a'):rep(5000) while true do pcall(string.find, s, '.-.-.-.-.-.-.-.-b') end",
        "local s = ('a'):rep(50000) s:gsub('(.-)(.-)(.-)b', '%1')",
        "for a in (('a'):rep(100000)):gmatch('.-.-.-b') do end",
        "local s = ('a'):rep(30000) s:find(('a*'):rep(20) .. 'b')",
        "local s = ('('):rep(60000) while true do s:find('%b()') end",
        """
        local a, b = ('a'):rep(1000000), ('a'):rep(500000) .. 'b'
        while true do a:find(b, 1, true) end
        """,
        "local s = ('x'):rep(16000) while true do s:byte(1, -1) end",
        "while true do utf8.len(('x'):rep(100000)) end",
        "local s = ('1'):rep(1000000) while true do tonumber(s) end",
        "while true do string.packsize(('x'):rep(100000)) end",
        "while true do string.format(('%99.99f'):rep(9), 1e308, 1, 1, 1, 1, 1, 1, 1, 1) end",
        "while true do json.decode('[' .. ('1,'):rep(10000) .. '1]') end",
        "local t = {} for i = 1, 10000 do t[i] = i end while true do json.encode(t) end",
        "while true do pcall(function() ex.request.headers:add('t', ('v'):rep(1000)) end) end",
        "while true do log(('x'):rep(2000)) end",
        "while true do local q = ex.request.query.x end",
        "while true do local q = ex.request.cookies.x end",
        "local s = ('a'):rep(100000) while true do re.match(s, '(a|b)*a(a|b){200}') end",
        "local s = ('a'):rep(100000) while true do pcall(re.gsub, s, 'a', 'bb') end",
        "local i = 0 while true do i = i + 1 re.match('x', 'x' .. i) end",
        "for m in re.gmatch(('a'):rep(100000), 'a.*b|a') do end",
        "while true do pcall(re.match, 'x', '((x{1000}){1000}){1000}') end",
        "local s = ('a'):rep(100000) while true do hash.sha512(s) end",
        "local s = ('a'):rep(100000) while true do hash.hmac_sha256(s, s) end",
        "local s = ('a'):rep(100000) while true do base64.decode(base64.encode(s)) end",
        "while true do url.join('http://a/', ('../x/'):rep(10000)) end",
        "while true do url.parse_query(('a&'):rep(1000)) end",
        "local s = ('é'):rep(100000) while true do url.encode(s) end",
        "while true do uuid.v4() end",
        "while true do time.iso8601(1) end",
        "while true do jwt.decode('e30.' .. base64.encode('[' .. ('1,'):rep(9999) .. '1]') .. '.') end",
        "while true do pcall(require, 'x') end",
        "while true do pcall(ex.request.multipart, ex.request) end",
        "local r = ex.request while true do r.json = {1, 2, 3} if r:json() == nil then break end end",
    ])
    func instructionsAreLimited(body: String) throws {
        #expect(try stop(body)?.code == .instructions)
    }

    @Test(arguments: [
        "local s = ('x'):rep(1000000000)",
        "pcall(string.rep, 'x', 1 << 40) log('swallowed')",
        "local s = 'x' while true do s = s .. s end",
        "while true do pcall(function() local s = 'x' while true do s = s .. s end end) end",
        "local t = {} while true do t[#t + 1] = {} end",
        "local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end",
        """
        local t = {} for i = 1, 1000 do t[i] = 'x' end
        while true do local s = table.concat(t, ('y'):rep(20000)) end
        """,
        "local t = {} for i = 1, 100 do t[i] = ('x'):rep(200000) .. i end",
        """
        local co = coroutine.wrap(function() local s = 'x' while true do s = s .. s end end)
        pcall(co) pcall(co)
        """,
        "local s = ('%'):rep(200000) local t = s:gsub('.', ('x'):rep(1000))",
    ])
    func memoryIsLimited(body: String) throws {
        #expect(try stop(body, LuaLimits(memory: 8 << 20))?.code == .memory)
    }

    /// Attempts that are refused or harmless.
    @Test(arguments: [
        "setmetatable({}, {__gc = function() while true do end end})",
        "local mt = {} setmetatable({}, mt) mt.__gc = function() while true do end end setmetatable({}, mt)",
        "local function f() return f() + 1 end pcall(f) error()",
        "local function f(x) return (x:gsub('.', f)) end f('a')",
        "setmetatable({}, {__mode = 'k'})", "setmetatable({}, {__mode = ''})",
        "local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k + 1] end return t[1]",
        "local function f() return coroutine.wrap(f)() end f()",
        "load('return 1')", "string.dump(print)", "io.write('x')", "os.exit(1)", "require('x')",
        "debug.sethook()", "dofile('/etc/passwd')", "collectgarbage('stop')",
        "setmetatable(ex, {})", "rawset(ex, 'a', 1)", "getmetatable('').__index = nil",
        "table.unpack({}, 1, 1e8)", "table.unpack({}, math.mininteger, math.maxinteger)",
        "json.decode(('['):rep(100000))", "local t = {} t.t = t json.encode(t)",
        "error(setmetatable({}, {__tostring = function() while true do end end}))",
        "local s = ('a'):rep(300) s:find(('a?'):rep(300) .. ('a'):rep(300))",
        "('x'):find(('a'):rep(100000) .. '.')",
        "setmetatable(ex.request.cookies, {})", "getmetatable(log).__call = nil",
        "setmetatable(log, {})",
        "ex.request.cookies.x = setmetatable({}, {__tostring = function() return 'x' end})",
        "ex.response.cookies.x = setmetatable({}, {__index = function() return 'x' end})",
        "url.build(setmetatable({host = 1}, {__index = ex}) and {host = {}})",
        "re.gsub('a', 'a', setmetatable({}, {__index = function() error() end}))",
        "shared.set(setmetatable({}, {__tostring = function() return 'k' end}), 1)",
        "for i = 1, 5000 do ex.response.cookies['n' .. i] = i end",
        "for i = 1, 5000 do ex.messages[1].text = 'x' end",
        "coroutine.yield()", "coroutine.resume(coroutine.running()) error()",
    ])
    func escapesAreRefusedOrHarmless(body: String) throws {
        #expect(try stop(body) != nil)
    }

    @Test(arguments: [
        "assert(('').rep('', math.maxinteger) == '')",
        "table.remove(setmetatable({}, {__len = function() return 1 << 53 end}))",
        "pcall(table.concat, setmetatable({}, {__len = function() return 1 << 53 end}))",
        "local t = {} for i = 0, 62 do t[1 << i] = 1 end t[math.maxinteger] = 1 table.insert(t, 1)",
        "local function f() return pcall(f) end f()",
        """
        local cos = {}
        for i = 1, 2000 do
          cos[i] = coroutine.create(function()
            local x <close> = setmetatable({}, {__close = function()
              if cos[i + 1] then coroutine.close(cos[i + 1]) end
            end})
            coroutine.yield()
          end)
          coroutine.resume(cos[i])
        end
        log(coroutine.close(cos[1]))
        """,
    ])
    func harmlessScriptsAreNotStopped(body: String) throws {
        #expect(try stop(body, LuaLimits()) == nil)
    }

    @Test(arguments: [
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "local s = ('a'):rep(100000) s:find('.-.-.-.-.-.-.-.-b')",
        "local a = ('x'):rep(3e6) local b = ('x'):rep(3e6 - 1) .. 'x' while a == b do end",
        """
        local t = {} for i = 1, 16000 do t[i] = i end
        local function f(...) while true do local n = select('#', ...) end end
        f(table.unpack(t))
        """,
        "local t = {} for i = 1, 30000 do t[i] = {i} end while true do local x = {{{}}} end",
        "local big = ('x'):rep(2000000) while true do local x = big .. 'y' end",
    ])
    func timeIsLimited(body: String) throws {
        let bench = try Bench(
            "function record(ex) \(body) end",
            limits: LuaLimits(
                memory: 16 << 20,
                instructions: .max,
                time: .milliseconds(100)
            )
        )
        var exchange = Exchange.sample
        let clock = ContinuousClock()
        let time = clock.measure {
            let error = #expect(throws: ScriptError.self) { try bench.run("record", &exchange) }
            #expect(error?.code == .time)
        }
        #expect(time < .seconds(10))
    }

    /// With weak keys, collecting these tables would take minutes without interruption.
    @Test func tablesAreNeverWeak() throws {
        let bench = try Bench(
            """
            function record(ex)
              local mt = {} local t = setmetatable({}, mt) mt.__mode = 'k' mt['__' .. 'mode'] = 'k'
              t[{}] = 1
              local keys, order, n = {}, {}, 60000
              for i = 1, n do keys[i] = {} order[i] = i end
              for i = n, 2, -1 do local j = math.random(i) order[i], order[j] = order[j], order[i] end
              for i = 1, n - 1 do t[keys[order[i]]] = keys[order[i + 1]] end
              kept = keys[order[1]] keys, order = nil, nil
              local waste = {} for i = 1, 300000 do waste = {waste[0]} end
              local count = 0 for _ in pairs(t) do count = count + 1 end log(count == n)
            end
            """,
            limits: LuaLimits(instructions: .max, time: .seconds(60), table: 1 << 17)
        )
        var exchange = Exchange.sample
        let time = processorTime {
            #expect(throws: Never.self) { try bench.run("record", &exchange) }
        }
        #expect(bench.log == ["true"])
        #expect(time < 5, "\(time)")
    }

    /// Work that a single instruction does in C, during which the clock must still be checked in
    /// time.
    @Test(arguments: [
        "local s = ('1'):rep(10000000) while true do local x = s + 1 end",
        "local s = ('1'):rep(10000000) while true do local x = math.floor(s) end",
        "local s = ('1'):rep(10000000) while true do pcall(function() return s | 1 end) end",
        "local t = {} for i = 1, 200000 do t[i] = i end for i = 1, 200000 do t[i] = nil end "
            + "while true do next(t) end",
        "local t = {} for i = 1, 100000 do t['k' .. i] = i end for k in pairs(t) do t[k] = nil end "
            + "while true do pcall(json.encode, t) next(t) end",
        "local a = {} for i = 1, 1900 do a = setmetatable({}, {__index = a}) end "
            + "while true do local x = a.none end",
        "local s = ('a'):rep(8000000) local t = {} for i = 1, 30 do t[i] = s end "
            + "while true do table.sort(t) end",
        "local s = ('x'):rep(4000000) while true do local n = #s:upper():lower():reverse() end",
        "while true do local c = coroutine.wrap(function(...) return select('#', ...) end) "
            + "c(table.unpack({}, 1, 16000)) end",
        "local s = ('\\0'):rep(8000000) while true do local x = s < s .. 'a' end",
        "::again:: goto again",
        "for i = 1, math.maxinteger do end",
        "repeat local x <close> = setmetatable({}, {__close = function() end}) until false",
        "while true do xpcall(error, function(m) return m end, ('x'):rep(1000)) end",
        "while true do pcall(string.rep, 'x', -1) pcall(utf8.char, 1 << 31) end",
        "while true do pcall(string.format, '%99.99f%99d%s', 1e308, 1, ('x'):rep(100)) end",
    ])
    func longInstructionsReadTheClock(body: String) throws {
        let bench = try Bench(
            "function record(ex) \(body) end",
            limits: LuaLimits(instructions: .max, time: .milliseconds(200), table: 1 << 20)
        )
        var exchange = Exchange.sample
        let time = processorTime {
            let error = #expect(throws: ScriptError.self) { try bench.run("record", &exchange) }
            #expect(error?.code == .time)
        }
        #expect(time < 2, "\(time)")
    }

    @Test func limitsHoldWhileLoading() {
        let error = #expect(throws: ScriptError.self) {
            _ = try Bench("while true do end", limits: Self.limits)
        }
        #expect(error?.code == .instructions)
        #expect(error?.line == 1)
        #expect(error?.hook == nil)
        let large = #expect(throws: ScriptError.self) {
            _ = try Bench("local t = {" + String(repeating: "{},", count: 500_000) + "}")
        }
        #expect(large != nil)
    }

    @Test func globalsAreLostAfterALimitAndStartRunsAgain() throws {
        let bench = try Bench(
            """
            local count = 0
            function start(config) log("start", config.team) end
            function record(ex) count = count + 1 log(count) if count == 2 then while true do end end end
            """,
            limits: Self.limits,
            config: #"{"team":"checkout"}"#
        )
        var exchange = Exchange.sample
        try bench.run("record", &exchange)
        #expect(throws: ScriptError.self) { try bench.run("record", &exchange) }
        try bench.run("record", &exchange)
        #expect(bench.log == ["start checkout", "1", "2", "start checkout", "1"])
    }

    @Test func aScriptThatCannotBeReloadedFailsEveryCall() throws {
        let bench = try Bench(
            """
            local loads = ex
            function start() if not first then first = true end end
            function record(ex) while true do end end
            """,
            limits: Self.limits
        )
        var exchange = Exchange.sample
        for _ in 0..<3 {
            #expect(throws: ScriptError.self) { try bench.run("record", &exchange) }
        }
    }

    @Test func ordinaryErrorsKeepTheState() throws {
        let bench = try Bench(
            "local n = 0 function record(ex) n = n + 1 log(n) if n == 2 then error('x') end end"
        )
        var exchange = Exchange.sample
        try bench.run("record", &exchange)
        #expect(throws: ScriptError.self) { try bench.run("record", &exchange) }
        try bench.run("record", &exchange)
        #expect(bench.log == ["1", "2", "3"])
    }

    @Test func aFailedHookChangesNothing() throws {
        let bench = try Bench("function record(ex) ex.request.method = 'PUT' error('x') end")
        var exchange = Exchange.sample
        #expect(throws: ScriptError.self) { try bench.run("record", &exchange) }
        #expect(exchange == .sample)
    }

    @Test func instructionsAreCountedPerCall() throws {
        let bench = try Bench(
            "function record(ex) for i = 1, 30000 do end end",
            limits: LuaLimits(instructions: 60_000)
        )
        var exchange = Exchange.sample
        for _ in 0..<20 { try bench.run("record", &exchange) }
    }

    /// Freed small blocks of one size are not reused for another.
    ///
    /// A script that repeatedly allocates different sizes must nevertheless get memory, and stay
    /// below its limit.
    @Test func smallBlocksOfAllSizesAreReused() throws {
        let bench = try Bench(
            """
            function record(ex)
              for size = 1, 600, 40 do
                local all, wrong = {}, 0
                for i = 1, 3000 do all[i] = string.rep(string.char(65 + i % 26), size) .. i end
                for i = 1, 3000 do
                  local tail = tostring(i)
                  if all[i]:sub(1, 1) ~= string.char(65 + i % 26) or all[i]:sub(-#tail) ~= tail
                    or #all[i] ~= size + #tail then wrong = wrong + 1 end
                end
                log(size, wrong)
              end
            end
            """,
            limits: LuaLimits(memory: 8 << 20)
        )
        var exchange = Exchange.sample
        try bench.run("record", &exchange)
        #expect(bench.log == stride(from: 1, through: 600, by: 40).map { "\($0) 0" })
        #expect(bench.stage.memoryUsed <= 8 << 20)
    }
}
