// SPDX-License-Identifier: MIT

internal import COpenSSL

/// A certificate with its key, for the server's end of a session.
///
/// **Isolation**: any thread; immutable. The key has no description.
@safe
package final class TLSCertificate: @unchecked Sendable {
    let certificate: OpaquePointer
    let key: LeafKey
    /// The end of its validity, in seconds since 1970.
    package let notAfter: Int64
    /// The context that its session tickets are bound to.
    ///
    /// No session of another certificate, and so of another host, is resumed with it.
    let sessionContext: [UInt8]

    /// Takes ownership of a reference to the certificate.
    @unsafe
    init(
        owning certificate: OpaquePointer,
        key: LeafKey,
        notAfter: Int64,
        sessionContext: [UInt8]
    ) {
        unsafe self.certificate = unsafe certificate
        self.key = key
        self.notAfter = notAfter
        self.sessionContext = sessionContext
    }

    deinit { unsafe X509_free(certificate) }

    /// Its bytes (X.509, DER).
    package var der: [UInt8] { unsafe DER.encode(certificate) }
}

extension TLSCertificate: CustomStringConvertible {
    /// A description that reveals nothing about the key.
    package var description: String { "certificate" }
}

/// DER encodings of certificates and their parts (X.690).
enum DER {
    /// Encodes an element with a tag and less than 64 KiB of content.
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        var head = [tag]
        if count >= 0x100 {
            head += [0x82, UInt8(truncatingIfNeeded: count >> 8)]
        } else if count >= 0x80 {
            head.append(0x81)
        }
        head.append(UInt8(truncatingIfNeeded: count))
        return head + content
    }

    /// Encodes a certificate (i2d_X509(3)).
    @unsafe
    static func encode(_ certificate: OpaquePointer) -> [UInt8] {
        let count = unsafe i2d_X509(certificate, nil)
        guard count > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
            var end = buffer.baseAddress
            filled = unsafe Int(max(i2d_X509(certificate, &end), 0))
        }
    }
}
