// SPDX-License-Identifier: MIT

internal import CCrypto
internal import Synchronization

/// An AES key that encrypts blocks of 16 bytes one at a time.
///
/// This is the bare block cipher, for use in modes and other constructions. On its own it does not
/// protect a message.
///
/// **Isolation.** Any number of threads may use one value. Each call borrows an OpenSSL context;
/// the key makes as many contexts as threads have used it at the same time.
///
/// **Source.** FIPS 197; EVP_EncryptUpdate(3).
package final class AESKey: Sendable {
    /// The number of bytes in a block.
    package static let blockSize = 16

    private let spare: Mutex<[AESContext]>
    private let first: AESContext

    /// Prepares a key of 16, 24 or 32 bytes; `nil` for any other length, or if OpenSSL lacks AES.
    package init?(_ key: Span<UInt8>) {
        guard let context = AESContext(key), let spare = context.copy() else { return nil }
        first = context
        self.spare = Mutex([spare])
    }

    /// Encrypts each block of 16 bytes in place; returns `false` if the count is not a multiple of
    /// 16.
    ///
    /// If it returns `false`, the content of `blocks` is undefined.
    package func encrypt(_ blocks: inout [UInt8]) -> Bool {
        withContext { context in
            var span = blocks.mutableSpan
            return context.encrypt(&span)
        }
    }

    /// Calls a function with a context for its exclusive use; returns `false` if there is no memory
    /// for one.
    func withContext(_ body: (AESContext) -> Bool) -> Bool {
        guard let context = spare.withLock({ $0.popLast() }) ?? first.copy() else { return false }
        defer { spare.withLock { $0.append(context) } }
        return body(context)
    }
}

extension AESKey: CustomStringConvertible {
    /// A text that reveals nothing about the key.
    package var description: String { "AES key" }
}

/// An OpenSSL context for AES in ECB mode.
///
/// Unchecked: a key hands each context to one caller at a time, and only reads the one that it
/// keeps for making copies.
@safe
final class AESContext: @unchecked Sendable {
    private let context: OpaquePointer

    fileprivate init?(_ key: Span<UInt8>) {
        let cipher: OpaquePointer? =
            switch key.count {
            case 16: unsafe EVP_aes_128_ecb()
            case 24: unsafe EVP_aes_192_ecb()
            case 32: unsafe EVP_aes_256_ecb()
            default: nil
            }
        guard let cipher = unsafe cipher, let made = unsafe EVP_CIPHER_CTX_new() else { return nil }
        unsafe context = made
        let isReady = unsafe key.withUnsafeBufferPointer { key in
            unsafe EVP_EncryptInit_ex(made, cipher, nil, key.baseAddress, nil) == 1
                && EVP_CIPHER_CTX_set_padding(made, 0) == 1
        }
        guard isReady else {
            ERR_clear_error()
            return nil
        }
    }

    private init(taking context: OpaquePointer) {
        unsafe self.context = unsafe context
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Returns a new context for the same key.
    fileprivate func copy() -> AESContext? {
        guard let made = unsafe EVP_CIPHER_CTX_new() else { return nil }
        let copy = unsafe AESContext(taking: made)
        guard unsafe EVP_CIPHER_CTX_copy(made, context) == 1 else {
            ERR_clear_error()
            return nil
        }
        return copy
    }

    /// Encrypts each block in place.
    func encrypt(_ blocks: inout MutableSpan<UInt8>) -> Bool {
        guard blocks.count % AESKey.blockSize == 0, blocks.count <= 1 << 20 else { return false }
        guard blocks.count > 0 else { return true }
        return unsafe blocks.withUnsafeMutableBufferPointer { bytes in
            var written: Int32 = 0
            let count = Int32(truncatingIfNeeded: bytes.count)
            let start = bytes.baseAddress
            guard unsafe EVP_EncryptUpdate(context, start, &written, start, count) == 1,
                written == count
            else {
                ERR_clear_error()
                return false
            }
            return true
        }
    }
}
