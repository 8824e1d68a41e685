// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// Which server a request goes to, whatever it says of that itself.
///
/// A URL that names another one stays in the record as its `original.url`.
///
/// | | forward proxy | tunnel that is read | reverse proxy |
/// |---|---|---|---|
/// | path, `*` | refused | the tunnel's server | the upstream |
/// | URL | the server of the URL | the tunnel's server | the upstream |
/// | CONNECT | a tunnel | refused | refused |
///
/// **Source**: RFC 9112 §3.2 and §3.3.
extension ProxyExchange {
    /// The server that the request is for unless a hook sends it elsewhere; `nil` if only the request
    /// itself names one.
    var destination: Origin? { client.target ?? worker.settings.upstream }

    /// That server as a Host field names it.
    private var destinationAuthority: ByteString {
        client.tunnel?.authority ?? worker.upstreamAuthority
    }

    /// Whether a hook that has changed the URL sends the request to another server.
    func hasMoved(_ exchange: borrowing Exchange) -> Bool {
        guard let destination else { return true }
        return exchange.request.scheme != destination.scheme
            || exchange.request.authority != destinationAuthority
    }

    /// Why no tunnel is opened; `nil` if one is.
    var tunnelRefusal: ExchangeFailure? {
        if client.target != nil { return .nestedTunnel }
        return worker.settings.upstream == nil ? nil : .noTunnels
    }

    /// Why the URL that the hooks have left leads to no server.
    func unroutable(_ exchange: borrowing Exchange) -> ExchangeFailure {
        let isServed = Origin.serves(exchange.request.scheme)
        guard isMoved(exchange) else { return isServed ? .noTarget : .unservedScheme }
        return isServed ? .movedNowhere : .movedToUnserved
    }

    /// Whether a hook has changed the scheme or the authority of a request that has no server yet.
    private func isMoved(_ exchange: borrowing Exchange) -> Bool {
        guard destination == nil else { return true }
        guard let former = exchange.original.url, let parts = URLParts(former.span) else {
            return false
        }
        let (scheme, authority) = (exchange.request.scheme, exchange.request.authority)
        return !former.span.extracting(parts.scheme).equals(scheme.span)
            || !former.span.extracting(parts.userInfo.lowerBound..<parts.hostPort.upperBound)
                .equals(authority.span)
    }

    /// Gives the request the server that it goes to; returns why there is none.
    func route(_ exchange: inout Exchange) -> ExchangeFailure? {
        var mismatch: HostMismatch = head.namesOtherHost ? .host : []
        guard let destination else {
            guard head.form == .absolute else { return .noTarget }
            mismatch.note(in: &exchange.tags)
            return nil
        }
        let authority = destinationAuthority
        // The Host of a reverse proxy is replaced, so it does not matter what it names.
        let passesHost = client.target != nil || worker.settings.preservesHost
        let isURL = head.form == .absolute
        // Nearly always, in a tunnel: nothing is to be set or noted then.
        let isSame = passesHost && !isURL && exchange.request.authority == authority
        let isOther =
            (passesHost || isURL) && !isSame && namesOther(exchange.request, than: destination)
        if isURL {
            guard Origin.serves(exchange.request.scheme) else { return unserved }
            if isOther {
                mismatch.insert(.target)
                // Otherwise it would be lost, as the target becomes a path.
                exchange.original.url = exchange.request.target
                if passesHost, exchange.request.fields.contains("Host") { mismatch.insert(.host) }
            }
            if passesHost { exchange.request.overruleHost() }
            exchange.request.takeOriginForm()
        } else if isOther {
            mismatch.insert(.host)
        }
        if destination.serverName != nil { mismatch.insert(.serverName) }
        exchange.request.scheme = destination.scheme
        if !isSame {
            if client.target == nil, !passesHost || exchange.request.authority.isEmpty {
                exchange.request.fields.set("Host".utf8.span, to: authority.span)
            }
            exchange.request.authority = authority
        }
        mismatch.note(in: &exchange.tags)
        return nil
    }

    /// What a client learns whose URL has a scheme that is not served here.
    private var unserved: ExchangeFailure {
        client.target == nil ? .unservedByReverse : .unservedInTunnel
    }

    /// Whether a request names another server than the one that it goes to.
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
    /// Has Host say what the target says (RFC 9112 §3.2.2).
    fileprivate mutating func overruleHost() {
        let authority = authority
        fields.set("Host".utf8.span, to: authority.span)
    }

    /// Takes scheme and authority out of the target; without a path it is that of the server as a
    /// whole for OPTIONS (RFC 9112 §3.2.4).
    fileprivate mutating func takeOriginForm() {
        let url = target
        guard let parts = URLParts(url.span) else { return }
        let isWhole = parts.target.isEmpty && method.span.equals("OPTIONS")
        target = isWhole ? "*" : parts.originForm(of: url.span)
    }
}
