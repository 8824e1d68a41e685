// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineHTTP2
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// Streams of HTTP/2, on either side of an exchange.
extension ProxyExchange {
    /// Returns whether the request may be sent on a stream.
    ///
    /// An upgrade needs a connection of HTTP/1.1 (RFC 9113 §8.6), which a server that is known to
    /// use HTTP/2 does not offer: it gets the request without the upgrade.
    func usesStreams(to origin: Origin) -> Bool {
        guard !head.kind.isConnect, let streams = worker.streams, streams.covers(origin) else {
            return false
        }
        return !head.kind.asksUpgrade || !origin.isSecure
    }

    /// Opens a connection to a server that may use HTTP/2, or shares one that is being opened.
    func connect(_ origin: Origin, through streams: HTTP2ServerPool) {
        streams.connect(to: origin) { [weak self] outcome in
            guard let self else {
                if case .success(let server) = outcome.result { ServerLink(server).abandon() }
                return
            }
            held.exchange.timing.dns = outcome.timing.dns
            held.exchange.timing.connect = outcome.timing.connect
            held.exchange.timing.tls = outcome.timing.tls
            switch outcome.result {
            case .failure(let failure): fail(failure)
            case .success(let server):
                let server = ServerLink(server)
                connected(server, mayRepeat: mayRepeat(on: server))
            }
        }
    }

    /// Returns whether a request that is sent on a new stream may be sent once more.
    ///
    /// The content of a request is not kept. Which failures allow it is decided when one happens.
    func mayRepeat(on server: ServerLink) -> Bool {
        guard case .http2 = server else { return false }
        return !head.framing.hasBody && !request.isRepeated
    }

    /// Records the client's stream.
    func note(stream: StreamLegs.Leg?) {
        guard let stream else { return }
        var extra = held.exchange.extra ?? ExchangeExtra()
        extra.stream = StreamLegs(client: stream)
        held.exchange.extra = extra
    }

    /// Records the server's stream, or its version if that of the client is another one.
    func note(_ server: ServerLink) {
        if case .http1 = server, case .http1 = client.link { return }
        var extra = held.exchange.extra ?? ExchangeExtra()
        let own = client.link.stream ?? StreamLegs.Leg(version: "\(held.exchange.request.version)")
        extra.stream = StreamLegs(client: own, server: server.stream)
        held.exchange.extra = extra
    }

    /// Counts the bytes of the client's stream on the wire, and its fields before compression.
    func count(_ stream: HTTP2ClientStream, in exchange: inout Exchange) {
        let (up, down) = (stream.receivedBytes, stream.sentBytes)
        bytes.up.line = 0
        bytes.up.headers = up.headers
        bytes.up.body = up.body
        bytes.down.line = 0
        bytes.down.headers = down.headers
        bytes.down.body = down.body
        let fields = StreamLegs.FieldBytes(up: up.fields, down: down.fields)
        exchange.extra?.stream?.client?.fields = fields
    }
}

extension ServerLink {
    init(_ connection: ServerConnection) {
        switch connection {
        case .http1(let leg): self = .http1(leg)
        case .http2(let stream): self = .http2(stream)
        }
    }
}
