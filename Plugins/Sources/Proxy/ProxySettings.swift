// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplineTLS

/// The decoded options of a proxy.
struct ProxySettings: Sendable {
    /// The addresses to listen on.
    var listeners: [ProxyListener] = []
    /// Whether redirected programs that have rejected a certificate, and TLS that only they can use,
    /// pass unread.
    var passesUntrusted = true
    /// The server that all requests are sent to; `nil` for a forward proxy.
    var upstream: Origin?
    /// The proxy that servers are reached through; `nil` if they are reached directly.
    var parent: ParentProxy?
    /// Whether a reverse proxy forwards the client's Host.
    var preservesHost = false
    /// The number of event loops; `nil` for one for each processor.
    var threads: Int?
    /// Whether forwarded requests and responses get a Via field.
    var addsVia = true
    /// The TLS options for servers.
    var servers = TLSClientOptions()
    /// Whether a body that ends with the connection fails without TLS's closing alert.
    var requiresClosingAlert = false
    /// Which tunnels are read; `nil` if none is.
    var interception: InterceptionRules?
    /// Where HTTP/2 is used.
    var http2 = HTTP2Rules()
    /// The store of the authority whose certificates clients then get.
    var authority: AuthorityStore?
    /// How requests are answered from recordings; `nil` for a proxy.
    var answers: AnswerSettings?
    /// The counters of a namespace.
    let refusedHTTP3 = RefusedHTTP3()
    /// Which clients may use the proxy, and which servers they may reach.
    var access = ProxyAccess()
    /// The limits for heads and chunks.
    var limits = HTTPLimits()
    /// The time limit of each step.
    var timeouts = ProxyTimeouts()
    /// The minimum rate of a body; `nil` for no limit.
    var minRate: RateWatch.Limit? = RateWatch.Limit()
    /// The maximum number of connected clients.
    var maxConnections = 10_000
    /// The maximum number of connections from one address.
    var maxConnectionsPerClient = 10_000
    /// The maximum number of bytes that are kept of the open exchanges of one client address.
    var maxCapturedPerClient = 128 << 20
    /// The maximum number of interim responses before a response.
    var maxInterim = 32
    /// The maximum number of messages of a WebSocket that are kept.
    var maxMessages = 10_000
    /// The maximum number of bytes that a compressed message of a WebSocket may decode to.
    var maxDecodedMessage = 16 << 20
    /// How many idle connections to servers each thread keeps.
    var maxIdleServers = 512
}

extension ProxySettings {
    /// The limits and time limits for clients.
    func clientLegs(
        _ interception: Interception?,
        _ distrust: RejectedCertificateCache?
    ) -> ClientSettings {
        var clients = ClientSettings()
        clients.limits = limits
        clients.takesSocks = upstream == nil
        if upstream.map({ http2.covers($0.host.span) }) ?? true { clients.http2 = http2 }
        clients.credentials = access.credentials
        clients.interception = interception
        clients.distrust = distrust
        clients.timeouts.head = timeouts.head
        clients.timeouts.keepAlive = timeouts.keepAlive
        clients.timeouts.silence = timeouts.silence
        clients.timeouts.opening = timeouts.opening
        clients.timeouts.distrust = timeouts.distrust
        clients.timeouts.tunnel = timeouts.tunnel
        return clients
    }

    /// The settings for connections to servers.
    var serverLegs: ServerSettings {
        var servers = ServerSettings()
        servers.limits = limits
        servers.needsClosingAlert = requiresClosingAlert
        servers.timeLimit = timeouts.connect
        servers.parent = parent
        servers.parent?.exceptsLoopback = listeners.contains { $0.isRedirecting }
        servers.configured = upstream
        return servers
    }
}

/// The time limit of each step of a proxied exchange.
struct ProxyTimeouts: Sendable {
    /// Until a connection to the server is open.
    var connect = Microseconds(10_000_000)
    /// From the first byte of a request to the end of its head.
    var head = Microseconds(30_000_000)
    /// How long a client may be silent in a tunnel that is read, before the proxy listens to the
    /// server, which may be the one that speaks first.
    var silence = Microseconds(250_000)
    /// How long both may then be silent before the tunnel passes unread.
    var opening = Microseconds(3_000_000)
    /// How soon after the handshake a client has to disconnect without a request to be assumed to
    /// reject the certificate.
    var distrust = Microseconds(1_000_000)
    /// From the end of the run to the first request of a client that has connected before.
    var firstRequest = Microseconds(1_000_000)
    /// Between two exchanges on a client's connection.
    var keepAlive = Microseconds(75_000_000)
    /// Without a byte in either direction during an exchange.
    var idle = Microseconds(120_000_000)
    /// From the head of a request to the end of its response; `nil` for no limit.
    var exchange: Microseconds?
    /// Without a byte in either direction through a tunnel.
    var tunnel = Microseconds(3_600_000_000)
    /// How long an idle connection to a server is kept.
    var serverKeepAlive = Microseconds(55_000_000)
}
