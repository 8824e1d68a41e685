// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineUpstream

/// Decides which server a request is sent to, whatever the request itself names.
///
/// If the request's URL names another server, the record keeps it as `original.url`.
///
/// | | forward proxy | tunnel that is read | reverse proxy |
/// |---|---|---|---|
/// | path, `*` | refused | the tunnel's server | the upstream |
/// | URL | the server of the URL | the tunnel's server | the upstream |
/// | CONNECT | a tunnel | refused | refused |
///
/// **Source**: RFC 9112 §3.2 and §3.3.
extension ProxyExchange {
    /// The server that the request is for unless a hook sends it elsewhere; `nil` if only the
    /// request itself names one.
    var destination: Origin? { client.target ?? worker.settings.upstream }

    /// That server in the form of a Host field.
    private var destinationAuthority: ByteString {
        client.tunnel?.authority ?? worker.upstreamAuthority
    }

    /// Whether the request came on a stream, whose scheme and authority name a server.
    private var isStream: Bool { client.link.sendsLater }

    /// Returns whether the request itself names a server other than this source: with a URL, or on a
    /// stream with an authority that has another port.
    ///
    /// The port may also be that of this source as clients see it, mapped by a container or a
    /// firewall. If recordings answer without servers, only recorded hosts count as such.
    func namesServer(_ request: borrowing Request) -> Bool {
        if head.form == .absolute { return true }
        guard case .http2(let stream) = client.link, client.target == nil,
            let origin = Origin(request)
        else { return false }
        guard origin.port != stream.localPort else { return false }
        guard let answers = worker.answers, !answers.reachesServers else { return true }
        return answers.knowsElsewhere(request.authority)
    }

    /// Whether `http2` names the server of a request on a stream.
    private func mayUseStream(_ request: borrowing Request) -> Bool {
        let authority = request.authority.span
        guard let parts = Authority(authority) else { return true }
        return worker.settings.http2.covers(authority.extracting(parts.host))
    }

    /// Returns whether a hook that has changed the URL sends the request to another server.
    func hasMoved(_ exchange: borrowing Exchange) -> Bool {
        guard let destination else { return true }
        // A redirected client has chosen the address, and named the host in the request.
        if client.isRedirected { return hasChangedServer(exchange) }
        return exchange.request.scheme != destination.scheme
            || exchange.request.authority != destinationAuthority
    }

    /// Why no tunnel is opened; `nil` if one is.
    var tunnelRefusal: ExchangeFailure? {
        if client.target != nil { return .nestedTunnel }
        return worker.settings.upstream == nil ? nil : .noTunnels
    }

    /// Returns why the URL that the hooks have left names no server.
    func unroutable(_ exchange: borrowing Exchange) -> ExchangeFailure {
        let isServed = Origin.serves(exchange.request.scheme)
        guard isMoved(exchange) else { return isServed ? .noTarget : .unservedScheme }
        return isServed ? .movedToNoServer : .movedToUnserved
    }

    /// Returns whether a hook has changed the scheme or the authority of a request that has no
    /// server yet.
    private func isMoved(_ exchange: borrowing Exchange) -> Bool {
        destination != nil || hasChangedServer(exchange)
    }

    /// Returns whether a hook has changed the scheme or the authority of a request.
    private func hasChangedServer(_ exchange: borrowing Exchange) -> Bool {
        guard let former = exchange.original.url, let parts = URLParts(former.span) else {
            return false
        }
        let (scheme, authority) = (exchange.request.scheme, exchange.request.authority)
        return !former.span.extracting(parts.scheme).equals(scheme.span)
            || !former.span.extracting(parts.userInfo.lowerBound..<parts.hostPort.upperBound)
                .equals(authority.span)
    }

    /// Sets the server that the request is sent to.
    ///
    /// Returns why there is none.
    func route(_ exchange: inout Exchange) -> ExchangeFailure? {
        var mismatch: HostMismatch = head.namesOtherHost ? .host : []
        guard let destination else {
            // A recording needs no server.
            guard head.form == .absolute || worker.answers != nil || isStream else {
                return .noTarget
            }
            if isStream, worker.answers == nil, !mayUseStream(exchange.request) {
                return .noHTTP2
            }
            mismatch.note(in: &exchange.tags)
            return nil
        }
        if let tunnel = client.tunnel, tunnel.isRedirected, head.form != .absolute {
            routeRedirected(&exchange, tunnel)
            return nil
        }
        let authority = destinationAuthority
        // A reverse proxy replaces Host, so the server that it names does not matter.
        let passesHost = client.target != nil || worker.settings.preservesHost
        let isURL = head.form == .absolute
        // The usual case in a tunnel: there is nothing to set or note.
        let isSame = passesHost && !isURL && exchange.request.authority == authority
        let isOther =
            (passesHost || isURL) && !isSame && namesOther(exchange.request, than: destination)
        if isURL {
            guard Origin.serves(exchange.request.scheme) else { return unserved }
            if isOther {
                mismatch.insert(.target)
                // Otherwise the URL would be lost, since the target becomes a path.
                exchange.original.url = exchange.request.target
                if passesHost, exchange.request.fields.contains("Host") { mismatch.insert(.host) }
            }
            if passesHost { exchange.request.overruleHost() }
            exchange.request.takeOriginForm()
        } else if isOther {
            mismatch.insert(.host)
        }
        if destination.isSecure, destination.serverName != nil { mismatch.insert(.serverName) }
        exchange.request.scheme = destination.scheme
        if !isSame {
            if isStream, passesHost, !exchange.request.fields.contains("Host") {
                // Otherwise the client's authority would be lost.
                let host = exchange.request.authority
                if !host.isEmpty { exchange.request.fields.set("Host".utf8.span, to: host.span) }
            }
            if client.target == nil, !passesHost || exchange.request.authority.isEmpty {
                exchange.request.fields.set("Host".utf8.span, to: authority.span)
            }
            exchange.request.authority = authority
        }
        mismatch.note(in: &exchange.tags)
        return nil
    }

    /// The failure for a URL whose scheme is not supported here.
    private var unserved: ExchangeFailure {
        client.target == nil ? .unservedByReverse : .unservedInTunnel
    }

    /// Returns whether a request names a server other than the one it is sent to.
    private func namesOther(_ request: borrowing Request, than server: Origin) -> Bool {
        guard !request.authority.isEmpty else { return false }
        let isURL = head.form == .absolute
        let scheme = isURL ? request.scheme : server.scheme
        let port = Authority.defaultPort(of: scheme.span)
        let hostPort = server.hostPort
        return !Authority.areSame(request.authority.span, hostPort.span, defaultPort: port)
    }
}

extension Request {
    /// Sets Host to the authority of the target (RFC 9112 §3.2.2).
    fileprivate mutating func overruleHost() {
        let authority = authority
        fields.set("Host".utf8.span, to: authority.span)
    }

    /// Removes scheme and authority from the target.
    ///
    /// For OPTIONS, a URL without a path becomes `*`, the server as a whole (RFC 9112 §3.2.4).
    fileprivate mutating func takeOriginForm() {
        let url = target
        guard let parts = URLParts(url.span) else { return }
        let isWhole = parts.target.isEmpty && method.span.equals("OPTIONS")
        target = isWhole ? "*" : parts.originForm(of: url.span)
    }
}
