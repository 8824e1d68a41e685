// SPDX-License-Identifier: MIT

import TaplineCrypto
import Testing

@Suite struct DigestTests {
    private func digest(_ bytes: [UInt8]) -> Digest? {
        Digest(bytes.span)
    }

    @Test func roundTripsItsBytes() {
        let bytes = (0..<32).map { UInt8($0 * 8) }
        #expect(digest(bytes)?.bytes == bytes)
        #expect(digest(bytes)?[31] == 248)
        #expect(digest(bytes)?[32] == 0)
        #expect(digest(bytes)?[-1] == 0)
        #expect(digest(bytes)?.word0 == 0x0008_1018_2028_3038)
    }

    @Test(arguments: [0, 31, 33])
    func rejectsOtherLengths(count: Int) {
        #expect(digest([UInt8](repeating: 1, count: count)) == nil)
    }

    @Test func writesHex() {
        let value = Digest(0x0123_4567_89ab_cdef, 0, 0, 0xff)
        #expect(value.hex == "0123456789abcdef" + String(repeating: "0", count: 46) + "ff")
        #expect("\(value)" == value.hex)
        var output: [UInt8] = []
        value.appendHex(to: &output, byteCount: 3)
        #expect(output == Array("012345".utf8))
        value.appendHex(to: &output, byteCount: -1)
        #expect(output.count == 6)
        value.appendHex(to: &output, byteCount: 99)
        #expect(output.count == 70)
    }

    @Test func sortsByItsBytes() {
        let words: [UInt64] = [0, 1, 1 << 63]
        let digests =
            [SHA256.hash("a"), SHA256.hash("b")]
            + words.flatMap { word in
                [
                    Digest(word, 0, 0, 0), Digest(1, word, 0, 0), Digest(1, 0, word, 0),
                    Digest(1, 0, 0, word),
                ]
            }
        for left in digests {
            for right in digests {
                #expect((left < right) == (left.hex < right.hex))
                #expect((left == right) == (left.hex == right.hex))
            }
        }
    }
}
