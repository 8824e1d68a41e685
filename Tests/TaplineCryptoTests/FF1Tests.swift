// SPDX-License-Identifier: MIT

import TaplineCrypto
import TestSupport
import Testing

@Suite struct FF1Tests {
    /// A sample that NIST published for FF1: `FF1samples.pdf`, Cryptographic Standards and
    /// Guidelines, examples with intermediate values.
    struct Sample: Sendable {
        let key: [UInt8]
        let radix: Int
        let tweak: [UInt8]
        let text: String
        let cipher: String
    }

    private static let key256: [UInt8] = [
        0x2B, 0x7E, 0x15, 0x16, 0x28, 0xAE, 0xD2, 0xA6, 0xAB, 0xF7, 0x15, 0x88, 0x09, 0xCF, 0x4F,
        0x3C, 0xEF, 0x43, 0x59, 0xD8, 0xD5, 0x80, 0xAA, 0x4F, 0x7F, 0x03, 0x6D, 0x6F, 0x04, 0xFC,
        0x6A, 0x94,
    ]
    private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    private static let long = "0123456789abcdefghi"

    private static func sample(
        _ keyBytes: Int,
        _ radix: Int,
        _ tweak: String,
        _ text: String,
        _ cipher: String
    ) -> Sample {
        Sample(
            key: Array(key256[..<keyBytes]),
            radix: radix,
            tweak: Array(tweak.utf8),
            text: text,
            cipher: cipher
        )
    }

    static let samples = [
        sample(16, 10, "", "0123456789", "2433477484"),
        sample(16, 10, "9876543210", "0123456789", "6124200773"),
        sample(16, 36, "7777pqrs777", long, "a9tv40mll9kdu509eum"),
        sample(24, 10, "", "0123456789", "2830668132"),
        sample(24, 10, "9876543210", "0123456789", "2496655549"),
        sample(24, 36, "7777pqrs777", long, "xbj3kv35jrawxv32ysr"),
        sample(32, 10, "", "0123456789", "6657667009"),
        sample(32, 10, "9876543210", "0123456789", "1001623463"),
        sample(32, 36, "7777pqrs777", long, "xs8a0azh2avyalyzuwd"),
    ]

    private func ff1(
        radix: Int,
        count: Int,
        tweak: [UInt8] = [],
        key: [UInt8] = key256
    ) -> FF1? {
        AESKey(key.span).flatMap { FF1($0, radix: radix, count: count, tweak: tweak.span) }
    }

    private func numerals(_ text: String) throws -> [UInt16] {
        try text.utf8.map { UInt16(try #require(Self.digits.firstIndex(of: $0))) }
    }

    @Test(arguments: samples)
    func encryptsTheSamplesOfNIST(sample: Sample) throws {
        let mode = try #require(
            ff1(
                radix: sample.radix,
                count: sample.text.count,
                tweak: sample.tweak,
                key: sample.key
            )
        )
        var made = try numerals(sample.text)
        #expect(mode.encrypt(&made))
        #expect(made == (try numerals(sample.cipher)))
        #expect(mode.decrypt(&made))
        #expect(made == (try numerals(sample.text)))
    }

    @Test(arguments: [
        (2, 20), (2, 63), (3, 13), (10, 7), (16, 36), (62, 64), (1000, 2), (4096, 5), (65_535, 3),
        (65_536, 2), (65_536, 40),
    ])
    func decryptionReversesEncryption(radix: Int, count: Int) throws {
        let mode = try #require(ff1(radix: radix, count: count, tweak: [1, 2, 3]))
        var random = Random(seed: 89)
        for _ in 0..<50 {
            let text = (0..<count).map { _ in
                UInt16(truncatingIfNeeded: Int.random(in: 0..<radix, using: &random))
            }
            var made = text
            #expect(mode.encrypt(&made))
            #expect(made.allSatisfy { Int($0) < radix })
            #expect(mode.decrypt(&made))
            #expect(made == text)
        }
    }

    @Test func tweaksChangeTheCipherText() throws {
        var seen: Set<[UInt16]> = []
        for length in 0..<40 {
            let tweak = [UInt8](repeating: 7, count: length)
            let mode = try #require(ff1(radix: 10, count: 12, tweak: tweak))
            var made = [UInt16](repeating: 1, count: 12)
            #expect(mode.encrypt(&made))
            seen.insert(made)
        }
        #expect(seen.count == 40)
    }

    @Test(arguments: [(10, 5), (2, 19), (999, 2), (1, 30), (65_537, 4), (10, 1), (10, 1025)])
    func parametersOutsideTheStandardAreRejected(radix: Int, count: Int) {
        #expect(ff1(radix: radix, count: count) == nil)
    }

    @Test func invalidNumeralsAreLeftUnchanged() throws {
        let mode = try #require(ff1(radix: 10, count: 6))
        for text in [[1, 2, 3], [1, 2, 3, 4, 5, 10], []] as [[UInt16]] {
            var made = text
            #expect(!mode.encrypt(&made))
            #expect(!mode.decrypt(&made))
            #expect(made == text)
        }
    }
}
