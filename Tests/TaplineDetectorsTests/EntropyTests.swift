// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineDetectors

@Suite("Entropy")
struct EntropyTests {
    @Test(
        "is the Shannon entropy in bits per byte",
        arguments: [
            ("", 0.0), ("a", 0), ("aaaa", 0), ("ab", 1), ("abab", 1), ("aabb", 1), ("abcd", 2),
            ("aaab", 0.811_278), ("0123456789abcdef", 4), ("the quick brown fox", 3.892_407),
        ]
    )
    func bits(text: String, expected: Double) {
        let bytes = Array(text.utf8)
        #expect(abs(Entropy.bitsPerByte(of: bytes.span) - expected) < 0.000_01)
    }

    @Test("counts only the beginning of a long text")
    func long() {
        let bytes = [UInt8](repeating: 0x61, count: 1_024) + (0..<5_000).map { UInt8($0 & 0x7F) }
        #expect(Entropy.bitsPerByte(of: bytes.span) == 0)
        let tail = Array(bytes[1_024...])
        #expect(abs(Entropy.bitsPerByte(of: tail.span) - 7) < 0.000_01)
    }
}
