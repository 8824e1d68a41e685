// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet

/// A client within this process: writes one request to the proxy, and drops the response.
///
/// The other end of its connection is a `ProxyClient` like any other, whose server is already known
/// as in a tunnel that is read. So hooks, capture and limits apply, and HTTPS needs no TLS here.
///
/// **Isolation**: the worker's thread.
final class OwnClient: ServerLegOwner {
    /// How long the response may take, so that an endless one does not occupy a slot.
    private static let maxTime = Microseconds(300_000_000)

    private let leg: ServerLeg
    private let sent: SentRequest
    private var timer: LoopTimer?

    private init(_ leg: ServerLeg, _ sent: SentRequest) {
        self.leg = leg
        self.sent = sent
    }

    /// Sends a request on a connection to the proxy; it lives until the response has ended.
    static func begin(
        _ sent: SentRequest,
        _ bytes: [UInt8],
        to server: Origin,
        on socket: TCPConnection,
        _ settings: ServerSettings
    ) {
        let leg = ServerLeg(socket, ServerRoute(server), settings)
        let client = OwnClient(leg, sent)
        leg.begin(client, sent.kind)
        socket.write(bytes.span)
        // Weak, since the timer belongs to the client.
        let timer = LoopTimer(on: socket.loop) { [weak client] in client?.end() }
        timer.arm(after: maxTime)
        client.timer = timer
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
        // As for any client, a reverse proxy sends all requests to its upstream.
        let target = settings.upstream == nil ? sent.origin : nil
        guard let server = target ?? settings.upstream else {
            return sent.fail("the request names no server of http or https")
        }
        let bytes: [UInt8]
        do throws(HTTPError) {
            bytes = try sent.bytes()
        } catch {
            return sent.fail("\(error)")
        }
        do throws(NetError) {
            let (client, own) = try TCPConnection.pair(on: loop)
            if let refusal = clients.admit(own, for: self, sending: sent, to: target) {
                client.abandon()
                own.abandon()
                return sent.fail(refusal)
            }
            var settings = ServerSettings()
            settings.limits = self.settings.limits
            OwnClient.begin(sent, bytes, to: server, on: client, settings)
        } catch {
            sent.fail("\(error)")
        }
    }
}
