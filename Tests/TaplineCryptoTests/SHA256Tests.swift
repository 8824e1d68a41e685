// SPDX-License-Identifier: MIT

import TaplineCrypto
import Testing

@Suite struct SHA256Tests {
    // The examples of FIPS 180-4; the third one is a million letters.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ])
    func hashesTheStandardExamples(text: String, hex: String) {
        #expect(SHA256.hash(text).hex == hex)
    }

    @Test func hashDoesNotDependOnTheSplit() {
        let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let whole = SHA256.hash(bytes.span)
        var hasher = SHA256()
        for split in 0...bytes.count {
            hasher.update(Array(bytes[..<split]).span)
            hasher.update(Array(bytes[split...]).span)
            #expect(hasher.finish() == whole)
        }
        for byte in bytes {
            hasher.update([byte].span)
        }
        #expect(hasher.finish() == whole)
    }

    @Test func finishingResetsTheHasher() {
        var hasher = SHA256()
        hasher.update("something")
        _ = hasher.finish()
        #expect(hasher.finish() == SHA256.hash(""))
    }

    @Test func copiesAreIndependent() {
        var first = SHA256()
        first.update("ab")
        var second = first
        first.update("c")
        second.update("d")
        #expect(first.finish() == SHA256.hash("abc"))
        #expect(second.finish() == SHA256.hash("abd"))
    }

    @Test func hashesDigestsAsTheirBytes() {
        let digest = SHA256.hash("abc")
        var hasher = SHA256()
        hasher.update(digest)
        #expect(hasher.finish() == SHA256.hash(digest.bytes.span))
    }
}
