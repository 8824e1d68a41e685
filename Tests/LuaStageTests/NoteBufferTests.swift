// SPDX-License-Identifier: MIT

import CLuaShims
import TaplineModel
import Testing

@testable import LuaStage

@Suite struct NoteBufferTests {
    @Test func layOutAndReuse() {
        var buffer = NoteBuffer()
        buffer.fill(["team": "checkout", "ä": ""])
        let found = unsafe buffer.lend { section in
            let bytes = unsafe section.bytes
            #expect(unsafe String(bytes) == "teamcheckoutä")
            let second = unsafe section.entries[1]
            #expect(second.start == 12)
            #expect(second.name_count == 2)
            #expect(second.value_count == 0)
            return unsafe Int32(section.count)
        }
        #expect(found == 2)
        buffer.fill([:])
        #expect(unsafe buffer.lend { unsafe Int32($0.count) } == 0)
    }
}
