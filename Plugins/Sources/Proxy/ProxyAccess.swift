// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineJSON
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

/// A user and a password as a field carries them (RFC 7617).
///
/// **Shape**: neither is ever part of a description.
struct BasicCredentials: Sendable, Equatable, CustomStringConvertible {
    /// Base64 of `user:password`.
    private let token: [UInt8]
    /// Both as they stand in a URL (RFC 3986 §3.2.1).
    let userInfo: String

    init(user: String, password: String) {
        userInfo = [user, password]
            .map { String(decoding: PercentEncoding.encode($0.utf8.span), as: UTF8.self) }
            .joined(separator: ":")
        var token: [UInt8] = []
        Base64.encode("\(user):\(password)".utf8.span, into: &token)
        self.token = token
    }

    /// Whether a field value holds these; takes as long whatever the first difference is.
    func matches(_ value: Span<UInt8>) -> Bool {
        guard value.count > 6, value.extracting(0..<6).equalsIgnoringCase("basic ") else {
            return false
        }
        let given = value.extracting(6..<value.count)
        var difference = given.count ^ token.count
        for index in given.indices {
            // The length of what is right does not show either: it is gone round as often as needed.
            difference |= Int(given[index] ^ token[index % token.count])
        }
        return difference == 0
    }

    /// Whether these are the user and the password.
    func matches(user: Span<UInt8>, password: Span<UInt8>) -> Bool {
        var given = Array(copying: user)
        given.append(.ascii(":"))
        given.append(copying: password)
        var value = Array("Basic ".utf8)
        Base64.encode(given.span, into: &value)
        return matches(value.span)
    }

    /// The value of a field that gives these.
    var fieldValue: ByteString { ByteString(Array("Basic ".utf8) + token) }

    var description: String { "credentials" }
}
