// SPDX-License-Identifier: MIT

package import TaplineNet

/// Serves HTTP/1.1 on a loop.
///
/// **Isolation**: the loop's thread.
package enum HTTPServer {
    /// Accepts connections until the loop ends.
    ///
    /// - Parameters:
    ///   - bound: The address.
    ///   - loop: The loop.
    ///   - options: The limits.
    ///   - tls: The TLS of all connections; `nil` for plain HTTP.
    ///   - handler: Answers requests; called on the loop, so what takes time belongs on another
    ///     thread.
    /// - Returns: The listener, which the loop keeps alive.
    /// - Throws: `NetError`.
    @discardableResult
    package static func listen(
        _ bound: BoundAddress,
        on loop: EventLoop,
        _ options: ServeOptions = ServeOptions(),
        tls: ServerTLS? = nil,
        _ handler: @escaping (ServedRequest, Responder) -> Void
    ) throws(NetError) -> Listener {
        let count = OpenConnections(
            limit: options.maxConnections,
            ofClient: options.maxConnectionsOfClient
        )
        let listener = try Listener(bound, on: loop) { socket in
            let client = socket.peerAddress?.ip.clientNetwork
            guard count.opened(by: client) else { return socket.abandon() }
            ServedConnection(socket, options, tls, handler) { count.closed(by: client) }.start()
        }
        count.listener = listener
        return listener
    }
}

/// Pauses a listener while it has too many connections, and limits those of one address.
private final class OpenConnections {
    weak var listener: Listener?
    private let limit: Int
    private let clientLimit: Int
    private var count = 0
    private var clients: [IPAddress?: Int] = [:]

    init(limit: Int, ofClient clientLimit: Int) {
        self.limit = max(limit, 1)
        self.clientLimit = clientLimit
    }

    /// Counts a connection; returns whether its client may have another one.
    func opened(by client: IPAddress?) -> Bool {
        let known = clients[client] ?? 0
        guard known < clientLimit else { return false }
        clients[client] = known + 1
        count += 1
        if count >= limit { listener?.pause() }
        return true
    }

    func closed(by client: IPAddress?) {
        let rest = (clients[client] ?? 1) - 1
        clients[client] = rest > 0 ? rest : nil
        count -= 1
        if count == limit - 1 { listener?.resume() }
    }
}
