// SPDX-License-Identifier: MIT

import Testing

/// The functions of `table`, as described in the reference manual, §6.6.
@Suite struct TableTests {
    @Test func tableFunctionsUseMetamethods() throws {
        let lines = try Bench.log(
            """
            local held = {}
            local proxy = setmetatable({}, {
              __len = function() return #held end, __index = held, __newindex = held,
            })
            for i = 1, 4 do table.insert(proxy, 1, i) end
            table.sort(proxy)
            log(table.concat(proxy, ","), rawlen(proxy), #held, table.remove(proxy, 1))
            log(table.unpack(proxy))
            log(table.concat(table.move(proxy, 1, 3, 2), ","), #held)
            log(pcall(table.insert, setmetatable({}, {__len = function() return "x" end}), 1))
            log(pcall(table.insert, 1, 2))
            """
        )
        #expect(
            lines == [
                "1,2,3,4 0 4 1", "2 3 4", "2,2,3,4 4", "false object length is not an integer",
                "false bad argument #1 to '?' (table expected, got number)",
            ]
        )
    }

    @Test func tableFunctionsFollowTheManualInEdgeCases() throws {
        let lines = try Bench.log(
            """
            local zero = {[0] = "x"}
            log(table.remove(zero), zero[0], table.remove({}), table.remove({}, 0))
            local list = {1, 2, 3}
            log(table.concat(table.move(list, 1, 3, 2, list), ","))
            log(pcall(table.insert, {1}, 3, 0))
            log(pcall(table.remove, {1}, 3))
            log(pcall(table.concat, {1, {}}))
            log(pcall(string.rep, "ab", math.maxinteger))
            table.sort(setmetatable({}, {__len = function() return -1 end}), error)
            """
        )
        #expect(
            lines == [
                "x nil nil nil", "1,1,2,3",
                "false bad argument #2 to '?' (position out of bounds)",
                "false bad argument #2 to '?' (position out of bounds)",
                "false invalid value (at index 2) in table for 'concat'",
                "false resulting string too large",
            ]
        )
    }
}
