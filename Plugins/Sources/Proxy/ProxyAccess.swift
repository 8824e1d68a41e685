// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineModel
internal import TaplineNet

/// Who may use the proxy, and what for.
struct ProxyAccess: Sendable {
    /// What Proxy-Authorization has to say, or `nil` if nobody is asked.
    var credentials: BasicCredentials?
    /// The clients that may connect; all of them where there is no range.
    var allowedClients: [IPRange] = []
    /// The users of this machine whose programs may connect; `nil` if any client may.
    var allowedUsers: Set<UInt32>?
    /// The servers that it never connects to.
    var deniedTargets: [IPRange] = []

    /// Whether a client may connect.
    func allows(client: SocketAddress?) -> Bool {
        guard !allowedClients.isEmpty else { return true }
        guard let client else { return false }
        return allowedClients.contains { $0.contains(client.ip) }
    }

    /// Why the proxy may not connect to an address; `nil` if it may.
    func denial(of target: SocketAddress) -> NetError? {
        guard deniedTargets.contains(where: { $0.contains(target.ip) }) else { return nil }
        return NetError(.targetDenied, "'deny_targets' bars the address of the server")
    }

    /// Whether a request may pass (RFC 9110 §11.7.1).
    func allows(_ fields: borrowing FieldSection) -> Bool {
        guard let credentials else { return true }
        guard let field = fields.firstIndex(of: "Proxy-Authorization") else { return false }
        return credentials.matches(fields.value(at: field))
    }
}
