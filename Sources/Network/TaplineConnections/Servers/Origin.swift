// SPDX-License-Identifier: MIT

internal import TaplineHTTP
package import TaplineModel
internal import TaplineNet

/// A server: scheme, host and port (RFC 9110 §4.3.1).
///
/// A class, since each request passes it on several times, and there are few origins.
package final class Origin: Hashable, Sendable {
    /// Whether the server uses TLS.
    package let isSecure: Bool
    /// The host as it was named; an IPv6 address is without brackets.
    package let host: ByteString
    /// The port.
    package let port: UInt16
    /// The name of the host, if it is not `host`: the one to request in TLS, otherwise the one that
    /// a redirected client has looked up.
    package let serverName: ByteString?
    /// Keeps apart servers at one address: only origins of the same group share connections.
    package let group: Int
    /// Whether the server is known to speak HTTP/2 without TLS (RFC 9113 §3.3).
    package let hasPriorKnowledge: Bool

    package init(
        isSecure: Bool,
        host: ByteString,
        port: UInt16,
        serverName: ByteString? = nil,
        group: Int = 0,
        hasPriorKnowledge: Bool = false
    ) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.serverName = serverName
        self.group = group
        self.hasPriorKnowledge = hasPriorKnowledge
    }

    /// The same server, which is known to speak HTTP/2 without TLS.
    package var withPriorKnowledge: Origin {
        Origin(
            isSecure: false,
            host: host,
            port: port,
            serverName: serverName,
            group: group,
            hasPriorKnowledge: true
        )
    }

    /// Returns the same server without TLS, with a name of its host.
    package func named(_ name: ByteString) -> Origin {
        Origin(isSecure: false, host: host, port: port, serverName: name, group: group)
    }

    /// Whether the server runs on this machine.
    package var isLoopback: Bool {
        let host = host
        if let ip = IPAddress(host.span) { return ip.isLoopback || ip.isAny }
        let name = "\(host)".lowercased()
        // RFC 6761 §6.3.
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    /// Returns whether a pattern matches the host or its name.
    func matches(_ pattern: Glob) -> Bool {
        let host = host
        if pattern.matches(host.span) { return true }
        guard let name = serverName else { return false }
        return pattern.matches(name.span)
    }

    /// Makes the origin of a request from its scheme and authority; `nil` if these name no server.
    package convenience init?(_ request: borrowing Request) {
        guard Self.serves(request.scheme) else { return nil }
        let isSecure = request.scheme.span.equalsIgnoringCase("https")
        self.init(authority: request.authority.span, isSecure: isSecure)
    }

    /// Returns whether a scheme is `http` or `https`.
    package static func serves(_ scheme: borrowing ByteString) -> Bool {
        scheme.span.equalsIgnoringCase("http") || scheme.span.equalsIgnoringCase("https")
    }

    /// Makes the origin of an authority; the scheme's port is the default.
    package convenience init?(
        authority: Span<UInt8>,
        isSecure: Bool,
        hasPriorKnowledge: Bool = false
    ) {
        guard let parts = Authority(authority),
            let port = UInt16(exactly: parts.port ?? (isSecure ? 443 : 80)), port > 0
        else { return nil }
        self.init(
            isSecure: isSecure,
            host: ByteString(authority.extracting(parts.host)),
            port: port,
            hasPriorKnowledge: hasPriorKnowledge
        )
    }

    /// Makes the origin of a URL without a path and a user; `nil` if it is another text.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - allowsH2C: Whether `h2c` is accepted, which is `http` with HTTP/2 by prior knowledge.
    package convenience init?(url: String, allowsH2C: Bool = false) {
        let bytes = url.utf8.span
        guard let parts = URLParts(bytes) else { return nil }
        let rest = bytes.extracting(parts.target)
        guard rest.isEmpty || rest.equals("/"), parts.userInfo.isEmpty else { return nil }
        let scheme = bytes.extracting(parts.scheme)
        let isSecure = scheme.equalsIgnoringCase("https")
        let isH2C = allowsH2C && scheme.equalsIgnoringCase("h2c")
        guard isSecure || isH2C || scheme.equalsIgnoringCase("http") else { return nil }
        self.init(
            authority: bytes.extracting(parts.hostPort),
            isSecure: isSecure,
            hasPriorKnowledge: isH2C
        )
    }

    /// The scheme.
    package var scheme: ByteString { isSecure ? Self.https : Self.http }

    // Static, since each request gets one of them.
    private static let http: ByteString = "http"
    private static let https: ByteString = "https"

    /// Host and port in the form of a Host field, without the scheme's default port.
    package var authority: ByteString {
        port == (isSecure ? 443 : 80) ? ByteString(bracketedHost) : hostPort
    }

    /// Host and port in the form of CONNECT.
    package var hostPort: ByteString { ByteString("\(bracketedHost):\(port)") }

    private var bracketedHost: String {
        let host = host
        let isV6 = host.span.firstIndex(of: .ascii(":")) != nil
        return isV6 ? "[\(host)]" : "\(host)"
    }

    /// Returns whether both are the same server.
    package static func == (left: Origin, right: Origin) -> Bool {
        left === right
            || (left.port == right.port && left.isSecure == right.isSecure
                && left.host == right.host && left.serverName == right.serverName
                && left.group == right.group
                && left.hasPriorKnowledge == right.hasPriorKnowledge)
    }

    /// Hashes the host in words instead of bytes, since each request looks up its server twice.
    package func hash(into hasher: inout Hasher) {
        let host = host
        let bytes = host.span
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index])
            guard index % 8 == 7 else { continue }
            hasher.combine(word)
            word = 0
        }
        hasher.combine(word)
        hasher.combine(group &<< 32 | bytes.count &<< 16 | Int(port))
    }
}
