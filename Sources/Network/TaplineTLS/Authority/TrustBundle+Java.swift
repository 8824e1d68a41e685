// SPDX-License-Identifier: MIT

internal import COpenSSL

extension TrustBundle {
    /// Returns the same certificates as a trust store for Java (PKCS #12).
    ///
    /// Its password is `changeit`, as for Java's own store, since it protects no secret.
    ///
    /// - Throws: `TLSError` if OpenSSL cannot make it.
    package func javaStore() throws(TLSError) -> [UInt8] {
        ErrorQueue.clear()
        let made = unsafe bytes.withUnsafeBytes { text -> [UInt8] in
            guard let input = unsafe BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count))
            else { return [] }
            defer { unsafe BIO_free(input) }
            guard let store = unsafe tapline_make_java_store(input, "changeit", refusePassword)
            else { return [] }
            defer { unsafe PKCS12_free(store) }
            let count = unsafe i2d_PKCS12(store, nil)
            guard count > 0 else { return [] }
            return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
                var end = buffer.baseAddress
                filled = unsafe Int(max(i2d_PKCS12(store, &end), 0))
            }
        }
        guard !made.isEmpty else { throw TLSContext.failure("trust store for Java") }
        return made
    }
}
