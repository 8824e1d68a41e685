// SPDX-License-Identifier: MIT

internal import TaplineNet
internal import TaplineSystem

/// The name servers of the system, which are read again when the file may have changed.
///
/// **Source**: resolv.conf(5).
struct ResolverList {
    /// How many servers are used, as in the C library.
    private static let maxServers = 3
    /// How long the servers are used before the file is read again, in microseconds.
    private static let lifetime: Int64 = 5_000_000

    private let path: String
    private let fixed: [SocketAddress]?
    private var servers: [SocketAddress] = []
    private var readAt: Int64?

    /// Reads a file, unless the servers are fixed.
    init(path: String, fixed: [SocketAddress]? = nil) {
        self.path = path
        self.fixed = fixed
    }

    /// Returns the servers, at a time on the loop's clock; without any, the one of this machine.
    mutating func current(at now: Int64) -> [SocketAddress] {
        if let fixed { return fixed }
        if let readAt, now &- readAt < Self.lifetime { return servers }
        readAt = now
        var bytes: [UInt8] = []
        if let file = try? File(path, for: .read) {
            _ = try? file.read(appendingTo: &bytes, atMost: 65_536)
        }
        let found = Self.parse(String(decoding: bytes, as: UTF8.self))
        servers = found.isEmpty ? [SocketAddress(.loopbackV4, port: 53)] : found
        return servers
    }

    /// Returns the servers that a file names.
    static func parse(_ text: String) -> [SocketAddress] {
        var servers: [SocketAddress] = []
        for line in text.split(whereSeparator: \.isNewline) where servers.count < maxServers {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 2, words[0] == "nameserver" else { continue }
            // A zone such as '%eth0' needs the index of its interface, so these are left out.
            guard let address = IPAddress(String(words[1])) else { continue }
            servers.append(SocketAddress(address, port: 53))
        }
        return servers
    }
}
