// SPDX-License-Identifier: MIT

extension CertificateAuthority {
    /// Whether clients of the given options take its certificates.
    ///
    /// A handshake in memory decides, with the stores as they are now: what is said here is what
    /// such a client will do.
    ///
    /// - Parameter options: How the client speaks; its `verify` is taken as set.
    /// - Returns: False where the certificate is not trusted.
    /// - Throws: `TLSError` for any other failure.
    public func isTrusted(by options: TLSClientOptions) throws(TLSError) -> Bool {
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
