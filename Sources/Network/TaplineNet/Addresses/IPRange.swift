// SPDX-License-Identifier: MIT

/// The addresses that share a prefix, such as `10.0.0.0/8`.
package struct IPRange: Hashable, Sendable, CustomStringConvertible {
    /// The first address.
    package let base: IPAddress
    /// The number of leading bits that all addresses of the range share.
    package let prefix: Int

    /// Makes the range around an address; `nil` if the address has fewer bits than `prefix`.
    package init?(_ address: IPAddress, prefix: Int) {
        guard prefix >= 0, prefix <= (address.isV4 ? 32 : 128) else { return nil }
        self.prefix = prefix
        // Shifts in Swift return 0 if they shift by all bits or more.
        if address.isV4 {
            let mask: UInt32 = UInt32.max << UInt32(32 - prefix)
            base = IPAddress(v4: UInt32(truncatingIfNeeded: address.low) & mask)
        } else {
            let high = UInt64.max << UInt64(64 - min(prefix, 64))
            let low = UInt64.max << UInt64(64 - max(prefix - 64, 0))
            base = IPAddress(v6High: address.high & high, low: address.low & low)
        }
    }

    /// Parses `address/prefix` or a single address.
    ///
    /// Bits after the prefix are ignored.
    package init?(_ text: String) {
        guard let slash = text.firstIndex(of: "/") else {
            guard let address = IPAddress(text) else { return nil }
            self.init(address, prefix: address.isV4 ? 32 : 128)
            return
        }
        let digits = text[text.index(after: slash)...]
        guard let address = IPAddress(String(text[..<slash])),
            digits.utf8.count <= 3, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let prefix = Int(digits)
        else { return nil }
        self.init(address, prefix: prefix)
    }

    /// Returns whether the range contains an address.
    ///
    /// A mapped IPv4 address counts as that IPv4 address.
    package func contains(_ address: IPAddress) -> Bool {
        let address = base.isV4 ? address.unmapped : address
        guard address.isV4 == base.isV4 else { return false }
        return IPRange(address, prefix: prefix)?.base == base
    }

    /// The range as `address/prefix`.
    package var description: String { "\(base)/\(prefix)" }

    /// The ranges outside the public internet: private, local, shared, reserved and multicast
    /// addresses, and addresses that embed those.
    ///
    /// **Source**: the special-purpose address registries (RFC 6890), RFC 6598, RFC 4193, RFC 6052.
    package static let privateRanges: [IPRange] = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001:db8::/32", "2002::/16",
        "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
    ].compactMap { IPRange($0) }
}
