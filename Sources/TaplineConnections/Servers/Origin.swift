// SPDX-License-Identifier: MIT

internal import TaplineHTTP
package import TaplineModel

/// A server: scheme, host and port (RFC 9110 §4.3.1).
///
/// A class, since each request hands its own on a few times, and there are few of them.
package final class Origin: Hashable, Sendable {
    /// Whether it is spoken to in TLS.
    package let isSecure: Bool
    /// The host as it was named, an IPv6 address without brackets.
    package let host: ByteString
    /// The port.
    package let port: UInt16
    /// The host that it is asked for in TLS, where that is another.
    package let serverName: ByteString?

    package init(isSecure: Bool, host: ByteString, port: UInt16, serverName: ByteString? = nil) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.serverName = serverName
    }

    /// The origin of a request by its scheme and authority; `nil` if these name none.
    package convenience init?(_ request: borrowing Request) {
        guard Self.serves(request.scheme) else { return nil }
        let isSecure = request.scheme.span.equalsIgnoringCase("https")
        self.init(authority: request.authority.span, isSecure: isSecure)
    }

    /// Whether servers of a scheme are spoken to in HTTP.
    package static func serves(_ scheme: borrowing ByteString) -> Bool {
        scheme.span.equalsIgnoringCase("http") || scheme.span.equalsIgnoringCase("https")
    }

    /// The origin of an authority; the port is that of the scheme where none is named.
    package convenience init?(authority: Span<UInt8>, isSecure: Bool) {
        guard let parts = Authority(authority),
            let port = UInt16(exactly: parts.port ?? (isSecure ? 443 : 80)), port > 0
        else { return nil }
        self.init(
            isSecure: isSecure,
            host: ByteString(authority.extracting(parts.host)),
            port: port
        )
    }

    /// The scheme.
    package var scheme: ByteString { isSecure ? Self.https : Self.http }

    // Kept, since each request is given one.
    private static let http: ByteString = "http"
    private static let https: ByteString = "https"

    /// Host and port as a Host field names them: the port is left out where it is the scheme's.
    package var authority: ByteString {
        port == (isSecure ? 443 : 80) ? ByteString(bracketedHost) : hostPort
    }

    /// Host and port as CONNECT names them.
    package var hostPort: ByteString { ByteString("\(bracketedHost):\(port)") }

    private var bracketedHost: String {
        let host = host
        let isV6 = host.span.firstIndex(of: .ascii(":")) != nil
        return isV6 ? "[\(host)]" : "\(host)"
    }

    /// Whether both are the same server.
    package static func == (left: Origin, right: Origin) -> Bool {
        left === right
            || (left.port == right.port && left.isSecure == right.isSecure
                && left.host == right.host && left.serverName == right.serverName)
    }

    /// Hashes the host in words, not byte by byte: each request looks for its server twice.
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
        hasher.combine(bytes.count << 16 | Int(port))
    }
}
