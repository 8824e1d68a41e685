// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineHTTP2
internal import TaplineModel
internal import TaplineNet

/// The client's end of an exchange: what an exchange does with its client, in the client's version
/// of HTTP.
///
/// An enum in this module, so that the calls of an exchange are direct.
///
/// **Isolation**: the loop of the connection.
enum ClientLink {
    /// A connection that carries one exchange after the other.
    case http1(ClientLeg)
    /// A stream of a connection that carries many.
    case http2(HTTP2ClientStream)

    /// The connection that is read as HTTP/1, for tunnels and what follows them.
    var leg: ClientLeg? {
        switch self {
        case .http1(let leg): leg
        case .http2: nil
        }
    }

    /// The stream of the exchange, for the record; `nil` if there is none.
    var stream: StreamLegs.Leg? {
        switch self {
        case .http1: nil
        case .http2(let stream): StreamLegs.Leg(id: Int(stream.id), version: "HTTP/2")
        }
    }

    // MARK: The request

    /// Whether the client has sent a request before on its connection or in its tunnel.
    var isReused: Bool {
        switch self {
        case .http1(let leg): leg.requestCount > 1
        case .http2(let stream): stream.isReused
        }
    }

    /// The bytes of the request's body so far, including framing.
    var bodyWireBytes: Int {
        switch self {
        case .http1(let leg): leg.bodyWireBytes
        case .http2(let stream): stream.receivedBytes.body
        }
    }

    /// Resumes reading the request.
    func requestUnblocked() {
        switch self {
        case .http1(let leg): leg.requestUnblocked()
        case .http2(let stream): stream.requestUnblocked()
        }
    }

    /// Calls `timeIsUp` of the owner after a time.
    func askAgain(after time: Microseconds) {
        switch self {
        case .http1(let leg): leg.askAgain(after: time)
        case .http2(let stream): stream.askAgain(after: time)
        }
    }

    // MARK: The response

    /// Whether output may continue; otherwise `clientDrained` follows.
    var isWritable: Bool {
        switch self {
        case .http1(let leg): leg.socket.isWritable
        case .http2(let stream): stream.isWritable
        }
    }

    /// The number of bytes that wait to be sent.
    var pendingBytes: Int {
        switch self {
        case .http1(let leg): leg.socket.pendingBytes
        case .http2(let stream): stream.pendingBytes
        }
    }

    /// The number of bytes that the client has taken, to see whether it still takes some.
    var bytesTaken: UInt64 {
        switch self {
        case .http1(let leg): leg.socket.bytesTaken
        case .http2(let stream): UInt64(clamping: stream.sentBytes.body)
        }
    }

    /// Sends an interim response; returns its size.
    func send(
        _ interim: InterimResponse,
        via: ByteString?,
        _ worker: ProxyWorker
    ) throws(HTTPError) -> HeadSize {
        switch self {
        case .http1(let leg):
            var output = worker.takeBuffer()
            try HeadWriter.append(interim, via: via, to: &output)
            let size = HeadSize(output.span)
            leg.socket.write(output.span)
            worker.giveBack(consume output)
            return size
        case .http2(let stream):
            try stream.send(interim, via: via)
            return HeadSize()
        }
    }

    /// Sends the head of a response, which is the whole response if `ends`; returns its size.
    func send(
        _ response: inout Response,
        _ writing: ResponseWriting,
        ends: Bool,
        _ worker: ProxyWorker
    ) throws(HTTPError) -> HeadSize {
        switch self {
        case .http1(let leg):
            var output = worker.takeBuffer()
            try response.appendHead(writing, to: &output)
            let size = HeadSize(output.span)
            leg.socket.write(output.span)
            worker.giveBack(consume output)
            return size
        case .http2(let stream):
            if writing.becomesTunnel {
                let opening = WebSocketHandshake.streamResponse(response)
                try stream.send(opening, writing, ends: false)
            } else {
                try stream.send(response, writing, ends: ends)
            }
            return HeadSize()
        }
    }

    /// Sends content of the response.
    func send(_ content: Span<UInt8>, in framer: inout BodyFramer) {
        switch self {
        case .http1(let leg): framer.send(content, on: leg.socket)
        case .http2(let stream): stream.send(content)
        }
    }

    /// Sends the end of the response.
    func end(_ trailers: FieldSection, in framer: inout BodyFramer) throws(HTTPError) {
        switch self {
        case .http1(let leg): try framer.end(trailers, on: leg.socket)
        case .http2(let stream): try stream.end(trailers)
        }
    }

    /// Returns whether the end of a response has to be sent, after content in this framing.
    func needsEnd(_ framing: BodyFraming) -> Bool {
        switch self {
        case .http1: framing == .chunked
        case .http2: true
        }
    }

    /// Whether a response that was written is sent later; then the event `sent` follows.
    var sendsLater: Bool {
        switch self {
        case .http1: false
        case .http2: true
        }
    }

    /// Sends bytes of a tunnel, or a reply of SOCKS.
    func write(_ bytes: Span<UInt8>) {
        switch self {
        case .http1(let leg): leg.socket.write(bytes)
        case .http2(let stream): stream.send(bytes)
        }
    }

    /// Limits how fast the response is sent, until `endPace`.
    func pace(bytesPerSecond: Int) {
        switch self {
        case .http1(let leg): leg.socket.pace(bytesPerSecond: bytesPerSecond)
        case .http2(let stream): stream.pace(bytesPerSecond: bytesPerSecond)
        }
    }

    /// Ends the limit.
    func endPace() {
        switch self {
        case .http1(let leg): leg.socket.endPace()
        // A stream ends with its exchange.
        case .http2: break
        }
    }

    // MARK: Tunnels

    /// Forwards bytes from now on.
    func becomeTunnel() {
        switch self {
        case .http1(let leg): leg.becomeTunnel()
        case .http2(let stream): stream.becomeTunnel()
        }
    }

    /// Ends this direction of a tunnel.
    func shutdownOutput() {
        switch self {
        case .http1(let leg): leg.socket.shutdownOutput()
        case .http2(let stream): try? stream.end(FieldSection())
        }
    }

    // MARK: The end

    /// Notes the end of the exchange: the connection continues, or closes once all output is sent.
    func exchangeEnded(keepsAlive: Bool) {
        switch self {
        case .http1(let leg): leg.exchangeEnded(keepsAlive: keepsAlive)
        case .http2(let stream): stream.exchangeEnded()
        }
    }

    /// Ends the exchange at once, so that the client sees an error: the code, if it has a stream.
    func abort(_ code: HTTP2ErrorCode = .internalError) {
        switch self {
        case .http1(let leg): leg.abort()
        case .http2(let stream): stream.abort(code)
        }
    }
}

/// The size of a head on the wire, in bytes.
struct HeadSize {
    /// The first line, with its line end.
    var line = 0
    /// Everything after it.
    var headers = 0

    /// Makes the size of a head that is counted elsewhere.
    init() {}

    /// Measures a head of HTTP/1.
    init(_ head: Span<UInt8>) {
        line = head.firstIndex(of: 0x0A).map { $0 + 1 } ?? 0
        headers = head.count - line
    }
}
