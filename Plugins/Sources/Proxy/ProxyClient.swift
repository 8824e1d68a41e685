// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// A client of the proxy: runs an exchange for each request that its leg reads.
///
/// **Isolation**: the worker's thread.
final class ProxyClient {
    /// Its connection.
    let link: ClientLink
    let worker: ProxyWorker
    /// Counts the bytes that are kept of its exchanges.
    let memory: ClientMemory
    /// The address that it counts for.
    let ip: IPAddress
    /// The address and port of the client; empty for a client within this process.
    let address: String
    /// The request of a client within this process; `nil` for all others.
    private let sent: SentRequest?
    /// The tunnel whose requests are read; `nil` if there is none.
    private(set) var tunnel: ReadTunnel?
    /// The server that the client has connected to, if it was redirected.
    var redirected: RedirectedTarget?

    /// The connection to its server that was opened before its TLS was answered, until the first
    /// request.
    var opened: EarlyServerConnection?
    /// The connection of its streams, if it uses HTTP/2.
    var connection: HTTP2ClientConnection?
    private var exchange: ProxyExchange?
    /// The CONNECT of a tunnel that is read, until a request replaces it.
    var tunnelExchange: ProxyExchange?

    init(
        _ socket: TCPConnection,
        of ip: IPAddress,
        _ worker: ProxyWorker,
        _ memory: ClientMemory,
        sending sent: SentRequest? = nil
    ) {
        self.worker = worker
        self.ip = ip
        address = socket.peerText
        self.memory = memory
        self.sent = sent
        let leg = ClientLeg(socket, worker.clientSettings)
        link = .http1(leg)
        leg.begin(self)
    }

    /// Makes the client of a stream, whose requests are those of `client`.
    init(_ stream: HTTP2ClientStream, of client: ProxyClient) {
        link = .http2(stream)
        worker = client.worker
        memory = client.memory
        ip = client.ip
        address = client.address
        sent = nil
        tunnel = client.tunnel
        opened = client.opened.take()
    }

    /// Whether it may use the proxy without credentials: CONNECT has authenticated the client of a
    /// tunnel that is read.
    var isTrusted: Bool { tunnel != nil || sent != nil }

    /// The server that the client has named in CONNECT, if the tunnel is read.
    var target: Origin? { tunnel?.server }

    /// The connection's part of a record.
    var connectionInfo: Connection {
        var info = Connection(client: address, server: "", isReused: link.isReused)
        info.tls = tunnel?.tls
        return info
    }

    func begin(_ exchange: ProxyExchange) {
        self.exchange = exchange
        link.askAgain(after: exchange.firstLook)
        exchange.begin()
    }

    /// Notes the end of the exchange: the connection continues, or closes once all output is sent.
    ///
    /// While the worker drains, one whose response has promised to continue is an idle one.
    func exchangeEnded(keepsAlive: Bool) {
        exchange = nil
        link.exchangeEnded(keepsAlive: keepsAlive && worker.draining?.closesIdle != true)
    }

    /// Starts draining: the connection closes after its exchange, or now if it is idle.
    ///
    /// An idle connection that stays open has one more exchange, so that a request that is under
    /// way is answered. So has one that has not carried a request yet, for a while.
    func drain(_ draining: ProxyDraining) {
        if let connection {
            connection.drain(grace: draining.grace)
            for stream in connection.owners { (stream as? ProxyClient)?.drain(draining) }
            return
        }
        if draining.closesIdle { link.leg?.drain(grace: draining.grace) }
        exchange?.goAwayIfDraining()
    }

    /// Ends the exchange that is still in progress, since the run is over.
    func stop() {
        exchange?.stopped()
        for stream in connection?.owners ?? [] { (stream as? ProxyClient)?.stop() }
    }

    /// Goes on, after a request has waited because of `holdsBack`.
    func goOn() { connection?.goOn() ?? link.leg?.goOn() }
}

extension ProxyClient: ClientLegOwner {
    /// Whether the next request has to wait: the sinks have no room for records, or too many
    /// exchanges, in total or of this client, are waiting to be sealed.
    var holdsBack: Bool {
        let records = worker.records
        return records.isPaused || records.backlogBytes > worker.settings.maxCapturedPerClient
            || memory.share.isBacklogged
    }

