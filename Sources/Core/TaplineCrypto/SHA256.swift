// SPDX-License-Identifier: MIT

internal import CCrypto

/// The SHA-256 hash of bytes that arrive in any number of pieces.
///
/// Copies are independent: to hash a common prefix once, copy the value.
///
/// **Source.** FIPS 180-4; libcrypto's direct functions, which cannot fail and allocate nothing.
package struct SHA256: Sendable {
    private var state = SHA256_CTX()

    /// Starts an empty hash.
    package init() {
        _ = unsafe SHA256_Init(&state)
    }

    /// Adds bytes.
    package mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { raw in
            _ = unsafe SHA256_Update(&state, raw.baseAddress, raw.count)
        }
    }

    /// Adds the UTF-8 of a text.
    package mutating func update(_ text: String) {
        update(text.utf8.span)
    }

    /// Adds the 32 bytes of a digest.
    package mutating func update(_ digest: Digest) {
        var words = digest.bigEndianWords
        unsafe withUnsafeBytes(of: &words) { raw in
            _ = unsafe SHA256_Update(&state, raw.baseAddress, raw.count)
        }
    }

    /// Returns the hash of all bytes added since the last call, and starts again.
    package mutating func finish() -> Digest {
        var words: Digest.Words = (0, 0, 0, 0)
        unsafe withUnsafeMutableBytes(of: &words) { raw in
            _ = unsafe SHA256_Final(
                raw.baseAddress?.assumingMemoryBound(to: UInt8.self),
                &state
            )
        }
        _ = unsafe SHA256_Init(&state)
        return Digest(bigEndianWords: words)
    }

    /// Returns the hash of bytes.
    package static func hash(_ bytes: Span<UInt8>) -> Digest {
        var hasher = SHA256()
        hasher.update(bytes)
        return hasher.finish()
    }

    /// Returns the hash of the UTF-8 of a text.
    package static func hash(_ text: String) -> Digest {
        hash(text.utf8.span)
    }
}

extension Digest {
    typealias Words = (UInt64, UInt64, UInt64, UInt64)

    var bigEndianWords: Words {
        (word0.bigEndian, word1.bigEndian, word2.bigEndian, word3.bigEndian)
    }

    init(bigEndianWords words: Words) {
        self.init(
            UInt64(bigEndian: words.0),
            UInt64(bigEndian: words.1),
            UInt64(bigEndian: words.2),
            UInt64(bigEndian: words.3)
        )
    }
}
