// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
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

    /// The connection that is read as HTTP/1, for tunnels and what follows them.
    var leg: ClientLeg? {
        switch self {
        case .http1(let leg): leg
        }
    }

    // MARK: The request

    /// Whether the client has sent a request before on its connection or in its tunnel.
    var isReused: Bool {
        switch self {
        case .http1(let leg): leg.requestCount > 1
        }
    }

    /// The bytes of the request's body so far, including framing.
    var bodyWireBytes: Int {
        switch self {
        case .http1(let leg): leg.bodyWireBytes
        }
    }

    /// Resumes reading the request.
    func requestUnblocked() {
        switch self {
        case .http1(let leg): leg.requestUnblocked()
        }
    }

    /// Calls `timeIsUp` of the owner after a time.
    func askAgain(after time: Microseconds) {
        switch self {
        case .http1(let leg): leg.askAgain(after: time)
        }
    }

    // MARK: The response

    /// Whether output may continue; otherwise `clientDrained` follows.
    var isWritable: Bool {
        switch self {
        case .http1(let leg): leg.socket.isWritable
        }
    }

    /// The number of bytes that wait to be sent.
    var pendingBytes: Int {
        switch self {
        case .http1(let leg): leg.socket.pendingBytes
        }
    }

    /// The number of bytes that the client has taken, to see whether it still takes some.
    var bytesTaken: UInt64 {
        switch self {
        case .http1(let leg): leg.socket.bytesTaken
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
        }
    }

    /// Sends the head of a response; returns its size.
    func send(
        _ response: inout Response,
        _ writing: ResponseWriting,
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
        }
    }

    /// Sends content of the response.
    func send(_ content: Span<UInt8>, in framer: inout BodyFramer) {
        switch self {
        case .http1(let leg): framer.send(content, on: leg.socket)
        }
    }

    /// Sends the end of the response.
    func end(_ trailers: FieldSection, in framer: inout BodyFramer) throws(HTTPError) {
        switch self {
        case .http1(let leg): try framer.end(trailers, on: leg.socket)
        }
    }

    /// Sends bytes of a tunnel, or a reply of SOCKS.
    func write(_ bytes: Span<UInt8>) {
        switch self {
        case .http1(let leg): leg.socket.write(bytes)
        }
    }

    /// Limits how fast the response is sent, until `endPace`.
    func pace(bytesPerSecond: Int) {
        switch self {
        case .http1(let leg): leg.socket.pace(bytesPerSecond: bytesPerSecond)
        }
    }

    /// Ends the limit.
    func endPace() {
        switch self {
        case .http1(let leg): leg.socket.endPace()
        }
    }

    // MARK: The end

    /// Ends this direction of a tunnel.
    func shutdownOutput() {
        switch self {
        case .http1(let leg): leg.socket.shutdownOutput()
        }
    }

    /// Notes the end of the exchange: the connection continues, or closes once all output is sent.
    func exchangeEnded(keepsAlive: Bool) {
        switch self {
        case .http1(let leg): leg.exchangeEnded(keepsAlive: keepsAlive)
        }
    }

    /// Ends the exchange at once, so that the client sees an error.
    func abort() {
        switch self {
        case .http1(let leg): leg.abort()
        }
    }
}

/// The size of a head on the wire, in bytes.
struct HeadSize {
    /// The first line, with its line end.
    var line = 0
    /// Everything after it.
    var headers = 0

    /// Measures a head of HTTP/1.
    init(_ head: Span<UInt8>) {
        line = head.firstIndex(of: 0x0A).map { $0 + 1 } ?? 0
        headers = head.count - line
    }
}
