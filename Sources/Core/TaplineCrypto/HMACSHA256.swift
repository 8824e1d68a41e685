// SPDX-License-Identifier: MIT

/// HMAC-SHA-256 authentication codes under one key.
///
/// The key is hashed once, when the value is made. After that, a code costs its message and two
/// blocks, without an allocation or a lock. OpenSSL's own HMAC looks up its parts and copies
/// contexts on each call, which is why RFC 2104 is implemented here.
///
/// **Isolation.** Immutable; any number of threads may use one value.
///
/// **Source.** RFC 2104, with SHA-256 as in RFC 4231.
package final class HMACSHA256: Sendable {
    private let hmac: HMAC<SHA256>

    /// Prepares a key of any length.
    package init(key: Span<UInt8>) { hmac = HMAC(key: key) }

    /// Returns the code of a message.
    package func authenticate(_ message: Span<UInt8>) -> Digest {
        var hash = hmac.inner
        hash.update(message)
        var code = hmac.outer
        code.update(hash.finish())
        return code.finish()
    }

    /// Returns the code of the UTF-8 of a text.
    package func authenticate(_ message: String) -> Digest {
        authenticate(message.utf8.span)
    }
}

extension HMACSHA256: CustomStringConvertible {
    /// A text that reveals nothing about the key.
    package var description: String {
        "HMAC-SHA-256 key"
    }
}
