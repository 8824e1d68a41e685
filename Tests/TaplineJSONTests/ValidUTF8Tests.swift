// SPDX-License-Identifier: MIT

import TaplineJSON
import Testing

@Suite struct ValidUTF8Tests {
    func isValid(_ bytes: [UInt8]) -> Bool { isValidUTF8(bytes.span) }

    @Test func validatesUTF8() {
        let good = ["", "a", "é", "€", "😀", String(repeating: "aé€😀", count: 100)]
        for string in good { #expect(isValid(Array(string.utf8))) }
        let bad: [[UInt8]] = [
            [0x80], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xFF],
        ]
        for bytes in bad {
            #expect(!isValid(bytes))
            let long = [UInt8](repeating: 0x61, count: 200)
            #expect(!isValid((long + bytes)))
            #expect(!isValid((long + bytes + long)))
        }
    }
}
