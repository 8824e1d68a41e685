// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

extension RequestHead.Properties {
    /// A tunnel of a client that was redirected, which has sent no request for it.
    static let redirected = RequestHead.Properties(
        form: .authority,
        framing: .none,
        isVersion10: false,
        expectsContinue: false,
        kind: RequestKind(isConnect: true),
        isRedirected: true
    )
}

extension ProxyClient {
    /// Whether the client was redirected, and its requests are read.
    var isRedirected: Bool { tunnel?.isRedirected == true }

    /// Opens a tunnel to the server that the client has connected to.
    ///
    /// - Parameters:
    ///   - target: The server.
    ///   - machine: The machine of the client; `nil` if all clients are on the same one.
    func beginRedirected(_ target: RedirectedTarget, from machine: IPAddress?) {
        redirected = target
        link.leg?.beginRedirected(from: machine)
        let exchange =
            ProxyExchange(socks: target.authority, up: 0, down: 0, self, as: .redirected, "TCP")
        exchange.held.exchange.tags[RedirectedTarget.dnsTag] = target.tag
        begin(exchange)
    }
}

/// A connection that was redirected: as CONNECT whose tunnel is inspected, but without a request and
/// a response.
extension ProxyExchange {
    /// Inspects what the client sends, unless a hook sends it elsewhere.
    func openRedirected() {
        guard let target = client.redirected else { return fail(.noTarget) }
        let authority = held.exchange.request.authority
        guard authority == target.authority else {
            guard let origin = Origin(authority: authority.span, isSecure: false) else {
                return fail(.noTarget)
            }
            return beginInterception(origin)
        }
        beginInterception(target.origin)
    }

    /// Names the server of a redirected connection by what the client has asked for in TLS.
    func nameServer(_ name: String?, _ origin: Origin) {
        guard head.isRedirected, let name else { return }
        let authority = ByteString("\(name):\(origin.port)")
        held.exchange.request.authority = authority
        held.exchange.request.target = authority
        held.exchange.connection.tls = TLSInfo(sni: name)
        held.exchange.tags[RedirectedTarget.dnsTag] = nil
    }

    /// The host of a redirected connection: the one that the client has named in TLS, otherwise the
    /// address.
    var redirectedHost: String? {
        guard head.isRedirected, let target = client.redirected else { return nil }
        return held.exchange.connection.tls?.sni ?? "\(target.origin.host)"
    }

    /// Sets the parts of a redirected request that the connection determines: the client has named
    /// its server in Host, and has chosen the address itself.
    func routeRedirected(_ exchange: inout Exchange, _ tunnel: ReadTunnel) {
        let server = tunnel.server
        exchange.request.scheme = server.scheme
        // Without TLS it is only the name that was looked up.
        let serverName = server.isSecure ? server.serverName : nil
        let name = serverName.map {
            Origin(isSecure: true, host: $0, port: server.port).authority
        }
        if exchange.request.authority.isEmpty {
            exchange.request.authority = name ?? tunnel.authority
        } else if let name {
            let port = Authority.defaultPort(of: server.scheme.span)
            let isSame = Authority.areSame(
                exchange.request.authority.span,
                name.span,
                defaultPort: port
            )
            if !isSame { HostMismatch.host.note(in: &exchange.tags) }
        }
    }

    /// Removes the field with which a server offers HTTP/3, which a namespace refuses.
    ///
    /// The tag keeps its value.
    func removeAlternatives() {
        var value: String?
        held.exchange.response?.lend { response in
            guard let position = response.fields.firstIndex(of: "Alt-Svc") else { return }
            value = "\(ByteString(response.fields.value(at: position)))"
            response.fields.removeAll("Alt-Svc")
        }
        if let value { held.exchange.tags[Tags.alternatives] = value }
    }
}

extension ExchangeFailure {
    /// Whether the server could not be connected to.
    var isOfConnecting: Bool {
        ["connect_refused", "connect_timeout", "unreachable", "target_denied", "dns"].contains(code)
    }
}

extension ProxyWorker {
    /// Counts that a program has tried to use HTTP/3, which nothing inside answers, and records it
    /// once for each server.
    func refusedQUIC(to target: SocketAddress, named names: [String]) {
        guard settings.refusedHTTP3.note(target.ip.unmapped, clients.intake.log) else { return }
        let redirected = RedirectedTarget(target, named: names)
        let authority = redirected.authority
        var exchange = exchanges.make()
        exchange.request = Request(
            method: "CONNECT",
            target: authority,
            authority: authority,
            version: "UDP"
        )
        exchange.tags[RedirectedTarget.dnsTag] = redirected.tag
        exchange.connection.server = target.description
        exchange.state = .failed
        exchange.error =
            ExchangeFailure(
                code: "quic_refused",
                message: "the program tried HTTP/3, which is refused so that it uses TCP"
            ).error
        var context = ExchangeContext()
        lane.begin(&context)
        records.add(exchange, context)
    }
}
