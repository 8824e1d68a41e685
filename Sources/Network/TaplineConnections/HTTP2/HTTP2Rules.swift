// SPDX-License-Identifier: MIT

package import TaplineHTTP2
package import TaplineModel

/// Where HTTP/2 is used, and its limits.
package struct HTTP2Rules: Sendable {
    /// The hosts with which HTTP/2 is used, on both sides of the proxy; empty for none.
    package var hosts: [Glob] = []
    /// The server that speaks HTTP/2 without TLS, by prior knowledge (RFC 9113 §3.3); compared by
    /// identity.
    package var priorKnowledge: Origin?
    /// The limits for clients.
    package var clients = HTTP2Limits()
    /// The limits for servers.
    package var servers = HTTP2Limits()

    /// No HTTP/2; by default, slow streams cannot use up the window of their connection.
    package init() {
        clients.connectionWindow = clients.streams * clients.streamWindow
        // Some clients fail if settings make the window smaller than it is by default (RFC 9113
        // §6.9.2), such as httpx.
        clients.firstWindow = 65_535
        servers.connectionWindow = clients.connectionWindow
    }

    /// Whether HTTP/2 is used with any host.
    package var isOn: Bool { !hosts.isEmpty }

    /// Returns whether HTTP/2 is used with a host.
    package func covers(_ host: Span<UInt8>) -> Bool { hosts.contains { $0.matches(host) } }

    /// Returns whether a connection to a server may speak HTTP/2; the name in TLS decides.
    package func covers(_ origin: Origin) -> Bool {
        guard origin.isSecure else {
            return origin.hasPriorKnowledge || origin === priorKnowledge
        }
        return covers(nameOf: origin)
    }

    /// Returns whether HTTP/2 is used with a server by its name, or by its host if it has none.
    func covers(nameOf origin: Origin) -> Bool {
        let name = origin.serverName ?? origin.host
        return covers(name.span)
    }
}

/// The first bytes of a client that uses HTTP/2 (RFC 9113 §3.4).
package enum HTTP2Preface {
    /// Returns whether the bytes begin with the whole preface; `nil` if more bytes are needed.
    package static func begins(_ input: Span<UInt8>) -> Bool? {
        let bytes = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8.span
        let count = min(input.count, bytes.count)
        guard input.extracting(0..<count).equals(bytes.extracting(0..<count)) else { return false }
        return count == bytes.count ? true : nil
    }
}
