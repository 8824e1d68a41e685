// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineTLS

@Suite("A DER element")
struct DERTests {
    /// X.690 §8.1.3: the length has one byte up to 127, and otherwise a byte for its own length.
    @Test(
        "begins with its tag and its length",
        arguments: [
            (0, [0x04, 0x00]), (127, [0x04, 0x7F]), (128, [0x04, 0x81, 0x80]),
            (255, [0x04, 0x81, 0xFF]), (256, [0x04, 0x82, 0x01, 0x00]),
            (65_535, [0x04, 0x82, 0xFF, 0xFF]),
        ] as [(Int, [UInt8])]
    )
    func length(count: Int, head: [UInt8]) {
        let content = [UInt8](repeating: 0x5A, count: count)
        #expect(DER.element(4, content) == head + content)
    }
}
