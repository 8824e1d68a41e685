// SPDX-License-Identifier: MIT

internal import COpenSSL

/// Owns an OpenSSL session and the transport that it uses.
@safe
struct TLSHandle: ~Copyable {
    let ssl: OpaquePointer
    let transport: UnsafeMutablePointer<TLSTransport>

    init(_ context: TLSContext) throws(TLSError) {
        ErrorQueue.clear()
        guard let ssl = unsafe SSL_new(context.context) else { throw TLSContext.failure("session") }
        guard let bio = unsafe BIO_new(context.method.method) else {
            unsafe SSL_free(ssl)
            throw TLSContext.failure("session")
        }
        let transport = UnsafeMutablePointer<TLSTransport>.allocate(capacity: 1)
        unsafe transport.initialize(to: TLSTransport())
        unsafe BIO_set_data(bio, transport)
        unsafe BIO_set_init(bio, 1)
        unsafe SSL_set_bio(ssl, bio, bio)
        unsafe SSL_set_ex_data(ssl, 0, transport)
        unsafe tapline_set_message_argument(ssl, transport)
        unsafe self.ssl = unsafe ssl
        unsafe self.transport = unsafe transport
    }

    deinit {
        unsafe SSL_free(ssl)
        unsafe transport.deinitialize(count: 1)
        unsafe transport.deallocate()
    }

    /// Sets the name that the peer's certificate needs, and sends it to the peer.
    ///
    /// An address is not sent (RFC 6066 §3).
    ///
    /// Only the subject alternative names count, never the subject's common name. For an address,
    /// only the addresses among them count (RFC 9110 §4.3.4, RFC 9525 §6).
    func expect(_ server: ServerName) -> Bool {
        if server.isAddress {
            return unsafe X509_VERIFY_PARAM_set1_ip(
                SSL_get0_param(ssl),
                server.address,
                server.address.count
            ) == 1
        }
        unsafe SSL_set_hostflags(
            ssl,
            UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        )
        return unsafe SSL_set1_host(ssl, server.text) == 1
            && tapline_set_server_name(ssl, server.text) == 1
    }
}
