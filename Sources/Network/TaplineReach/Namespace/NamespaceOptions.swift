// SPDX-License-Identifier: MIT

internal import CReach
internal import TaplineNet

/// What a network namespace gets.
package struct NamespaceOptions: Sendable, Equatable {
    /// Whether its programs see a machine with IPv6.
    ///
    /// By default only if this machine has an address: otherwise programs would connect to servers
    /// that cannot be reached.
    package var hasIPv6 = MachineNetwork.hasIPv6
    /// Whether nftables may redirect all ports.
    package var usesRedirect = true
    /// The number of listeners for each address family.
    package var listenerCount = 1
    /// The ports that are captured if nothing can be redirected.
    package var ports: [UInt16] = [80, 443]

    /// The defaults.
    package init() {}

    /// The maximum number of ports.
    package static let maxPorts = 62

    /// The arguments of the helper.
    var arguments: [String] {
        var words = ["tapline", TAPLINE_REACH_WORD, "count=\(listenerCount)"]
        if hasIPv6 { words.append("ipv6") }
        if usesRedirect { words.append("nft") }
        // DNS over TCP is one of the ports, unless all are redirected.
        var chosen = ports.prefix(Self.maxPorts)
        if !chosen.contains(53) { chosen.append(53) }
        return words + chosen.map { "port=\($0)" }
    }
}
