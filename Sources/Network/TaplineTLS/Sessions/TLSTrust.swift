// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import TaplineSystem

/// Loads the trusted certificates of a client context, and the identity of either end.
enum TLSTrust {
    /// Loads the trusted authorities.
    @unsafe
    static func load(_ options: TLSClientOptions, into context: OpaquePointer) throws(TLSError) {
        ErrorQueue.clear()
        if options.trustsSystem {
            guard unsafe SSL_CTX_set_default_verify_paths(context) == 1 else {
                throw problem("the system's trusted certificates", in: nil)
            }
            // A missing folder or file is not a failure, but leaves errors in the queue.
            ErrorQueue.clear()
        }
        for file in options.authorityFiles {
            guard unsafe SSL_CTX_load_verify_file(context, file) == 1 else {
                throw problem("certificates", in: file)
            }
        }
        for folder in options.authorityFolders {
            guard isFolder(folder),
                unsafe SSL_CTX_load_verify_dir(context, folder) == 1
            else { throw problem("certificates", in: folder) }
        }
    }

    /// Loads the certificate for servers that request one.
    @unsafe
    static func loadIdentity(
        _ options: TLSClientOptions,
        into context: OpaquePointer
    ) throws(TLSError) {
        // Otherwise OpenSSL would prompt for a password on the terminal (pem_password_cb(3)).
        unsafe SSL_CTX_set_default_passwd_cb(context, refusePassword)
        guard let certificate = options.certificateFile else {
            guard options.keyFile == nil else {
                throw TLSError(.configuration, "a key is given without its certificate")
            }
            return
        }
        guard let key = options.keyFile else {
            throw TLSError(.configuration, "a certificate is given without its key")
        }
        try unsafe loadFiles(certificate, key, into: context)
    }

    /// Loads the certificate of a server, with its chain, and its key.
    @unsafe
    static func loadIdentity(
        certificateFile certificate: String,
        keyFile key: String,
        into context: OpaquePointer
    ) throws(TLSError) {
        unsafe SSL_CTX_set_default_passwd_cb(context, refusePassword)
        try unsafe loadFiles(certificate, key, into: context)
    }

    @unsafe
    private static func loadFiles(
        _ certificate: String,
        _ key: String,
        into context: OpaquePointer
    ) throws(TLSError) {
        ErrorQueue.clear()
        guard unsafe SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else {
            throw problem("a certificate", in: certificate)
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1 else {
            throw problem("the key of '\(certificate)'", in: key)
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        (try? FileSystem.status(of: path))??.kind == .folder
    }

    private static func problem(_ what: String, in path: String?) -> TLSError {
        let place = path.map { " from '\($0)'" } ?? ""
        let reason = ErrorQueue.drain()?.text ?? "not there"
        return TLSError(.configuration, "cannot load \(what)\(place); \(reason)")
    }
}

/// pem_password_cb(3): there is no password.
func refusePassword(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int32,
    _ isWriting: Int32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 { -1 }

/// SSL_CTX_set_client_cert_cb(3): notes that the server requests a certificate, and sends none;
/// called only if none is configured for the server.
func noteCertificateRequest(
    _ ssl: OpaquePointer?,
    _ certificate: UnsafeMutablePointer<OpaquePointer?>?,
    _ key: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    if let transport = unsafe SSL_get_ex_data(ssl, 0)?
        .assumingMemoryBound(to: TLSTransport.self)
    {
        unsafe transport.pointee.isCertificateRequested = true
    }
    return 0
}
