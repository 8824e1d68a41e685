// SPDX-License-Identifier: MIT

package import TaplineTLS

/// The TLS of a server: its settings, and the certificate that it presents to every client.
///
/// **Isolation**: any thread; immutable.
package struct ServerTLS: Sendable {
    private let context: TLSContext
    /// `nil` if the context has it.
    private let certificate: TLSCertificate?

    /// Uses a certificate in files.
    ///
    /// - Parameters:
    ///   - certificateFile: The certificate, with its chain (PEM).
    ///   - keyFile: Its key (PEM, without a password).
    /// - Throws: `TLSError` if a file cannot be used.
    package init(certificateFile: String, keyFile: String) throws(TLSError) {
        context = try TLSContext(
            server: TLSServerOptions(),
            certificateFile: certificateFile,
            keyFile: keyFile
        )
        certificate = nil
    }

    /// Uses a certificate that was made for the server.
    package init(_ certificate: TLSCertificate) throws(TLSError) {
        context = try TLSContext(server: TLSServerOptions())
        self.certificate = certificate
    }

    /// Makes the server's end of a connection.
    func makeSession() throws(TLSError) -> TLSSession {
        guard let certificate else { return try TLSSession(accepting: context) }
        return try TLSSession(accepting: context, as: certificate)
    }
}
