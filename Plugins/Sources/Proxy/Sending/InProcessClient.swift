// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplineOperations

/// A client within this process: writes one request to the proxy, and drops the response.
///
/// The other end of its connection is a `ProxyClient` like any other, whose server is already known
/// as in a tunnel that is read. So hooks, capture and limits apply, and HTTPS needs no TLS here.
///
/// **Isolation**: the worker's thread.
final class InProcessClient: ServerLegOwner {
    /// How long the response may take, so that an endless one does not occupy a slot.
    private static let maxTime = Microseconds(300_000_000)

    private let leg: ServerLeg
    private let sent: SentRequest
    /// The other end of the connection.
    private weak var peer: ProxyClient?
    private var timer: LoopTimer?

    private init(_ leg: ServerLeg, _ sent: SentRequest, _ peer: ProxyClient) {
        self.leg = leg
        self.sent = sent
        self.peer = peer
    }

    /// Sends a request on a connection to the proxy; it lives until the response has ended.
    static func begin(
        _ sent: SentRequest,
        _ bytes: [UInt8],
        to server: Origin,
        on socket: TCPConnection,
        with peer: ProxyClient,
        _ settings: ServerSettings
    ) {
        let leg = ServerLeg(socket, ServerRoute(server), settings)
        let client = InProcessClient(leg, sent, peer)
        leg.begin(client, sent.kind)
        socket.write(bytes.span)
        // Weak, since the timer belongs to the client.
        let timer = LoopTimer(on: socket.loop) { [weak client] in client?.timeIsUp() }
        timer.arm(after: maxTime)
        client.timer = timer
    }

    /// Ends the exchange too, which would go on after the end of the input.
    private func timeIsUp() {
        peer?.received(.gone)
        end()
    }

    /// Closes the connection; the leg then releases this client.
    private func end() {
        timer = nil
        sent.fail("the proxy has not taken the request")
        leg.close()
    }

    func received(interim response: Response) {}

    func received(_ head: consuming ResponseHead) {
        sent.fail("the proxy has refused the request with status \(head.response.status)")
        if !head.framing.hasBody || head.becomesTunnel { end() }
    }

    func received(content: Span<UInt8>) {}
    func responseEnded(_ trailers: FieldSection) { end() }
    func received(tunnel bytes: Span<UInt8>) { end() }
    func serverDrained() {}

    func received(_ event: ServerLeg.Event) {
        if case .responseBegan = event { return }
        end()
    }
}

extension ProxyWorker {
    /// Sends a request as a client within this process.
    func send(_ sent: SentRequest) {
        guard !isDraining else { return sent.fail("the proxy is ending") }
        guard let server = sent.origin else {
            return sent.fail("the request names no server of http or https")
        }
        // A reverse proxy sends all requests to its upstream, whatever server they name.
        if let upstream = settings.upstream, !server.isServer(of: upstream) {
            return sent.fail("the proxy reaches only \(upstream.scheme)://\(upstream.authority)")
        }
        let target = settings.upstream == nil ? server : nil
        let bytes: [UInt8]
        do throws(HTTPError) {
            bytes = try sent.bytes()
        } catch {
            return sent.fail("\(error)")
        }
        do throws(NetError) {
            let (client, own) = try TCPConnection.pair(on: loop)
            switch clients.admit(own, for: self, sending: sent, to: target) {
            case .failure(let refusal):
                client.abandon()
                own.abandon()
                sent.fail(refusal.description)
            case .success(let peer):
                var settings = ServerSettings()
                settings.limits = self.settings.limits
                InProcessClient.begin(sent, bytes, to: server, on: client, with: peer, settings)
            }
        } catch {
            sent.fail("\(error)")
        }
    }
}

extension Origin {
    /// Returns whether a request for this server may be sent to an upstream: scheme, host and port
    /// are the same.
    func isServer(of upstream: Origin) -> Bool {
        let (own, other) = (host, upstream.host)
        return isSecure == upstream.isSecure && port == upstream.port
            && own.span.equalsIgnoringCase(other.span)
    }
}
