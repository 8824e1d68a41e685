// SPDX-License-Identifier: MIT

internal import CCrypto

/// Encrypts and authenticates messages with AES-256 in Galois/Counter Mode.
///
/// A nonce must not be used twice with one key.
///
/// **Source.** NIST SP 800-38D; EVP_EncryptInit(3), "AEAD Interface".
package enum AESGCM {
    /// The number of bytes in a key.
    package static let keySize = 32
    /// The number of bytes in a nonce.
    package static let nonceSize = 12
    /// The number of bytes in the tag at the end of a sealed message.
    package static let tagSize = 16

    /// Encrypts a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes.
    /// - Returns: The encrypted bytes, followed by the tag; `nil` if a size is wrong, or if OpenSSL
    ///   fails.
    package static func seal(
        _ message: Span<UInt8>,
        key: Span<UInt8>,
        nonce: Span<UInt8>
    ) -> [UInt8]? {
        guard let context = GCMContext(key, nonce, encrypts: true) else { return nil }
        var sealed = [UInt8](repeating: 0, count: message.count + tagSize)
        guard context.update(message, into: &sealed), context.finish(),
            context.readTag(into: &sealed, at: message.count)
        else { return nil }
        return sealed
    }

    /// Decrypts a message.
    ///
    /// - Parameters:
    ///   - sealed: What `seal` returned.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes.
    /// - Returns: The message; `nil` if it was changed, if it was sealed with another key or nonce,
    ///   or if a size is wrong.
    package static func open(
        _ sealed: Span<UInt8>,
        key: Span<UInt8>,
        nonce: Span<UInt8>
    ) -> [UInt8]? {
        let count = sealed.count - tagSize
        guard count >= 0, let context = GCMContext(key, nonce, encrypts: false) else { return nil }
        var message = [UInt8](repeating: 0, count: count)
        guard context.update(sealed.extracting(0..<count), into: &message),
            context.setTag(sealed.extracting(count..<sealed.count)), context.finish()
        else { return nil }
        return message
    }
}

/// An OpenSSL context for one message.
@safe
private final class GCMContext {
    /// OpenSSL counts in `Int32`.
    private static let chunk = 1 << 24

    private let context: OpaquePointer

    init?(_ key: Span<UInt8>, _ nonce: Span<UInt8>, encrypts: Bool) {
        guard key.count == AESGCM.keySize, nonce.count == AESGCM.nonceSize,
            let made = unsafe EVP_CIPHER_CTX_new()
        else { return nil }
        unsafe context = made
        let isReady = unsafe key.withUnsafeBufferPointer { key in
            unsafe nonce.withUnsafeBufferPointer { nonce in
                unsafe EVP_CipherInit_ex(
                    made,
                    EVP_aes_256_gcm(),
                    nil,
                    key.baseAddress,
                    nonce.baseAddress,
                    encrypts ? 1 : 0
                ) == 1
            }
        }
        guard isReady else {
            ERR_clear_error()
            return nil
        }
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Encrypts or decrypts bytes into the start of an array that has room for them.
    func update(_ input: Span<UInt8>, into output: inout [UInt8]) -> Bool {
        guard input.count <= output.count else { return false }
        var position = 0
        while position < input.count {
            let count = min(Self.chunk, input.count - position)
            let start = position
            let isDone = unsafe input.withUnsafeBufferPointer { source in
                unsafe output.withUnsafeMutableBufferPointer { target in
                    guard let source = source.baseAddress, let target = target.baseAddress else {
                        return false
                    }
                    var written: Int32 = 0
                    return unsafe EVP_CipherUpdate(
                        context,
                        target + start,
                        &written,
                        source + start,
                        Int32(count)
                    ) == 1 && Int(written) == count
                }
            }
            guard isDone else { return failed() }
            position += count
        }
        return true
    }

    /// Ends the message; `false` if its tag is wrong.
    func finish() -> Bool {
        // This mode writes nothing at the end.
        var rest = [UInt8](repeating: 0, count: AESGCM.tagSize)
        var written: Int32 = 0
        let isDone = unsafe rest.withUnsafeMutableBufferPointer {
            unsafe EVP_CipherFinal_ex(context, $0.baseAddress, &written) == 1
        }
        return isDone && written == 0 || failed()
    }

    func readTag(into output: inout [UInt8], at start: Int) -> Bool {
        guard start >= 0, output.count - start == AESGCM.tagSize else { return false }
        let isRead = unsafe output.withUnsafeMutableBufferPointer { output in
            guard let base = output.baseAddress else { return false }
            let size = Int32(AESGCM.tagSize)
            return unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, size, base + start)
                == 1
        }
        return isRead || failed()
    }

    func setTag(_ tag: Span<UInt8>) -> Bool {
        var bytes: [UInt8] = []
        for index in tag.indices { bytes.append(tag[index]) }
        let isSet = unsafe bytes.withUnsafeMutableBufferPointer { tag in
            let size = Int32(clamping: tag.count)
            return unsafe EVP_CIPHER_CTX_ctrl(
                context,
                EVP_CTRL_AEAD_SET_TAG,
                size,
                tag.baseAddress
            ) == 1
        }
        return isSet || failed()
    }

    private func failed() -> Bool {
        ERR_clear_error()
        return false
    }
}
