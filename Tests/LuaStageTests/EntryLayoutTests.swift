// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import LuaStage

@Suite struct EntryLayoutTests {
    private struct Swapped {
        var start: UInt32 = 0
        var valueCount: UInt32 = 0
        var nameCount: UInt32 = 0
    }

    private struct Longer {
        var start: UInt32 = 0
        var nameCount: UInt32 = 0
        var valueCount: UInt32 = 0
        var kind: UInt8 = 0
    }

    private struct Wider {
        var start: UInt32 = 0
        var nameCount: UInt32 = 0
        var valueCount: UInt32 = 0
        var more: UInt64 = 0
    }

    @Test func sectionsHaveTheLayoutThatCExpects() {
        #expect(EntryLayout.isShared)
        #expect(EntryLayout.inC.offsets == [0, 4, 8])
        #expect(EntryLayout.inC.stride == 12)
    }

    @Test func detectsADifferentOrderSizeOrAlignment() {
        let others = [
            EntryLayout(of: Swapped.self, \.start, \.nameCount, \.valueCount),
            EntryLayout(of: Longer.self, \.start, \.nameCount, \.valueCount),
            EntryLayout(of: Wider.self, \.start, \.nameCount, \.valueCount),
        ]
        for other in others { #expect(other != EntryLayout.inC) }
    }
}
