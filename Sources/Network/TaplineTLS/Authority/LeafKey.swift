// SPDX-License-Identifier: MIT

internal import COpenSSL

/// The single key of the certificates of all hosts.
///
/// It lives as long as the process and is never written to disk.
///
/// **Isolation**: any thread; immutable. It has no description.
@safe
final class LeafKey: @unchecked Sendable {
    /// The key pair, on P-256.
    let pair: OpaquePointer
    /// The public key in the form that certificates accept fastest.
    let publicPart: OpaquePointer

    init() throws(TLSError) {
        ErrorQueue.clear()
        guard let pair = unsafe tapline_make_p256_key() else { throw CertificateBuilder.failure() }
        guard let publicPart = unsafe tapline_public_part(pair) else {
            unsafe EVP_PKEY_free(pair)
            throw CertificateBuilder.failure()
        }
        unsafe self.pair = unsafe pair
        unsafe self.publicPart = unsafe publicPart
    }

    deinit {
        unsafe EVP_PKEY_free(pair)
        unsafe EVP_PKEY_free(publicPart)
    }
}
