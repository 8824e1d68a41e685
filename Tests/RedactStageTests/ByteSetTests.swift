// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct ByteSetTests {
    @Test func insertedBytesAreMembers() {
        let members: [UInt8] = [0, 1, 0x2E, 63, 64, 0x5B, 127]
        let set = ByteSet(members)
        for byte in UInt8.min...UInt8.max { #expect(set.contains(byte) == members.contains(byte)) }
        #expect(ByteSet([0xC3]).contains(0xC3))
        // Non-ASCII bytes are not distinguished.
        #expect(ByteSet([0xC3]).contains(0xC4))
        #expect(!ByteSet([0xC3]).contains(0x43))
    }
}
