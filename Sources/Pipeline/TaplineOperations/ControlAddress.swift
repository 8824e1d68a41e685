// SPDX-License-Identifier: MIT

/// Where a control listener is reached: an address of loopback, or a socket in the file system.
package enum ControlAddress: Sendable, Hashable, CustomStringConvertible {
    /// An address of loopback and a port, such as `127.0.0.1:9901` or `[::1]:9901`.
    case loopback(host: String, port: UInt16)
    /// A socket at an absolute path.
    case socket(path: String)

    /// What a text must look like.
    package static let form = "127.0.0.1:PORT, [::1]:PORT or unix:/PATH"

    /// The longest path of a socket, in bytes (unix(7)).
    private static let maxPath = 100

    /// Parses an address; `nil` if it is none, or not one of loopback.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard path.hasPrefix("/"), path.utf8.count > 1, path.utf8.count <= Self.maxPath,
                !path.utf8.contains(0)
            else { return nil }
            self = .socket(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            text[text.index(after: colon)...].utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        switch String(text[..<colon]) {
        case "localhost": self = .loopback(host: "127.0.0.1", port: port)
        case "[::1]": self = .loopback(host: "[::1]", port: port)
        case let host where Self.isLoopback(host): self = .loopback(host: host, port: port)
        default: return nil
        }
    }

    /// Whether a text is an IPv4 address of loopback (RFC 1122 §3.2.1.3).
    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                part.utf8.count <= 3 && part.utf8.allSatisfy { 0x30...0x39 ~= $0 }
                    && UInt8(part) != nil && (part.utf8.count == 1 || !part.hasPrefix("0"))
            }
    }

    /// The address, as it is written.
    package var description: String {
        switch self {
        case .loopback(let host, let port): "\(host):\(port)"
        case .socket(let path): "unix:\(path)"
        }
    }
}
