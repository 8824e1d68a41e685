// SPDX-License-Identifier: MIT

package import TaplineHTTP
internal import TaplineHTTP2
package import TaplineModel
internal import TaplineNet

/// The server's end of an exchange: what an exchange does with its server, in the server's version
/// of HTTP.
///
/// An enum, so that the calls of an exchange are direct.
///
/// **Isolation**: the loop of the connection.
package enum ServerLink {
    /// A connection that carries one exchange after the other.
    case http1(ServerLeg)
    /// A stream of a connection that carries many.
    case http2(HTTP2ServerStream)

    /// The route to the server.
    package var route: ServerRoute {
        switch self {
        case .http1(let leg): leg.route
        case .http2(let stream): stream.route
        }
    }

    /// The address and port of the other end.
    package var peerText: String {
        switch self {
        case .http1(let leg): leg.socket.peerText
        case .http2(let stream): stream.peerText
        }
    }

    /// The stream of the exchange, for the record.
    package var stream: StreamLegs.Leg {
        switch self {
        case .http1: StreamLegs.Leg(version: "HTTP/1.1")
        case .http2(let stream): StreamLegs.Leg(id: stream.id.map { Int($0) }, version: "HTTP/2")
        }
    }

    // MARK: The request

    /// Starts an exchange, whose request is sent next.
    package func begin(_ owner: any ServerLegOwner, _ kind: RequestKind) {
        switch self {
        case .http1(let leg): leg.begin(owner, kind)
        case .http2(let stream): stream.begin(owner)
        }
    }

    /// Sends the head of the request, which is the whole request if `ends`.
    ///
    /// A head of HTTP/1.1 is written in an empty buffer, which still contains it afterwards.
    package func send(
        _ request: inout Request,
        _ writing: RequestWriting,
        ends: Bool,
        in buffer: inout [UInt8]
    ) throws(HTTPError) {
        switch self {
        case .http1(let leg):
            try request.appendHead(writing, to: &buffer)
            leg.socket.write(buffer.span)
        case .http2(let stream):
            if writing.connection == .upgrade, stream.acceptsWebSockets,
                WebSocketHandshake.isRequested(by: request)
            {
                return try stream.open(webSocket: request, writing)
            }
            try stream.send(request, writing, ends: ends)
        }
    }

    /// Whether the server may switch to a WebSocket.
    package var mayOpenWebSocket: Bool {
        switch self {
        case .http1: true
        case .http2(let stream): stream.acceptsWebSockets
        }
    }

    /// Sends content of the request.
    package func send(_ content: Span<UInt8>, in framer: inout BodyFramer) {
        switch self {
        case .http1(let leg): framer.send(content, on: leg.socket)
        case .http2(let stream): stream.send(content)
        }
    }

    /// Sends the end of the request.
    package func end(_ trailers: FieldSection, in framer: inout BodyFramer) throws(HTTPError) {
        switch self {
        case .http1(let leg): try framer.end(trailers, on: leg.socket)
        case .http2(let stream): try stream.end(trailers)
        }
    }

    /// Returns whether the end of the request has to be sent, after content in this framing.
    package func needsEnd(_ framing: BodyFraming) -> Bool {
        switch self {
        case .http1: framing == .chunked
        // What follows the handshake of a WebSocket has no end yet.
        case .http2(let stream): !stream.isWebSocket
        }
    }

    /// Whether output may continue; otherwise `serverDrained` follows.
    package var isWritable: Bool {
        switch self {
        case .http1(let leg): leg.socket.isWritable
        case .http2(let stream): stream.isWritable
        }
    }

    /// The number of bytes that wait to be sent.
    package var pendingBytes: Int {
        switch self {
        case .http1(let leg): leg.socket.pendingBytes
        case .http2(let stream): stream.pendingBytes
        }
    }

    /// The number of bytes that the server has taken, to see whether it still takes some.
    package var bytesTaken: UInt64 {
        switch self {
        case .http1(let leg): leg.socket.bytesTaken
        case .http2(let stream): UInt64(clamping: stream.sentBytes.body)
        }
    }

    /// Limits how fast the request is sent, until `endPace`.
    package func pace(bytesPerSecond: Int) {
        switch self {
        case .http1(let leg): leg.socket.pace(bytesPerSecond: bytesPerSecond)
        case .http2(let stream): stream.pace(bytesPerSecond: bytesPerSecond)
        }
    }

    /// Ends the limit.
    package func endPace() {
        switch self {
        case .http1(let leg): leg.socket.endPace()
        // A stream ends with its exchange.
        case .http2: break
        }
    }

    // MARK: The response

    /// Makes the server wait before it sends more of its response.
    package func pauseReading() {
        switch self {
        case .http1(let leg): leg.socket.pauseReading()
        case .http2(let stream): stream.pauseReading()
        }
    }

    /// Lets the server send more of its response.
    package func resumeReading() {
        switch self {
        case .http1(let leg): leg.socket.resumeReading()
        case .http2(let stream): stream.resumeReading()
        }
    }

    // MARK: Tunnels

    /// Forwards bytes from now on.
    package func becomeTunnel() {
        switch self {
        case .http1(let leg): leg.becomeTunnel()
        case .http2: break
        }
    }

    /// Sends bytes of a tunnel.
    package func write(_ bytes: Span<UInt8>) {
        switch self {
        case .http1(let leg): leg.socket.write(bytes)
        case .http2(let stream): stream.send(bytes)
        }
    }

    /// Ends this direction of a tunnel.
    package func shutdownOutput() {
        switch self {
        case .http1(let leg): leg.socket.shutdownOutput()
        case .http2(let stream): try? stream.end(FieldSection())
        }
    }

    // MARK: The end

    /// Releases the exchange; the connection may then carry another one if both messages were
    /// complete and the server allows it.
    package func release(isClean: Bool, to pool: ServerPool) {
        switch self {
        case .http1(let leg): isClean && leg.keepsAlive ? pool.give(leg) : leg.abandon()
        case .http2(let stream): stream.release()
        }
    }

    /// Releases the exchange and closes once the server has the output.
    package func close() {
        switch self {
        case .http1(let leg): leg.close()
        case .http2(let stream): stream.close()
        }
    }

    /// Releases the exchange and ends it at once.
    package func abandon() {
        switch self {
        case .http1(let leg): leg.abandon()
        case .http2(let stream): stream.release()
        }
    }
}
