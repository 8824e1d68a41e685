// SPDX-License-Identifier: MIT

internal import CCrypto

/// Keys from passphrases, made slowly so that guessing a passphrase takes long.
///
/// **Source.** RFC 8018 §5.2; PKCS5_PBKDF2_HMAC(3).
package enum PBKDF2 {
    /// Derives a key with HMAC-SHA-256.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase, at most 1 MiB.
    ///   - salt: Random bytes, at most 1 MiB, which are not secret.
    ///   - rounds: How often each block is hashed; at least 1.
    ///   - count: The number of bytes of the key, 1 to 1024.
    /// - Returns: The key; `nil` if a number is out of range, or if OpenSSL fails.
    package static func key(
        from passphrase: Span<UInt8>,
        salt: Span<UInt8>,
        rounds: Int,
        count: Int = 32
    ) -> [UInt8]? {
        guard passphrase.count <= 1 << 20, salt.count <= 1 << 20, 1...1024 ~= count,
            let rounds = Int32(exactly: rounds), rounds > 0
        else { return nil }
        var key = [UInt8](repeating: 0, count: count)
        let isMade = unsafe passphrase.withUnsafeBytes { passphrase in
            unsafe salt.withUnsafeBufferPointer { salt in
                unsafe key.withUnsafeMutableBufferPointer { key in
                    unsafe PKCS5_PBKDF2_HMAC(
                        passphrase.baseAddress?.assumingMemoryBound(to: CChar.self),
                        Int32(passphrase.count),
                        salt.baseAddress,
                        Int32(salt.count),
                        rounds,
                        EVP_sha256(),
                        Int32(count),
                        key.baseAddress
                    ) == 1
                }
            }
        }
        guard isMade else {
            ERR_clear_error()
            return nil
        }
        return key
    }
}
