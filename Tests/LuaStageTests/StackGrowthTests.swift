// SPDX-License-Identifier: MIT

import CLuaShims
import Testing

@testable import LuaStage

/// The limits of a script track its stacks by their sizes, so Lua must grow them in a known way.
@Suite struct StackGrowthTests {
    /// The sizes of a stack with slots of `slot` bytes that doubles and then grows to requested
    /// sizes.
    private static func sizes(slot: Int, extra: Int, first: Int = 80, factor: Double = 2) -> [Int] {
        var slots = [first]
        for _ in 1...2 { slots.append(Int(Double(slots[slots.count - 1]) * factor)) }
        return (slots + [801, 1621]).map { $0 * slot + extra }
    }

    private static func learn(_ sizes: [Int], more: Int = 820) -> tapline_lua_growth? {
        var growth = tapline_lua_growth()
        let isKnown = unsafe tapline_lua_learn_growth(sizes, more, &growth)
        return isKnown ? growth : nil
    }

    @Test(arguments: [(16, 80), (16, 0), (8, 40), (24, 24)])
    func learnsTheSizesOfSlotsAndExtraBytes(slot: Int, extra: Int) throws {
        let growth = try #require(Self.learn(Self.sizes(slot: slot, extra: extra)))
        #expect(growth.slot_bytes == slot)
        #expect(growth.extra_bytes == extra)
    }

    @Test(arguments: [
        sizes(slot: 16, extra: 80, factor: 1.5),
        sizes(slot: 16, extra: 80, factor: 4),
        sizes(slot: 16, extra: 7),
        [0, 0, 0, 0, 0],
        [80, 160, 320, 801, 801],
        [160, 80, 40, 801, 1621],
    ])
    func refusesStacksThatGrowDifferently(sizes: [Int]) {
        #expect(Self.learn(sizes) == nil)
    }

    @Test func refusesSizesThatDoNotMatchTheRequest() {
        #expect(Self.learn(Self.sizes(slot: 16, extra: 80), more: 821) == nil)
        #expect(Self.learn(Self.sizes(slot: 16, extra: 80), more: 0) == nil)
    }
}
