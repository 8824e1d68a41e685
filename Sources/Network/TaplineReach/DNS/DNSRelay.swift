// SPDX-License-Identifier: MIT

internal import TaplineModel
package import TaplineNet

/// Answers the DNS queries of programs in a namespace by forwarding them to the system's name
/// servers, whatever server was asked.
///
/// Names are remembered with their addresses. Queries for service parameters (HTTPS and SVCB
/// records) are answered without records, since these announce HTTP/3, which cannot be captured.
/// A query that cannot be answered fails at once or after the time limit; none is dropped.
///
/// **Isolation**: the loop's thread.
package final class DNSRelay {
    /// The maximum number of queries in progress.
    private static let maxQueries = 1024
    /// How long each server may take, as in the C library (resolv.conf(5), `timeout`).
    static let serverTime = Microseconds(5_000_000)

    let loop: EventLoop
    private let names: NameMemory
    private let connector: Connector
    private var resolvers: ResolverList
    private var sockets: [DatagramSocket] = []
    private var queries: [ObjectIdentifier: DNSQuery] = [:]
    private var connections: [ObjectIdentifier: DNSConnection] = [:]
    private var isStopped = false
    /// The number of queries so far.
    package private(set) var queryCount = 0

    /// Makes a relay that answers on sockets, and takes ownership of them.
    ///
    /// - Parameters:
    ///   - loop: The loop of its sockets.
    ///   - descriptors: Sockets for datagrams.
    ///   - names: Where names are remembered.
    ///   - path: The file that names the servers.
    ///   - servers: Servers to use instead of those of the file.
    /// - Throws: `NetError`.
    package init(
        on loop: EventLoop,
        sockets descriptors: [Int32],
        _ names: NameMemory,
        path: String = "/etc/resolv.conf",
        servers: [SocketAddress]? = nil
    ) throws(NetError) {
        self.loop = loop
        self.names = names
        resolvers = ResolverList(path: path, fixed: servers)
        connector = Connector(on: loop)
        for descriptor in descriptors {
            let socket = try DatagramSocket(adopting: descriptor, on: loop) {
                [unowned self] (socket, query) in received(query, on: socket)
            }
            sockets.append(socket)
        }
    }

    /// Answers the queries of a program that uses TCP (RFC 7766).
    ///
    /// - Parameters:
    ///   - connection: Its connection.
    ///   - ended: Called once the connection has closed.
    package func serve(_ connection: TCPConnection, ended: @escaping () -> Void = {}) {
        guard !isStopped else {
            connection.abandon()
            return ended()
        }
        let served = DNSConnection(connection, self, ended: ended)
        connections[ObjectIdentifier(served)] = served
        served.begin()
    }

    /// Ends all queries and closes the sockets.
    package func stop() {
        isStopped = true
        for socket in sockets { socket.close() }
        sockets = []
        for query in queries.values { query.end() }
        queries = [:]
        for connection in connections.values { connection.close() }
        connections = [:]
    }

    private func received(_ datagram: DatagramSocket.Datagram, on socket: DatagramSocket) {
        guard let peer = datagram.peer else { return }
        let local = datagram.local
        answer(datagram.bytes, usesTCP: false) { [weak socket] response in
            socket?.send(response.span, to: peer, from: local)
        }
    }

    /// Answers a query.
    ///
    /// - Returns: Whether there is or will be a response: input that is no query gets none, as from
    ///   any server.
    @discardableResult
    func answer(
        _ bytes: [UInt8],
        usesTCP: Bool,
        _ reply: @escaping ([UInt8]) -> Void
    ) -> Bool {
        guard !isStopped, let message = DNSMessage(bytes.span), !message.isResponse else {
            return false
        }
        queryCount &+= 1
        if let code = refusal(of: message) {
            reply(message.response(code))
            return true
        }
        let query = DNSQuery(bytes, message, resolvers.current(at: loop.now), self, usesTCP, reply)
        queries[ObjectIdentifier(query)] = query
        query.begin(through: connector)
        return true
    }

    /// Returns the code with which a query is answered at once; `nil` if it is forwarded.
    private func refusal(of message: DNSMessage) -> DNSMessage.ResponseCode? {
        // Updates and notices are for the servers that the program means, not for this machine's.
        if !message.isStandardQuery { return .notImplemented }
        if message.asksForService { return .noError }
        return queries.count < Self.maxQueries ? nil : .serverFailure
    }

    /// Handles the response to a query, or that no server has responded.
    func ended(_ query: DNSQuery, _ response: [UInt8]?) {
        guard queries.removeValue(forKey: ObjectIdentifier(query)) != nil else { return }
        if let response, let name = query.message.name {
            let addresses = DNSMessage.addresses(in: response.span)
            if !addresses.isEmpty { names.remember(name, at: addresses) }
        }
        query.reply(response ?? query.message.response(.serverFailure))
    }

    func ended(_ connection: DNSConnection) {
        connections[ObjectIdentifier(connection)] = nil
    }
}
