// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineHTTP2
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// Streams of HTTP/2, on either side of an exchange.
extension ProxyExchange {
    /// Whether the request asks for a WebSocket.
    private var asksWebSocket: Bool {
        head.kind.asksUpgrade && WebSocketHandshake.isRequested(by: held.exchange.request)
    }

    /// Returns whether a connection for the request may use HTTP/2.
    ///
    /// An upgrade needs a connection of HTTP/1.1 (RFC 9113 §8.6), which a server that is known to
    /// use HTTP/2 does not offer: it gets the request without the upgrade, unless it offers
    /// WebSockets on streams. A client's stream asks for nothing else.
    func usesStreams(to origin: Origin) -> Bool {
        guard !head.kind.isConnect, let streams = worker.streams, streams.covers(origin) else {
            return false
        }
        return !head.kind.asksUpgrade || !origin.isSecure || client.link.sendsLater
    }

    /// Takes a stream of an open connection; `nil` if none can carry the request.
    ///
    /// A WebSocket of a client of HTTP/1.1 gets a connection of its own, if the server may offer
    /// HTTP/1.1.
    func takeStream(to origin: Origin) -> HTTP2ServerStream? {
        guard let streams = worker.streams else { return nil }
        if head.kind.asksUpgrade, asksWebSocket {
            guard client.link.sendsLater || !origin.isSecure, streams.covers(origin) else {
                return nil
            }
            return streams.take(origin, forWebSocket: true)
        }
        return usesStreams(to: origin) ? streams.take(origin) : nil
    }

    /// Opens a connection to a server that may use HTTP/2, or shares one that is being opened.
    func connect(_ origin: Origin, through streams: HTTP2ServerPool) {
        streams.connect(to: origin, isWebSocket: asksWebSocket) { [weak self] outcome in
            guard let self else {
                if case .success(let server) = outcome.result { server.abandon() }
                return
            }
            held.exchange.timing.take(connection: outcome.timing)
            switch outcome.result {
            case .failure(let failure): fail(failure)
            case .success(let server):
                if client.link.sendsLater, asksWebSocket, !server.mayOpenWebSocket {
                    server.abandon()
                    return origin.isSecure ? connectAlone(to: origin) : fail(.noWebSockets)
                }
                connected(server, mayRepeat: mayRepeat(on: server))
            }
        }
    }

    /// Returns whether a request that is sent on a new stream may be sent once more.
    ///
    /// Which failures allow it, and whether its content is still held, is decided when one happens.
    func mayRepeat(on server: ServerLink) -> Bool {
        guard case .http2 = server else { return false }
        return !request.isRepeated
    }

    /// Whether all content that the server got of the request is held, so that it can be sent again.
    var holdsBody: Bool {
        !head.framing.hasBody || hasWholeBody || !request.capture.isTruncated
    }

    /// Records the client's stream.
    func note(stream: StreamLegs.Leg?) {
        guard let stream else { return }
        held.exchange.setExtra { $0.stream = StreamLegs(client: stream) }
    }

    /// Records the server's stream, or its version if that of the client is another one.
    func note(_ server: ServerLink) {
        if case .http1 = server, case .http1 = client.link { return }
        let own = client.link.stream ?? StreamLegs.Leg(version: "\(held.exchange.request.version)")
        let leg = server.stream
        held.exchange.setExtra { $0.stream = StreamLegs(client: own, server: leg) }
    }

    /// Counts the bytes of the client's stream on the wire, and its fields before compression.
    func count(_ stream: HTTP2ClientStream, in exchange: inout Exchange) {
        let fields = bytes.count(up: stream.receivedBytes, down: stream.sentBytes)
        exchange.setExtra { $0.stream?.client?.fields = fields }
    }
}
