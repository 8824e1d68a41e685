// SPDX-License-Identifier: MIT

internal import CUV

/// An address with a port.
@frozen @usableFromInline
package struct SocketAddress: Hashable, Sendable {
    /// The address.
    @usableFromInline package var ip: IPAddress
    /// The port; 0 lets the kernel choose a port to listen on.
    @usableFromInline package var port: UInt16
    /// The interface of a link-local IPv6 address; 0 otherwise.
    @usableFromInline package var scope: UInt32

    /// An address with a port.
    @inlinable
    package init(_ ip: IPAddress, port: UInt16, scope: UInt32 = 0) {
        self.ip = ip
        self.port = port
        self.scope = scope
    }

    /// Parses `127.0.0.1:80` or `[::1]:80`; `nil` if the text is not a literal with a port.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.count <= 5,
            digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 2
        if isBracketed { host = host.dropFirst().dropLast() }
        guard let ip = IPAddress(String(host)), ip.isV4 != isBracketed else { return nil }
        self.init(ip, port: port)
    }
}

extension SocketAddress: CustomStringConvertible {
    /// The address and the port, IPv6 in brackets.
    @usableFromInline package var description: String {
        ip.isV4 ? "\(ip):\(port)" : "[\(ip)]:\(port)"
    }
}

extension IPAddress {
    /// Whether a connection to this address reaches this machine: loopback, the address that means
    /// all addresses, or an address of an interface, including mapped addresses.
    ///
    /// Each access queries the system for its interfaces, since they change.
    package var isOfThisMachine: Bool {
        isLoopback || isAny || tapline_uv_is_interface(SocketAddress(unmapped, port: 0).raw) != 0
    }
}

extension SocketAddress {
    /// The address in its C form.
    var raw: tapline_uv_address {
        tapline_uv_address(
            high: ip.high,
            low: ip.low,
            scope: scope,
            port: port,
            version: ip.isV4 ? 4 : 6
        )
    }

    /// Makes an address from its C form; `nil` if that is empty.
    init?(_ raw: tapline_uv_address) {
        switch raw.version {
        case 4: self.init(IPAddress(v4: UInt32(truncatingIfNeeded: raw.low)), port: raw.port)
        case 6:
            self.init(IPAddress(v6High: raw.high, low: raw.low), port: raw.port, scope: raw.scope)
        default: return nil
        }
    }
}
