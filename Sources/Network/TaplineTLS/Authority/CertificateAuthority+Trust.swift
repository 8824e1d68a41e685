// SPDX-License-Identifier: MIT

extension CertificateAuthority {
    /// Returns whether clients with the given options accept the authority's certificates.
    ///
    /// The result comes from a handshake in memory with the current trust stores, so it matches
    /// what such a client will do.
    ///
    /// - Parameter options: The options of the client; `verify` is treated as true.
    /// - Returns: False if the certificate is not trusted.
    /// - Throws: `TLSError` for any other failure.
    package func isTrusted(by options: TLSClientOptions) throws(TLSError) -> Bool {
        var options = options
        options.verify = true
        let host = try ServerName("tapline.test")
        let client = try TLSSession(connecting: TLSContext(client: options), to: host, port: 443)
        let server = try TLSSession(
            accepting: TLSContext(server: TLSServerOptions()),
            as: leaf(for: host)
        )
        var fromClient: [UInt8] = []
        var fromServer: [UInt8] = []
        var position = 0
        _ = try client.handshake(Span(), from: &position, replies: &fromClient)
        _ = try server.handshake(fromClient.span, from: &position, replies: &fromServer)
        position = 0
        do throws(TLSError) {
            _ = try client.handshake(fromServer.span, from: &position, replies: &fromClient)
            return client.isEstablished
        } catch {
            guard error.code == .verification else { throw error }
            return false
        }
    }
}
