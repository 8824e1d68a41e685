// SPDX-License-Identifier: MIT

import CLuaShims
import TaplineModel
import Testing

@testable import LuaStage

@Suite struct NoteBufferTests {
    @Test func theBufferIsReused() {
        var buffer = NoteBuffer()
        buffer.fill(["team": "checkout", "ä": ""])
        let section = unsafe buffer.lent
        #expect(unsafe section.count == 2)
        #expect(unsafe String(section.bytes) == "teamcheckoutä")
        let second = unsafe section.entries[1]
        #expect(second.start == 12)
        #expect(second.name_count == 2)
        #expect(second.value_count == 0)
        buffer.fill([:])
        #expect(unsafe buffer.lent.count == 0)
    }
}
