// SPDX-License-Identifier: MIT

internal import CCrypto

/// Authentication codes under one key.
///
/// The key is mixed in once, when the value is made: each code then costs its message and two
/// blocks, with neither an allocation nor a lock. OpenSSL's own HMAC looks up its parts and copies
/// contexts on each call, for which reason the eight lines of RFC 2104 stand here.
///
/// **Isolation.** Immutable; any number of threads may use one value.
///
/// **Source.** RFC 2104, with SHA-256 as in RFC 4231.
public final class HMACSHA256: Sendable {
    private static let blockSize = 64

    private let inner: SHA256
    private let outer: SHA256

    /// Prepares a key of any length.
    public init(key: Span<UInt8>) {
        var block: [UInt8] = []
        block.reserveCapacity(Self.blockSize)
        if key.count > Self.blockSize {
            SHA256.hash(key).append(to: &block)
        } else {
            for index in key.indices {
                block.append(key[index])
            }
        }
        block.append(contentsOf: repeatElement(0, count: Self.blockSize - block.count))
        inner = Self.start(&block, mask: 0x36)
        outer = Self.start(&block, mask: 0x5c)
        unsafe block.withUnsafeMutableBytes { raw in
            unsafe OPENSSL_cleanse(raw.baseAddress, raw.count)
        }
    }

    /// The code of a message.
    public func authenticate(_ message: Span<UInt8>) -> Digest {
        var hash = inner
        hash.update(message)
        var code = outer
        code.update(hash.finish())
        return code.finish()
    }

    /// The code of the UTF-8 of a text.
    public func authenticate(_ message: String) -> Digest {
        authenticate(message.utf8.span)
    }

    /// A hash that has taken in the key, each byte of it mixed with the mask.
    private static func start(_ key: inout [UInt8], mask: UInt8) -> SHA256 {
        for index in key.indices {
            key[index] ^= mask
        }
        var hash = SHA256()
        hash.update(key.span)
        for index in key.indices {
            key[index] ^= mask
        }
        return hash
    }
}

extension HMACSHA256: CustomStringConvertible {
    /// A text that tells nothing of the key.
    public var description: String {
        "HMAC-SHA-256 key"
    }
}
