// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineTLS

/// Decides which tunnels are read, and provides the certificates for their clients.
///
/// **Isolation**: any thread; all workers share one, so that a host's certificate is made once.
package final class Interception: Sendable {
    /// The authority that clients have to trust.
    package let authority: CertificateAuthority
    private let rules: InterceptionRules
    private let context: TLSContext
    /// The context for hosts with which HTTP/2 is used.
    private let http2Context: TLSContext

    /// Reads the authority's files, or creates them if there are none.
    package init(_ rules: InterceptionRules, _ store: AuthorityStore) throws(TLSError) {
        self.rules = rules
        authority = try CertificateAuthority(store)
        context = try TLSContext(server: TLSServerOptions())
        var options = TLSServerOptions()
        options.applicationProtocols.insert("h2", at: 0)
        http2Context = rules.http2Hosts.isEmpty ? context : try TLSContext(server: options)
    }

    /// Returns whether the first bytes of a client in a tunnel to a host are inspected.
    ///
    /// Patterns match names, so for an address the client's name in TLS may decide.
    package func looksInto(_ host: ByteString) -> Bool {
        !passes(host.span) && (intercepts(host.span) || Self.isAddress(host))
    }

    /// Returns whether a tunnel in which the client speaks TLS is read.
    ///
    /// `looksInto` is true for its host, and `name` is the host that the client names in TLS, if
    /// any.
    package func covers(_ host: ByteString, naming name: ServerName?) -> Bool {
        guard let text = name?.text else { return intercepts(host.span) }
        return !passes(text.utf8.span)
            && (intercepts(host.span) || intercepts(text.utf8.span))
    }

    /// Returns whether a tunnel to a host is read, based on CONNECT only.
    package func covers(_ host: ByteString) -> Bool { intercepts(host.span) }

    /// Returns whether a client may use HTTP/2 in a tunnel to a host.
    ///
    /// Patterns match names, so the name in TLS decides, if there is one.
    package func usesHTTP2(with host: ByteString, naming name: ServerName? = nil) -> Bool {
        guard let text = name?.text else {
            return rules.http2Hosts.contains { $0.matches(host.span) }
        }
        return rules.http2Hosts.contains { $0.matches(text.utf8.span) }
    }

    private func intercepts(_ host: Span<UInt8>) -> Bool {
        rules.hosts.contains { $0.matches(host) }
    }

    private func passes(_ host: Span<UInt8>) -> Bool {
        rules.passthrough.contains { $0.matches(host) }
    }

    private static func isAddress(_ host: ByteString) -> Bool {
        (try? ServerName("\(host)"))?.isAddress == true
    }

    /// Makes the server's end of a client's session, with a certificate for the requested host.
    package func makeSession(_ hello: ClientHello, _ origin: Origin) throws(TLSError) -> TLSSession
    {
        let host = if let name = hello.hostName { name } else { try ServerName("\(origin.host)") }
        let usesHTTP2 = usesHTTP2(with: origin.host, naming: hello.hostName)
        let context = usesHTTP2 ? http2Context : context
        return try TLSSession(accepting: context, as: authority.leaf(for: host))
    }
}

extension ClientHello {
    /// The host that the client names; `nil` if it names none or an invalid one.
    ///
    /// Some clients include the port, which is treated as no name.
    package var hostName: ServerName? {
        guard let serverName else { return nil }
        return try? ServerName(serverName)
    }

    /// Returns the host that the client names, if it is not the host of its tunnel.
    package func name(otherThan host: ByteString) -> ByteString? {
        guard let name = hostName, (try? ServerName("\(host)")) != name else { return nil }
        return ByteString(name.text)
    }
}

/// The patterns of hosts whose tunnels are read, and of exceptions.
package struct InterceptionRules: Sendable {
    /// The hosts that are intercepted.
    package var hosts: [Glob]
    /// The hosts among them that are not intercepted.
    package var passthrough: [Glob]
    /// The hosts with which HTTP/2 is used.
    package var http2Hosts: [Glob]

    package init(hosts: [Glob] = [], passthrough: [Glob] = [], http2Hosts: [Glob] = []) {
        self.hosts = hosts
        self.passthrough = passthrough
        self.http2Hosts = http2Hosts
    }
}
