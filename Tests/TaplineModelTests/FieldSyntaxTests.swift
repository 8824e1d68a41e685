// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite struct FieldSyntaxTests {
    /// RFC 9110 §5.6.2, spelled out.
    @Test func tokensContainTheBytesOfTheRFC() {
        let allowed = Set(
            "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8
        )
        for byte in UInt8.min ... .max {
            #expect(byte.isTokenByte == allowed.contains(byte), "byte \(byte)")
        }
    }

    /// RFC 9110 §5.5: visible characters, bytes beyond ASCII, spaces and tabs.
    @Test func textContainsNoControlCharacterExceptTheTab() {
        for byte in UInt8.min ... .max {
            let isControl = byte < 0x20 || byte == 0x7F
            #expect(byte.isTextByte == (!isControl || byte == 0x09), "byte \(byte)")
            #expect(byte.endsField == [0, 10, 13].contains(byte), "byte \(byte)")
        }
    }
}
