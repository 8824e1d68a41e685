// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineCrypto

@Suite("AES-GCM")
struct AESGCMTests {
    private let key = [UInt8](repeating: 0, count: 32)
    private let nonce = [UInt8](repeating: 0, count: 12)

    @Test("gives the results of NIST's samples for 256 bits")
    func samples() {
        // "The Galois/Counter Mode of Operation", appendix B, test cases 13 and 14.
        #expect(seal([]).map(hex) == "530f8afbc74536b9a963b4f1c4cb738b")
        #expect(
            seal([UInt8](repeating: 0, count: 16)).map(hex)
                == "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
        )
    }

    @Test("opens what it has sealed", arguments: [0, 1, 16, 1000, (1 << 24) + 5])
    func roundTrip(count: Int) throws {
        let message = [UInt8](repeating: 0x61, count: count)
        let sealed = try #require(seal(message))
        #expect(sealed.count == count + AESGCM.tagSize)
        #expect(open(sealed) == message)
    }

    @Test("refuses what was changed, another key, another nonce and wrong sizes")
    func refusals() throws {
        let sealed = try #require(seal(Array("the message".utf8)))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(open(changed) == nil)
        }
        #expect(open(Array(sealed.dropLast())) == nil)
        #expect(open([]) == nil)
        var other = key
        other[31] = 1
        #expect(open(sealed, key: other) == nil)
        #expect(open(sealed, nonce: [UInt8](repeating: 1, count: 12)) == nil)
        #expect(open(sealed, nonce: Array(nonce.dropLast())) == nil)
        #expect(seal([1], key: Array(key.prefix(16))) == nil)
    }

    private func seal(_ message: [UInt8], key: [UInt8]? = nil) -> [UInt8]? {
        let key = key ?? self.key
        return AESGCM.seal(message.span, key: key.span, nonce: nonce.span)
    }

    private func open(
        _ sealed: [UInt8],
        key: [UInt8]? = nil,
        nonce: [UInt8]? = nil
    ) -> [UInt8]? {
        let (key, nonce) = (key ?? self.key, nonce ?? self.nonce)
        return AESGCM.open(sealed.span, key: key.span, nonce: nonce.span)
    }
}
