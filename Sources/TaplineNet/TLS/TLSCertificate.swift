// SPDX-License-Identifier: MIT

internal import COpenSSL

/// A certificate with its key, for the server's end of a session.
///
/// **Isolation**: any thread; immutable. The key has no description.
@safe
public final class TLSCertificate: @unchecked Sendable {
    let certificate: OpaquePointer
    let key: LeafKey
    /// When it is no longer valid, in seconds since 1970.
    public let notAfter: Int64
    /// What tickets of its sessions are bound to: nothing made under another certificate, hence for
    /// another host, is resumed with it.
    let sessionContext: [UInt8]

    /// Takes over the reference of the certificate.
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
    public var der: [UInt8] { unsafe DER.encode(certificate) }
}

extension TLSCertificate: CustomStringConvertible {
    /// A text that tells nothing of the key.
    public var description: String { "certificate" }
}

/// Certificates, and parts of them, as bytes (X.690).
enum DER {
    /// An element of a tag, its content being less than 64 KiB.
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

    /// The bytes of a certificate (i2d_X509(3)).
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
