// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The positions of host and port in an authority: `shop.test`, `shop.test:8443`, `[::1]:80`.
///
/// User-info is refused: RFC 9110 §4.2.4 requires recipients to treat it as an error.
///
/// **Source**: RFC 3986 §3.2.2 and §3.2.3, RFC 9112 §3.2.
@frozen
package struct Authority: Sendable, Equatable {
    /// The range of the host; for an IPv6 address without its brackets.
    package var host: Range<Int>
    /// The port; `nil` if there is none.
    package var port: Int?
    /// Whether the host is an IPv6 address in brackets.
    package var isIPv6: Bool

    /// Splits an authority; `nil` if it is not `host` or `host:port`, or the host is empty.
    package init?(_ bytes: Span<UInt8>) {
        var end: Int
        if !bytes.isEmpty, bytes[0] == .ascii("[") {
            guard let close = bytes.firstIndex(of: .ascii("]")), Self.isIPv6(bytes, 1..<close)
            else { return nil }
            host = 1..<close
            isIPv6 = true
            end = close + 1
        } else {
            end = 0
            while end < bytes.count, bytes[end] != .ascii(":") {
                guard Self.isNameByte(bytes[end]) else { return nil }
                end += 1
            }
            guard end > 0 else { return nil }
            host = 0..<end
            isIPv6 = false
        }
        port = nil
        guard end < bytes.count else { return }
        guard bytes[end] == .ascii(":") else { return nil }
        let digits = bytes.extracting(end + 1..<bytes.count)
        // RFC 3986 §3.2.3: a port may be empty, which means the scheme's port.
        if digits.isEmpty { return }
        guard let number = digits.decimal, number <= 65_535 else { return nil }
        port = number
    }

    /// Returns whether two authorities name the same server.
    ///
    /// Case and a trailing dot of names are ignored. Addresses are compared as text.
    ///
    /// - Parameters:
    ///   - left: One authority.
    ///   - right: The other authority.
    ///   - defaultPort: The port of an authority without one; `nil` if there is no default.
    /// - Returns: Whether both are valid authorities with the same host and port.
    package static func areSame(
        _ left: Span<UInt8>,
        _ right: Span<UInt8>,
        defaultPort: Int?
    ) -> Bool {
        guard let first = Authority(left), let second = Authority(right) else { return false }
        let ports = (first.port ?? defaultPort, second.port ?? defaultPort)
        if let one = ports.0, let other = ports.1, one != other { return false }
        return first.name(in: left).equalsIgnoringCase(second.name(in: right))
    }

    /// Returns the default port of a scheme (RFC 9110 §4.2); `nil` if unknown.
    package static func defaultPort(of scheme: Span<UInt8>) -> Int? {
        if scheme.equalsIgnoringCase("http") { return 80 }
        return scheme.equalsIgnoringCase("https") ? 443 : nil
    }

    /// Returns the host, without a trailing dot.
    @_lifetime(copy bytes)
    private func name(in bytes: Span<UInt8>) -> Span<UInt8> {
        let name = bytes.extracting(host)
        let hasDot = name.count > 1 && name[name.count - 1] == .ascii(".")
        return hasDot ? name.extracting(0..<name.count - 1) : name
    }

    /// Returns whether the bytes are characters of an address with at least two colons.
    ///
    /// The socket validates it.
    private static func isIPv6(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var colons = 0
        for index in range {
            if bytes[index] == .ascii(":") {
                colons += 1
            } else if bytes[index].hexDigit == nil, bytes[index] != .ascii(".") {
                return false
            }
        }
        return colons >= 2
    }

    /// `unreserved`, `sub-delims` and the percent sign (RFC 3986 §3.2.2).
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case .ascii("-"), .ascii("."), .ascii("_"), .ascii("~"), .ascii("%"): true
        case .ascii("!"), .ascii("$"), .ascii("&"), .ascii("'"), .ascii("("), .ascii(")"): true
        case .ascii("*"), .ascii("+"), .ascii(","), .ascii(";"), .ascii("="): true
        default: false
        }
    }
}
