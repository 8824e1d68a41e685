// SPDX-License-Identifier: MIT

package import TaplineNet

extension IPAddress {
    /// What counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, since a
    /// client may have all addresses that share them (RFC 4291 §2.5.4).
    package var clientNetwork: IPAddress {
        let address = unmapped
        return address.isV4 ? address : IPAddress(v6High: address.high, low: 0)
    }
}
