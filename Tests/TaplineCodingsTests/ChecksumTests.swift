// SPDX-License-Identifier: MIT

import TaplineCodings
import Testing

@Suite struct ChecksumTests {
    /// The definition, a bit at a time.
    private static func reference(_ bytes: ArraySlice<UInt8>, after former: UInt32 = 0) -> UInt32 {
        var sum = ~former
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>, after former: UInt32 = 0) -> UInt32 {
        let bytes = Array(bytes)
        return Checksum.crc32(bytes.span, after: former)
    }

    @Test func `the checksum of the check text is that of the standard`() {
        #expect(Self.checksum(Array("123456789".utf8)[...]) == 0xCBF4_3926)
        #expect(Self.checksum([], after: 7) == 7)
    }

    @Test func `checksums of every length and start are those of the definition`() {
        let bytes = (0..<400).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ $0 >> 3) }
        for start in [0, 1, 7] {
            for count in 0...(bytes.count - start) where count < 150 || count % 13 == 0 {
                let part = bytes[start..<start + count]
                #expect(Self.checksum(part) == Self.reference(part), "\(start), \(count)")
            }
        }
    }

    @Test func `a checksum goes on after that of the bytes before`() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let first = Self.checksum(bytes[..<333])
        #expect(Self.checksum(bytes[333...], after: first) == Self.reference(bytes[...]))
    }
}
