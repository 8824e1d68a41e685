// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineHTTP2
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// Requests that are sent on streams of HTTP/2.
extension ReplayExchange {
    /// Returns whether a connection for the request may use HTTP/2.
    ///
    /// Servers in TLS get requests for WebSockets in HTTP/1.1, which not all of them support on
    /// streams.
    func usesStreams(to origin: Origin) -> Bool {
        guard origin.isSecure else { return origin.hasPriorKnowledge }
        return planned.recorded.offersHTTP2 && !asksForWebSocket
    }

    /// Takes a stream of a connection, opens one, or waits for one that is being opened.
    func connectStream(to origin: Origin) {
        let streams = worker.streams
        let isWebSocket = asksForWebSocket
        if let stream = streams.take(origin, forWebSocket: isWebSocket) {
            return connected(.http2(stream), isReused: stream.isReused)
        }
        if streams.usesHTTP1(origin), let server = worker.servers.take(origin) {
            return connected(.http1(server), isReused: true)
        }
        streams.connect(to: origin, isWebSocket: isWebSocket) { [self] outcome in
            guard !machine.isEnded else {
                if case .success(let server) = outcome.result { server.abandon() }
                return
            }
            held.exchange.timing.take(connection: outcome.timing)
            switch outcome.result {
            case .failure(let failure): fail(failure)
            case .success(let server) where isWebSocket && !server.mayOpenWebSocket:
                server.abandon()
                fail(.replayNoWebSockets, isFinal: true)
            case .success(.http1(let leg)): connected(.http1(leg), isReused: false)
            case .success(.http2(let stream)):
                connected(.http2(stream), isReused: stream.isReused)
            }
        }
    }

    /// Sends the request on a stream.
    func send(on server: HTTP2ServerStream) {
        let framing = OutgoingRequest.streamFraming(of: held.exchange.request)
        if case .length(let count) = framing {
            held.exchange.request.fields.set("Content-Length", to: "\(count)")
        }
        held.exchange.request.version = "HTTP/2"
        let writing = writing(framing, to: server.route)
        let body = held.exchange.request.body.bytes
        server.begin(self)
        do throws(HTTPError) {
            if asksForWebSocket {
                try server.open(webSocket: held.exchange.request, writing)
            } else {
                try server.send(held.exchange.request, writing, ends: body.isEmpty)
                server.send(body.span)
                if !body.isEmpty { try server.end(FieldSection()) }
            }
        } catch {
            return fail(ExchangeFailure(error), isFinal: true)
        }
        times.sent = EventLoop.clockNow()
        machine.written()
        stream = StreamLegs.Leg(id: server.id.map { Int($0) }, version: "HTTP/2")
        beginCall()
    }

    /// Takes the server, and counts the bytes of its stream.
    func takeServer() -> ServerLink? {
        guard let server = server.take() else { return nil }
        if case .http2(let stream) = server { count(stream) }
        return server
    }

    private func count(_ server: HTTP2ServerStream) {
        let fields = bytes.count(up: server.sentBytes, down: server.receivedBytes)
        bytes.isExact = true
        stream?.fields = fields
    }

    /// Forgets the stream of a try that has failed; the next one may use HTTP/1.1.
    func forgetStream() {
        guard stream != nil else { return }
        stream = nil
        held.exchange.request.version = planned.recorded.request.version
    }
}

extension ExchangeFailure {
    /// The server does not offer WebSockets on streams (RFC 8441 §3).
    static let replayNoWebSockets = ExchangeFailure(
        code: "stream_tunnel",
        message: "the server does not offer WebSockets over HTTP/2 (RFC 8441)"
    )
}
