// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineNet

/// Which tunnels are read instead of passed, and under whose certificates.
///
/// **Isolation**: any thread; all workers share one, so that a host's certificate is made once.
package final class Interception: Sendable {
    /// The authority that clients have to trust.
    package let authority: CertificateAuthority
    private let rules: InterceptionRules
    private let context: TLSContext

    /// Reads the authority's files, which it makes where there are none yet.
    package init(_ rules: InterceptionRules, _ store: AuthorityStore) throws(TLSError) {
        self.rules = rules
        authority = try CertificateAuthority(store)
        context = try TLSContext(server: TLSServerOptions())
    }

    /// Whether what a client says first in a tunnel to a host is looked at.
    ///
    /// An address says nothing about the names that patterns match; the client may name one in TLS.
    package func looksInto(_ host: ByteString) -> Bool {
        !passes(host.span) && (intercepts(host.span) || Self.isAddress(host))
    }

    /// Whether a tunnel to a host, which `looksInto` is true for, is read when the client speaks TLS
    /// in it and names a host there, where it does.
    package func covers(_ host: ByteString, naming name: ServerName?) -> Bool {
        guard let text = name?.text else { return intercepts(host.span) }
        return !passes(text.utf8.span)
            && (intercepts(host.span) || intercepts(text.utf8.span))
    }

    /// Whether a tunnel to a host is read by what CONNECT says alone.
    package func covers(_ host: ByteString) -> Bool { intercepts(host.span) }

    private func intercepts(_ host: Span<UInt8>) -> Bool {
        rules.hosts.contains { $0.matches(host) }
    }

    private func passes(_ host: Span<UInt8>) -> Bool {
        rules.passthrough.contains { $0.matches(host) }
    }

    private static func isAddress(_ host: ByteString) -> Bool {
        (try? ServerName("\(host)"))?.isAddress == true
    }

    /// The server's end of a client's session, under a certificate for the host that it wants.
    package func makeSession(_ hello: ClientHello, _ origin: Origin) throws(TLSError) -> TLSSession
    {
        let host = if let name = hello.hostName { name } else { try ServerName("\(origin.host)") }
        return try TLSSession(accepting: context, as: authority.leaf(for: host))
    }
}

extension ClientHello {
    /// The host that the client names; `nil` if it names none, or what no host can be called:
    /// some send the port after it, which counts as if they had said nothing.
    package var hostName: ServerName? {
        guard let serverName else { return nil }
        return try? ServerName(serverName)
    }

    /// The host that the client names, if that is another than the one of its tunnel.
    package func name(otherThan host: ByteString) -> ByteString? {
        guard let name = hostName, (try? ServerName("\(host)")) != name else { return nil }
        return ByteString(name.text)
    }
}

/// Patterns of hosts whose tunnels are read, and of those that are left alone all the same.
package struct InterceptionRules: Sendable {
    /// The hosts that are intercepted.
    package var hosts: [Glob]
    /// The hosts among them that are not.
    package var passthrough: [Glob]

    package init(hosts: [Glob] = [], passthrough: [Glob] = []) {
        self.hosts = hosts
        self.passthrough = passthrough
    }
}
