// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

/// An instruction that grows a table moves all its entries, which with colliding keys takes time
/// that grows with the square of their number.
@Suite struct TableLimitTests {
    /// Ways to insert colliding keys into a table of 2^18 nodes, directly and through other
    /// functions.
    private static let ways = [
        "local t = {} for i = 1, 131073 do t[i * 262143] = true end",
        "local t = {} for i = 1, 131073 do t[i * 262143.0 + 0.5] = i t[i * 262143] = i end",
        "local t = {} for i = 1, 131073 do rawset(t, i * 262143, true) end",
        "local t = {} for i = 1, 131073 do pcall(rawset, t, i * 262143, true) end",
        "local t = {} for i = 1, 131073 do pcall(function() t[i * 262143] = true end) end",
        """
        local t = {}
        local function add() for i = 1, 131073 do t[i * 262143] = true end end
        while true do coroutine.resume(coroutine.create(add)) end
        """,
        """
        local at = 0
        local t = setmetatable({}, {__len = function() return at end})
        for i = 1, 131073 do at = i * 262143 - 1 table.insert(t, true) end
        """,
        """
        local t, from = {}, setmetatable({}, {__index = function() return ("x"):upper() end})
        for i = 1, 131073 do table.move(from, 1, 1, i * 262143, t) end
        """,
        """
        local t = {}
        for i = 1, 131073 do pcall(string.format, "%d", "x") rawset(t, i * 262143, true) end
        """,
        """
        local t = {}
        local o = setmetatable({}, {__tostring = function()
          for i = 1, 131073 do rawset(t, i * 262143, true) end return "x" end})
        string.format("%s", o)
        """,
        """
        local t = {} for i = 1, 131073 do t["k" .. i] = true end
        """,
    ]

    @Test(arguments: ways)
    func tablesDoNotGrowBeyondTheirLimit(code: String) throws {
        let bench = try Bench(
            """
            function record(ex)
              if ex.request.method == "GET" then log("alive") return end
              \(code)
            end
            """,
            limits: LuaLimits(instructions: .max, time: .seconds(30))
        )
        var exchange = Exchange.sample
        var failure: ScriptError?
        let time = processorTime {
            do { try bench.run("record", &exchange) } catch { failure = error as? ScriptError }
        }
        #expect(failure?.code == .table, "\(String(describing: failure))")
        #expect(failure?.message == "script stopped at 16384 entries in a table")
        #expect(failure?.help == "raise 'max_table' or keep fewer entries in one table")
        #expect(time < 4, "\(time)")
        exchange.request.method = "GET"
        try bench.run("record", &exchange)
        #expect(bench.log.last == "alive")
    }

    /// Removing and adding a key makes a full table move all entries each time.
    @Test func theTimeIsCheckedBetweenTwoResizes() throws {
        var failure: ScriptError?
        let time = processorTime {
            failure = Bench.failure(
                """
                local t, step = {}, 16383
                for i = 1, 16384 do t[i * step] = true end
                for i = 16385, 99999 do t[(i - 16000) * step] = nil t[i * step] = true end
                """,
                limits: LuaLimits(instructions: .max, time: .milliseconds(100))
            )
        }
        #expect(failure?.code == .time)
        #expect(time < 2, "\(time)")
    }

    @Test func constantsOfAScriptAreLimited() {
        let constants = (1...131_073).map { "\($0 * 262_143)" }.joined(separator: ",")
        var found: (any Error)?
        let time = processorTime {
            do { _ = try Bench("local t = {\(constants)}") } catch { found = error }
        }
        #expect((found as? ScriptError)?.code == .table, "\(String(describing: found))")
        #expect(time < 4, "\(time)")
    }

    @Test func objectsInJSONHaveTheSameLimit() throws {
        let members = (1...20_000).map { "\"k\($0)\":1" }.joined(separator: ",")
        var exchange = Exchange.sample
        exchange.request.body = Body(Array("{\(members)}".utf8))
        let lines = try Bench.log(
            "log(pcall(ex.request.json, ex.request))",
            hook: "request",
            of: exchange
        )
        #expect(
            lines == [
                "false json: an object has more members than option 'max_table' allows at byte 1"
            ]
        )
    }

    @Test func theLimitIsAnOption() throws {
        let code = "local t = {} for i = 1, \(70_000) do t['k' .. i] = i end"
        #expect(Bench.failure(code)?.code == .table)
        #expect(Bench.failure(code, limits: LuaLimits(table: 70_000)) == nil)
        #expect(Bench.failure(code, limits: LuaLimits(table: 65_536))?.code == .table)
        let small = Bench.failure(
            "local t = {} for i = 1, 300 do t['k' .. i] = i end",
            limits: LuaLimits(table: 200)
        )
        #expect(small?.message == "script stopped at 256 entries in a table")
    }

    /// Lists, and strings with the size of a large table.
    @Test(arguments: [
        "local t = {} for i = 1, 300000 do t[i] = i end",
        "local t = {} for i = 1, 300000 do t[#t + 1] = i end table.sort(t)",
        "for k = 10, 17 do local t = table.pack(table.unpack({}, 1, 16000)) end",
        "for k = 15, 18 do local s = ('x'):rep(24 << k) assert(#s:upper() == 24 << k) end",
        "for k = 15, 18 do local s = ('x'):rep(24 << k) assert(#s:reverse():lower() == #s) end",
        "for k = 15, 18 do local s = ('x'):rep(24 << k) assert(#('%s'):format(s) == #s) end",
        "for k = 15, 17 do local s = ('x'):rep(24 << k) assert(#string.pack('z', s) == #s + 1) end",
        "for k = 15, 17 do local s = ('x'):rep(24 << k) assert(#string.pack('s8', s) == #s + 8) end",
        "for k = 14, 16 do local n = 3 << k "
            + "assert(#json.decode('[' .. ('1,'):rep(n - 1) .. '1]') == n) end",
    ])
    func otherLargeAllocationsAreNotLimited(code: String) {
        let failure = Bench.failure(code, limits: LuaLimits(instructions: .max, time: .seconds(60)))
        #expect(failure == nil, "\(String(describing: failure))")
    }

    @Test func theClockIsReadWhenAHookEnds() {
        // The last function takes longer than the time limit, which is only checked at the end.
        let failure = Bench.failure(
            "ex.tags.x = #(('x'):rep(3000000):upper():lower():reverse():upper():lower())",
            limits: LuaLimits(time: .milliseconds(1))
        )
        #expect(failure?.code == .time)
        #expect(failure?.hook == "record")
    }

    @Test func shortHooksAreNotStopped() throws {
        let bench = try Bench(
            "function record(ex) ex.tags.x = 1 end",
            limits: LuaLimits(time: .milliseconds(50))
        )
        var exchange = Exchange.sample
        for _ in 0..<2000 { try bench.run("record", &exchange) }
    }
}
