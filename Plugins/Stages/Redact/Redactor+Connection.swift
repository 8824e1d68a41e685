// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Redactor {
    /// Redacts addresses and server names, which only detectors search.
    mutating func redact(_ connection: inout Connection) {
        connection.client = redactedName(connection.client)
        connection.server = redactedName(connection.server)
        guard search.hasDetectors else { return }
        if let tls = connection.tls { connection.tls = redacted(tls) }
        if let tls = connection.serverTLS { connection.serverTLS = redacted(tls) }
    }

    private mutating func redacted(_ tls: TLSInfo) -> TLSInfo {
        guard tls.texts.contains(where: { scans($0.utf8.span) }) else { return tls }
        return TLSInfo(
            version: redactedName(tls.version),
            cipher: redactedName(tls.cipher),
            sni: redactedName(tls.sni),
            alpn: redactedName(tls.alpn),
            handshake: tls.handshake
        )
    }
}

extension Connection {
    /// The texts that identify the peers and their TLS session.
    var names: [String] {
        [client, server] + (tls?.texts ?? []) + (serverTLS?.texts ?? [])
    }
}

extension TLSInfo {
    /// The texts of the session; any of them may be arbitrary in a recording, as may `alpn`.
    fileprivate var texts: [String] { [version, cipher, sni, alpn] }
}
