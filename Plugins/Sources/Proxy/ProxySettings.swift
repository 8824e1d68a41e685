// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet

/// A proxy's options, decoded.
struct ProxySettings: Sendable {
    /// Where it listens.
    var listeners: [SocketAddress] = []
    /// The server that all requests go to; nothing for a forward proxy.
    var upstream: Origin?
    /// The proxy that servers are reached through; `nil` if they are reached themselves.
    var parent: ParentProxy?
    /// Whether a reverse proxy hands the client's Host on.
    var preservesHost = false
    /// How many event loops there are; one for each processor where it is nothing.
    var threads: Int?
    /// Whether requests and responses that pass say so in Via.
    var addsVia = true
    /// How servers are spoken to in TLS.
    var servers = TLSClientOptions()
    /// Whether a body that ends with the connection fails without the closing alert of TLS.
    var requiresClosingAlert = false
    /// Which tunnels are read; `nil` if none is.
    var interception: InterceptionRules?
    /// Where the authority is kept whose certificates clients see then.
    var authority: AuthorityStore?
    /// Who may use it, and what for.
    var access = ProxyAccess()
    /// What is read of a head or a chunk before it is refused.
    var limits = HTTPLimits()
    /// How long each step may take.
    var timeouts = ProxyTimeouts()
    /// How slow a body may be; `nil` for no limit.
    var minRate: RateWatch.Limit? = RateWatch.Limit()
    /// How many clients may be connected at a time.
    var maxConnections = 10_000
    /// How many clients may be connected at a time from one address.
    var maxConnectionsPerClient = 10_000
    /// How many bytes may be kept of the exchanges of one client address that have not ended.
    var maxCapturedPerClient = 128 << 20
    /// How many interim responses may come before a response.
    var maxInterim = 32
    /// How many messages of a WebSocket are kept.
    var maxMessages = 10_000
    /// The most bytes that a compressed message of a WebSocket may decode to.
    var maxDecodedMessage = 16 << 20
    /// How many idle connections to servers each thread keeps.
    var maxIdleServers = 512
}

extension ProxySettings {
    /// What is read from clients, and how long they may take.
    func clientLegs(_ interception: Interception?) -> ClientSettings {
        var clients = ClientSettings()
        clients.limits = limits
        clients.takesSocks = upstream == nil
        clients.credentials = access.credentials
        clients.interception = interception
        clients.timeouts.head = timeouts.head
        clients.timeouts.keepAlive = timeouts.keepAlive
        clients.timeouts.silence = timeouts.silence
        clients.timeouts.opening = timeouts.opening
        clients.timeouts.distrust = timeouts.distrust
        clients.timeouts.tunnel = timeouts.tunnel
        return clients
    }

    /// How servers are connected to and what is read of them.
    var serverLegs: ServerSettings {
        var servers = ServerSettings()
        servers.limits = limits
        servers.needsClosingAlert = requiresClosingAlert
        servers.timeLimit = timeouts.connect
        servers.parent = parent
        servers.parent?.credentialsAdvice = ": see 'parent.user' and 'parent.password_env'"
        servers.configured = upstream
        return servers
    }
}

/// How long each step of a proxied exchange may take.
struct ProxyTimeouts: Sendable {
    /// Until a connection to the server is open.
    var connect = Microseconds(10_000_000)
    /// From the first byte of a request to the end of its head.
    var head = Microseconds(30_000_000)
    /// Until a client says something in a tunnel that is read; then the server is listened to, since
    /// it may be the one that speaks first.
    var silence = Microseconds(250_000)
    /// From there until the tunnel passes as it is, where neither says anything.
    var opening = Microseconds(3_000_000)
    /// Within which a client that goes without a request, in TLS that is read, has probably not
    /// taken the certificate.
    var distrust = Microseconds(1_000_000)
    /// Between two exchanges on a client's connection.
    var keepAlive = Microseconds(75_000_000)
    /// Without a byte in either direction, while an exchange is on its way.
    var idle = Microseconds(120_000_000)
    /// From the head of a request to the end of its response; nothing for no limit.
    var exchange: Microseconds?
    /// Without a byte in either direction through a tunnel.
    var tunnel = Microseconds(3_600_000_000)
    /// How long an idle connection to a server is kept.
    var serverKeepAlive = Microseconds(55_000_000)
}
