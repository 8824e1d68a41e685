// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineCrypto

@Suite("PBKDF2")
struct PBKDF2Tests {
    @Test("gives the results of RFC 7914 §11 for HMAC-SHA-256")
    func samples() {
        #expect(
            key("passwd", "salt", rounds: 1, count: 64).map(hex)
                == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"
        )
        #expect(
            key("Password", "NaCl", rounds: 80_000, count: 64).map(hex)
                == "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
                + "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d"
        )
    }

    @Test("refuses numbers that are out of range")
    func refusals() {
        for (rounds, count) in [(0, 32), (-1, 32), (1 << 40, 32), (1, 0), (1, 1025)] {
            #expect(key("some", "some", rounds: rounds, count: count) == nil)
        }
        #expect(key("", "some", rounds: 2, count: 32) != nil)
    }

    private func key(
        _ passphrase: String,
        _ salt: String,
        rounds: Int,
        count: Int
    ) -> [UInt8]? {
        let (passphrase, salt) = (Array(passphrase.utf8), Array(salt.utf8))
        return PBKDF2.key(from: passphrase.span, salt: salt.span, rounds: rounds, count: count)
    }
}
