// SPDX-License-Identifier: MIT

internal import TaplineNet

/// Where a proxy listens, and what its clients know of it.
struct ProxyListener: Sendable, Hashable {
    /// How clients reach a listener.
    enum Mode: Sendable, Hashable {
        /// They use it as a proxy.
        case proxy
        /// A firewall redirects them; with `isTproxy` it delivers their packets unchanged.
        case transparent(isTproxy: Bool)
        /// They run in the namespace of `tapline exec --all`, which has the sockets.
        case namespace(NamespaceSettings)
    }

    /// The address; meaningless in a namespace.
    var address: SocketAddress
    var mode = Mode.proxy

    /// Whether clients do not know of the proxy.
    var isRedirecting: Bool { mode != .proxy }

    /// The settings of a namespace; `nil` if it listens on this machine.
    var namespace: NamespaceSettings? {
        if case .namespace(let settings) = mode { settings } else { nil }
    }
}

/// What programs in a namespace may do.
struct NamespaceSettings: Sendable, Hashable {
    /// Whether they reach listeners of this machine on its loopback addresses.
    var reachesHostLoopback = true
    /// Whether a program that rejects a certificate passes unread from then on.
    var passesUntrusted = true
}
