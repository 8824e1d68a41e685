// SPDX-License-Identifier: MIT

internal import COpenSSL

/// The settings that all TLS sessions of one kind share: versions, ciphers, trust, tickets.
///
/// One context serves all intercepted hosts, since making one costs at least a hundred
/// microseconds. Each session chooses its certificate. For servers, there is one context for each
/// set of options.
///
/// **Isolation**: any thread; immutable once it is made.
@safe
package final class TLSContext: @unchecked Sendable {
    /// Whether its sessions are the server's end.
    package let isServer: Bool
    /// The options for servers; `nil` on the server's end.
    package let clientOptions: TLSClientOptions?
    let context: OpaquePointer
    let method: TLSTransportMethod
    let sessions: TLSSessionCache?
    private let applicationProtocols: TLSProtocolList

    /// Makes the context for all clients.
    ///
    /// **Throws**: `TLSError` if OpenSSL cannot make it.
    package init(server options: TLSServerOptions) throws(TLSError) {
        applicationProtocols = try TLSProtocolList(options.applicationProtocols)
        method = try TLSTransportMethod()
        unsafe context = try Self.make(options.lowestVersion, options.highestVersion)
        isServer = true
        clientOptions = nil
        sessions = nil
        // Tickets contain everything for resumption, so there is no cache here (RFC 8446 §4.6.1).
        unsafe tapline_ctx_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
        unsafe SSL_CTX_set_num_tickets(context, 1)
        unsafe SSL_CTX_set_timeout(context, Self.ticketSeconds)
        unsafe SSL_CTX_set_alpn_select_cb(
            context,
            selectProtocol,
            Unmanaged.passUnretained(applicationProtocols).toOpaque()
        )
    }

    /// Makes the context of a server that has one certificate for all clients.
    ///
    /// - Parameters:
    ///   - options: The options for clients.
    ///   - certificateFile: The certificate, with its chain (PEM).
    ///   - keyFile: Its key (PEM, without a password).
    /// - Throws: `TLSError` if a file cannot be used, or if the key is not that of the certificate.
    package convenience init(
        server options: TLSServerOptions,
        certificateFile: String,
        keyFile: String
    ) throws(TLSError) {
        try self.init(server: options)
        try unsafe TLSTrust.loadIdentity(
            certificateFile: certificateFile,
            keyFile: keyFile,
            into: context
        )
    }

    /// Makes the context for all servers with the same options.
    ///
    /// **Throws**: `TLSError` if a certificate or key file cannot be used.
    package init(client options: TLSClientOptions) throws(TLSError) {
        applicationProtocols = try TLSProtocolList(options.applicationProtocols)
        method = try TLSTransportMethod()
        unsafe context = try Self.make(options.lowestVersion, options.highestVersion)
        isServer = false
        clientOptions = options
        sessions = TLSSessionCache(capacity: options.resumableSessions)
        unsafe tapline_ctx_set_session_cache_mode(
            context,
            Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL)
        )
        unsafe SSL_CTX_sess_set_new_cb(context, keepSession)
        let wire = applicationProtocols.wire
        if !wire.isEmpty, unsafe SSL_CTX_set_alpn_protos(context, wire, UInt32(wire.count)) != 0 {
            throw Self.failure("application protocols")
        }
        unsafe SSL_CTX_set_verify(
            context,
            options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
            options.verify ? noteVerification : nil
        )
        unsafe SSL_CTX_set_client_cert_cb(context, noteCertificateRequest)
        if options.verify { try unsafe TLSTrust.load(options, into: context) }
        try unsafe TLSTrust.loadIdentity(options, into: context)
    }

    deinit { unsafe SSL_CTX_free(context) }

    /// The number of servers with a session to resume.
    package var resumableSessions: Int { sessions?.count ?? 0 }

    /// The lifetime of a ticket: two hours.
    private static let ticketSeconds = 7200

    /// Makes a context with the settings of both ends.
    @unsafe
    private static func make(
        _ lowest: TLSVersion,
        _ highest: TLSVersion
    ) throws(TLSError) -> OpaquePointer {
        ErrorQueue.clear()
        guard let context = unsafe SSL_CTX_new(TLS_method()) else { throw failure("context") }
        do throws(TLSError) {
            try unsafe configure(context, lowest, highest)
        } catch {
            unsafe SSL_CTX_free(context)
            throw error
        }
        return unsafe context
    }

    @unsafe
    private static func configure(
        _ context: OpaquePointer,
        _ lowest: TLSVersion,
        _ highest: TLSVersion
    ) throws(TLSError) {
        guard unsafe tapline_ctx_set_versions(context, lowest.number, highest.number) == 1 else {
            throw failure("protocol versions")
        }
        // X25519 comes first: a shared secret on P-256 costs 50 microseconds more.
        guard unsafe tapline_ctx_set_groups(context, "X25519:P-256:P-384") == 1,
            unsafe SSL_CTX_set_ciphersuites(context, suites) == 1
        else { throw failure("ciphers") }
        unsafe tapline_ctx_set_mode(
            context,
            // Idle sessions release their 34 KiB of buffers. A write may be retried from another
            // buffer. No chain is built for certificates that the authority has signed itself.
            Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
                | Int(SSL_MODE_NO_AUTO_CHAIN)
        )
        unsafe SSL_CTX_set_options(
            context,
            tapline_op_no_renegotiation | tapline_op_no_compression | tapline_op_server_preference
        )
        unsafe SSL_CTX_set_msg_callback(context, countRecord)
    }

    /// The suites of TLS 1.3, the cheapest first.
    private static let suites =
        "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"

    static func failure(_ what: String) -> TLSError {
        let reason = ErrorQueue.drain()?.text ?? "no memory"
        return TLSError(.failed, "OpenSSL could not make its \(what): \(reason)")
    }
}