    /// A decision about an exchange can take long, and most clients that close meanwhile
    /// have given up.
    var endsWithInput: Bool { exchange?.undecided != nil }

    var isRequestBlocked: Bool { exchange?.isRequestBlocked ?? false }

    func received(_ head: consuming RequestHead) {
        let exchange = makeExchange(head)
        sent?.begins(&exchange.held.exchange)
        begin(exchange)
    }

    private func makeExchange(_ head: consuming RequestHead) -> ProxyExchange {
        tunnelExchange.take()?.giveWay()
        if case .http2(let stream) = link, stream.opensWebSocket {
            WebSocketHandshake.translate(&head, key: worker.exchanges.makeWebSocketKey())
        }
        let exchange = ProxyExchange(head, self)
        if let opened = opened.take() { exchange.use(opened) }
        return exchange
    }

    /// Records a request that was refused, since it is malformed.
    private func refuse(_ head: consuming RequestHead, _ error: HTTPError) {
        let exchange = makeExchange(head)
        self.exchange = exchange
        link.askAgain(after: exchange.firstLook)
        exchange.refuse(ExchangeFailure(error))
    }

    func received(content: Span<UInt8>) { exchange?.sent(content: content) }

    func requestEnded(_ trailers: FieldSection) { exchange?.requestEnded(trailers) }

    func received(tunnel bytes: Span<UInt8>) -> Bool {
        guard let exchange else { return true }
        if exchange.turnsToHTTP(bytes) { return false }
        exchange.sent(tunnel: bytes)
        return true
    }

    func clientDrained() { exchange?.clientDrained() }

    func timeIsUp() -> Microseconds? { exchange?.lookAtTime() }

    func received(_ event: ClientLeg.Event) {
        switch event {
        case .waits: worker.clients.wakeLater(self, isPaused: worker.records.isPaused)
        case .socks(let authority, let up, let down):
            begin(ProxyExchange(socks: authority, up: up, down: down, self))
        case .socksRefused: worker.clients.countRefused()
        case .unreadable(let input): refuse(input)
        case .failed(let failure): exchange?.fail(failure)
        case .tunnelRead(let server, let name): exchange?.beginReading(server, named: name)
        case .serverNeeded(let server): exchange?.openServer(server)
        case .tunnelPasses(let server, let passed): exchange?.passThrough(server, passed)
        case .silence(let server): exchange?.listenToServer(server)
        case .handshakeFailed(let error): exchange?.handshakeFailed(error)
        case .tunnelOpened:
            tunnel = link.leg?.tunnel
            tunnelExchange = exchange.take()
        case .tunnelUnused(let distrust):
            let tunnelExchange = tunnelExchange.take()
            if let distrust {
                tunnelExchange?.handshakeFailed(distrust)
            } else {
                tunnelExchange?.endedUnused()
            }
        case .tunnelEnded: exchange?.tunnelEndedByClient()
        case .gone: exchange?.clientGone()
        case .refused(let head, let error): refuse(head, error)
        case .http2: useHTTP2()
        case .sent: exchange?.responseSent()
        }
    }

    /// Answers input that is not a request, records it as failed, and closes the connection.
    private func refuse(_ input: ClientLeg.Unreadable) {
        tunnelExchange.take()?.giveWay()
        let exchange = ProxyExchange(unreadable: input.byteCount, since: input.begun, self)
        self.exchange = exchange
        switch input.reason {
        case .malformed(let error): exchange.fail(ExchangeFailure(error))
        case .tls: exchange.fail(.tlsToProxy)
        case .late: exchange.fail(.requestTimeout)
        }
    }

    func closed(withinHandshake error: NetError?) {
        let exchange = exchange.take()
        if let error { exchange?.handshakeFailed(error) } else { exchange?.clientGone() }
        tunnelExchange.take()?.endedUnused()
        opened.take()?.server?.abandon()
        worker.clients.forget(self)
    }
}
