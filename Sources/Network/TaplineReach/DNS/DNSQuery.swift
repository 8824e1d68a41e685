// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineNet

/// A query that is forwarded to one server after the other until one responds.
///
/// **Isolation**: the loop's thread.
final class DNSQuery {
    /// The query.
    let message: DNSMessage
    /// Sends the response to the program.
    let reply: ([UInt8]) -> Void

    private let bytes: [UInt8]
    private let usesTCP: Bool
    private var servers: ArraySlice<SocketAddress>
    private unowned let relay: DNSRelay
    private var connector: Connector?
    private var timer: LoopTimer?
    private var socket: DatagramSocket?
    private var exchange: DNSExchange?
    private var attempt: ConnectAttempt?

    init(
        _ bytes: [UInt8],
        _ message: DNSMessage,
        _ servers: [SocketAddress],
        _ relay: DNSRelay,
        _ usesTCP: Bool,
        _ reply: @escaping ([UInt8]) -> Void
    ) {
        self.bytes = bytes
        self.message = message
        self.servers = servers[...]
        self.relay = relay
        self.usesTCP = usesTCP
        self.reply = reply
    }

    /// Asks the first server.
    func begin(through connector: Connector) {
        self.connector = connector
        timer = LoopTimer(on: relay.loop) { [unowned self] in askNext() }
        askNext()
    }

    /// Stops waiting; the program gets no response.
    func end() {
        timer = nil
        socket.take()?.close()
        exchange.take()?.end()
        attempt.take()?.cancel()
        connector = nil
    }

    private func askNext() {
        socket.take()?.close()
        exchange.take()?.end()
        attempt.take()?.cancel()
        guard let server = servers.popFirst() else { return finish(nil) }
        timer?.arm(after: DNSRelay.serverTime)
        if usesTCP { connect(to: server) } else { send(to: server) }
    }

    private func send(to server: SocketAddress) {
        let failed = { [unowned self] in later { $0.askNext() } }
        let socket = try? DatagramSocket(
            to: server,
            on: relay.loop,
            maxBytes: 65_535,
            failed: failed
        ) { [unowned self] _, datagram in
            guard self.socket != nil else { return }
            if isResponse(datagram.bytes) { finish(datagram.bytes) }
        }
        guard let socket else { return later { $0.askNext() } }
        self.socket = socket
        // A copy, since the property cannot be lent.
        let query = bytes
        socket.send(query.span)
    }

    private func connect(to server: SocketAddress) {
        attempt = connector?.connect(to: "\(server.ip)", port: server.port) { [weak self] outcome in
            let connection = try? outcome.result.get()
            guard let self else { return connection?.abandon() ?? () }
            guard let connection else { return askNext() }
            attempt = nil
            exchange = DNSExchange(connection, bytes) { [unowned self] response in
                guard let response, isResponse(response) else { return later { $0.askNext() } }
                finish(response)
            }
        }
    }

    /// Continues after the current event, in which the socket that reports it is in use.
    private func later(_ action: @escaping (DNSQuery) -> Void) {
        relay.loop.afterThisEvent { [weak self] in
            guard let self, timer != nil else { return }
            action(self)
        }
    }

    private func isResponse(_ bytes: [UInt8]) -> Bool {
        message.isAnswered(by: bytes.span)
    }

    private func finish(_ response: [UInt8]?) {
        end()
        relay.ended(self, response)
    }
}
