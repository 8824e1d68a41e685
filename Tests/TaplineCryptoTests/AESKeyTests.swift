// SPDX-License-Identifier: MIT

import TaplineCrypto
import Testing

@Suite struct AESKeyTests {
    private func key(_ bytes: [UInt8]) -> AESKey? { AESKey(bytes.span) }

    /// The examples of FIPS 197, appendix C: keys of 16, 24 and 32 bytes that count up from zero.
    @Test(arguments: [
        (16, "69c4e0d86a7b0430d8cdb78070b4c55a"), (24, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        (32, "8ea2b7ca516745bfeafc49904b496089"),
    ])
    func encryptsTheExamplesOfTheStandard(keyBytes: Int, expected: String) throws {
        let bytes = (0..<keyBytes).map { UInt8($0) }
        let key = try #require(self.key(bytes))
        var blocks = (0..<16).map { UInt8($0 * 0x11) }
        blocks += blocks
        #expect(key.encrypt(&blocks))
        let hex = blocks.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(hex == expected + expected)
        #expect(key.description == "AES key")
    }

    @Test func keysOfOtherLengthsAreRejected() throws {
        for count in [0, 15, 17, 33] {
            #expect(key([UInt8](repeating: 1, count: count)) == nil)
        }
        let key = try #require(self.key([UInt8](repeating: 1, count: 16)))
        var part = [UInt8](repeating: 0, count: 17)
        #expect(!key.encrypt(&part))
        part = []
        #expect(key.encrypt(&part))
    }

    @Test func threadsShareAKey() async throws {
        let key = try #require(self.key([UInt8](repeating: 1, count: 32)))
        var first = [UInt8](repeating: 9, count: 160)
        #expect(key.encrypt(&first))
        let expected = first
        let wrong = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<500).count { _ in
                        var blocks = [UInt8](repeating: 9, count: 160)
                        return !key.encrypt(&blocks) || blocks != expected
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
