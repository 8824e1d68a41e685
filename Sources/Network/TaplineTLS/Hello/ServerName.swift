// SPDX-License-Identifier: MIT

internal import Glibc

/// The name or address of a host, in the form that certificates and TLS use.
///
/// Names are in lower case and have no trailing dot. Addresses are in their shortest form, without
/// brackets.
package struct ServerName: Sendable, Hashable {
    /// The name or address as text.
    package let text: String
    /// The 4 or 16 bytes of an address; empty for a name.
    let address: [UInt8]

    /// Whether the host is an IPv4 or IPv6 address.
    package var isAddress: Bool { !address.isEmpty }

    /// Parses a host from a request, from the server name of a handshake, or from a configuration.
    ///
    /// **Throws**: `TLSError` if the text is neither an address nor a name of letters, digits, `-`
    /// and `_` in labels of at most 63 bytes, 253 in total (RFC 1035 §2.3.4; `_` since real hosts
    /// use it). Names in other scripts have to be in their `xn--` form (RFC 5890).
    package init(_ host: String) throws(TLSError) {
        var bytes = Array(host.utf8)
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
            bytes = Array(bytes.dropFirst().dropLast())
        }
        if let found = Self.address(bytes) {
            (text, address) = found
            return
        }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        guard Self.isName(bytes) else {
            throw TLSError(.configuration, Self.invalidNameMessage(host))
        }
        for index in bytes.indices where bytes[index] >= 0x41 && bytes[index] <= 0x5a {
            bytes[index] |= 0x20
        }
        text = String(decoding: bytes, as: UTF8.self)
        address = []
    }

    private static func invalidNameMessage(_ host: String) -> String {
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else {
            return "the host name is not ASCII; expected its 'xn--' form"
        }
        return "'\(printable(host))' is neither a host name nor an address"
    }

    /// Returns at most 64 bytes of a text, with unprintable bytes replaced.
    private static func printable(_ host: String) -> String {
        let bytes = host.utf8.prefix(64).map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: bytes, as: UTF8.self) + (host.utf8.count > 64 ? "…" : "")
    }

    private static func isName(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty, bytes.count <= 253 else { return false }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != 0x2d && label.last != 0x2d
                && label.allSatisfy(isNameByte)
        }
            // A name whose last label is a number is an invalid address (WHATWG URL, RFC 3696 §2).
            && !(labels.last?.allSatisfy { (0x30...0x39).contains($0) } ?? true)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
        default: false
        }
    }

    /// Parses an address, and returns it with its shortest form (inet_pton(3)).
    private static func address(_ bytes: [UInt8]) -> (String, [UInt8])? {
        guard bytes.count <= 45, !bytes.contains(0) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
            var address = [UInt8](repeating: 0, count: size)
            let isRead = unsafe address.withUnsafeMutableBytes {
                unsafe inet_pton(family, text, $0.baseAddress)
            }
            guard isRead == 1 else { continue }
            var shortest = [CChar](repeating: 0, count: 46)
            let form = unsafe address.withUnsafeBytes {
                unsafe inet_ntop(family, $0.baseAddress, &shortest, 46)
            }
            guard unsafe form != nil else { return nil }
            let end = shortest.firstIndex(of: 0) ?? 0
            let shown = String(
                decoding: shortest[..<end].map { UInt8(bitPattern: $0) },
                as: UTF8.self
            )
            return (shown, address)
        }
        return nil
    }
}

extension ServerName: CustomStringConvertible {
    /// The name or address as text.
    package var description: String { text }
}
