// SPDX-License-Identifier: MIT

import TaplineCrypto
import Testing

@Suite struct HMACSHA256Tests {
    struct Row: Sendable, CustomTestStringConvertible {
        let key: [UInt8]
        let message: [UInt8]
        let hex: String

        var testDescription: String {
            "key of \(key.count), message of \(message.count)"
        }
    }

    // RFC 4231 §4.2 to §4.8, without §4.6 (a truncated code).
    static let rows = [
        Row(
            key: [UInt8](repeating: 0x0b, count: 20),
            message: Array("Hi There".utf8),
            hex: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        Row(
            key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8),
            hex: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        Row(
            key: [UInt8](repeating: 0xaa, count: 20),
            message: [UInt8](repeating: 0xdd, count: 50),
            hex: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        Row(
            key: Array(1...25),
            message: [UInt8](repeating: 0xcd, count: 50),
            hex: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        Row(
            key: [UInt8](repeating: 0xaa, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            hex: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ]

    @Test(arguments: rows)
    func returnsTheCodesOfTheStandard(row: Row) {
        let key = HMACSHA256(key: row.key.span)
        for _ in 0..<2 {
            #expect(key.authenticate(row.message.span).hex == row.hex)
        }
    }

    @Test func padsKeysToOneBlock() {
        let message = "message"
        let exact = [UInt8](repeating: 7, count: 64)
        let codes = Set(
            [exact, Array(exact.dropLast()), exact + [7]].map { key in
                HMACSHA256(key: key.span).authenticate(message)
            }
        )
        #expect(codes.count == 3)
        // RFC 2104: a shorter key is padded with zeros.
        #expect(
            HMACSHA256(key: [1, 2].span).authenticate(message)
                == HMACSHA256(key: [1, 2, 0].span).authenticate(message)
        )
    }

    @Test func descriptionDoesNotRevealTheKey() {
        let key = HMACSHA256(key: Array("planted-secret".utf8).span)
        #expect(!"\(key)".contains("planted-secret"))
    }
}
