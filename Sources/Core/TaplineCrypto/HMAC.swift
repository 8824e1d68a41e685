// SPDX-License-Identifier: MIT

internal import CCrypto

/// Authentication codes of a hash function under one key, which is hashed only once (RFC 2104).
struct HMAC<Hash: HashFunction>: Sendable {
    /// The hash states after the key, XORed with the inner and the outer mask.
    let inner: Hash
    let outer: Hash

    init(key: Span<UInt8>) {
        var block = [UInt8](repeating: 0, count: Hash.blockSize)
        if key.count > Hash.blockSize {
            var hash = Hash()
            hash.update(key)
            var span = block.mutableSpan
            hash.finish(into: &span)
        } else {
            for index in key.indices { block[index] = key[index] }
        }
        inner = Self.start(&block, mask: 0x36)
        outer = Self.start(&block, mask: 0x5c)
        unsafe block.withUnsafeMutableBytes { raw in
            unsafe OPENSSL_cleanse(raw.baseAddress, raw.count)
        }
    }

    func authenticate(_ message: Span<UInt8>) -> HashValue {
        var hash = inner
        hash.update(message)
        let value = hash.value()
        var code = outer
        code.update(value.bytes)
        return code.value()
    }

    private static func start(_ key: inout [UInt8], mask: UInt8) -> Hash {
        for index in key.indices { key[index] ^= mask }
        var hash = Hash()
        hash.update(key.span)
        for index in key.indices { key[index] ^= mask }
        return hash
    }
}
