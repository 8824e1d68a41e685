// SPDX-License-Identifier: MIT

package import TaplineNet
internal import TaplineServe
internal import TaplineTLS

/// What a page needs that other machines can reach: TLS, a password, and the names of its server.
///
/// **Isolation**: any thread; immutable.
package struct RemoteAccess: Sendable {
    /// Where the certificate of the server comes from.
    package enum Certificate: Sendable {
        /// Files: the certificate with its chain, and its key (PEM).
        case files(certificate: String, key: String)
        /// The user's authority, which the variables lead to.
        case authority(environment: [String: String])
    }

    /// How many names a server has at most.
    private static let maxNames = 64

    /// Whether the certificate is one of the user's authority.
    package let isIssued: Bool
    let tls: ServerTLS
    let password: AccessPassword
    /// The names by which browsers reach the server; the first one is shown.
    private let names: [ServerName]

    /// Prepares the access to a server.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - password: The password.
    ///   - hosts: The names by which browsers reach the server, beside its address.
    ///   - address: The address that it listens on.
    /// - Throws: `InspectorError` if a name is wrong, if there is none for a server that listens on
    ///   all addresses, or if the certificate cannot be used.
    package init(
        _ certificate: Certificate,
        _ password: AccessPassword,
        hosts: [String],
        at address: SocketAddress
    ) throws(InspectorError) {
        self.password = password
        do throws(TLSError) {
            names = try Self.names(hosts, address.ip)
            guard let first = names.first, hosts.count <= Self.maxNames else {
                throw TLSError(
                    .configuration,
                    "the server has \(hosts.count) names; expected 1 to \(Self.maxNames)"
                )
            }
            switch certificate {
            case .files(let file, let key):
                isIssued = false
                tls = try ServerTLS(certificateFile: file, keyFile: key)
            case .authority(let environment):
                guard let store = AuthorityStore(environment: environment) else {
                    throw TLSError(
                        .authority,
                        "there is no folder for the certificate authority; neither XDG_DATA_HOME "
                            + "nor HOME is set"
                    )
                }
                isIssued = true
                let authority = try CertificateAuthority(store)
                let others = Array(names.dropFirst())
                tls = try ServerTLS(try authority.certificate(for: first, and: others))
            }
        } catch {
            throw InspectorError(description: error.message)
        }
    }

    /// The names that browsers may use, without duplicates.
    private static func names(
        _ hosts: [String],
        _ ip: IPAddress
    ) throws(TLSError) -> [ServerName] {
        guard !ip.isAny || !hosts.isEmpty else { return [] }
        var texts = hosts
        if !ip.isAny { texts.append("\(ip.unmapped)") }
        if ip.isAny || ip.isLoopback { texts += ["localhost", "127.0.0.1"] }
        if ip.isAny, !ip.isV4 { texts.append("::1") }
        var names: [ServerName] = []
        for text in texts {
            let name = try ServerName(text)
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// The rules of the server, once it has a port.
    func rules(port: UInt16) -> AccessRules {
        AccessRules(
            hosts: names.map { Self.authority($0, port) },
            cookie: "tapline-\(port)",
            isSecure: true
        )
    }

    /// The address of the page.
    func url(port: UInt16) -> String {
        "https://" + (names.first.map { Self.authority($0, port) } ?? "") + "/"
    }

    private static func authority(_ name: ServerName, _ port: UInt16) -> String {
        name.text.contains(":") ? "[\(name.text)]:\(port)" : "\(name.text):\(port)"
    }
}
