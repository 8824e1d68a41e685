// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineModel
internal import TaplineNet

/// Which clients may use the proxy, and which servers they may reach.
struct ProxyAccess: Sendable {
    /// The required credentials in Proxy-Authorization, or `nil` if none are required.
    var credentials: BasicCredentials?
    /// The clients that may connect; any client if empty.
    var allowedClients: [IPRange] = []
    /// The users of this machine whose programs may connect; `nil` if any client may.
    var allowedUsers: Set<UInt32>?
    /// The addresses that the proxy never connects to.
    var deniedTargets: [IPRange] = []

    /// Returns whether a client may connect.
    func allows(client: SocketAddress?) -> Bool {
        guard !allowedClients.isEmpty else { return true }
        guard let client else { return false }
        return allowedClients.contains { $0.contains(client.ip) }
    }

    /// Returns why the proxy may not connect to an address; `nil` if it may.
    func denial(of target: SocketAddress) -> NetError? {
        guard deniedTargets.contains(where: { $0.contains(target.ip) }) else { return nil }
        return NetError(.targetDenied, "'deny_targets' denies the address of the server")
    }

    /// Returns whether a request has the required credentials (RFC 9110 §11.7.1).
    func allows(_ fields: borrowing FieldSection) -> Bool {
        guard let credentials else { return true }
        guard let field = fields.firstIndex(of: "Proxy-Authorization") else { return false }
        return credentials.matches(fields.value(at: field))
    }
}