extension TLSVersion {
    /// The number in OpenSSL.
    fileprivate var number: Int32 {
        switch self {
        case .v12: TLS1_2_VERSION
        case .v13: TLS1_3_VERSION
        }
    }
}

// MARK: - Application protocols

/// Application protocols in wire format: each name after its length (RFC 7301 §3.1).
package final class TLSProtocolList: Sendable {
    let wire: [UInt8]

    /// Makes the list of these names, in order of preference.
    ///
    /// **Throws**: `TLSError` if a name is empty or too long.
    package init(_ names: [String]) throws(TLSError) {
        var wire: [UInt8] = []
        for name in names {
            guard (1...255).contains(name.utf8.count) else {
                throw TLSError(
                    .configuration,
                    "the name of an application protocol has \(name.utf8.count) bytes; expected 1 to 255"
                )
            }
            wire.append(UInt8(name.utf8.count))
            wire.append(contentsOf: name.utf8)
        }
        self.wire = wire
    }
}

/// SSL_CTX_set_alpn_select_cb(3): selects the first of our protocols that the client offers.
private func selectProtocol(
    _ ssl: OpaquePointer?,
    _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ selectedCount: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?,
    _ offeredCount: UInt32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let argument = unsafe argument, let selectedCount = unsafe selectedCount else {
        return SSL_TLSEXT_ERR_NOACK
    }
    let list = unsafe Unmanaged<TLSProtocolList>.fromOpaque(argument).takeUnretainedValue()
    guard !list.wire.isEmpty else { return SSL_TLSEXT_ERR_NOACK }
    return unsafe list.wire.withUnsafeBufferPointer { ours in
        var found: UnsafeMutablePointer<UInt8>?
        let result = unsafe SSL_select_next_proto(
            &found,
            selectedCount,
            ours.baseAddress,
            UInt32(ours.count),
            offered,
            offeredCount
        )
        // The result points into the array of the list, which the context keeps in place.
        unsafe selected?.pointee = UnsafePointer(found)
        return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
    }
}
