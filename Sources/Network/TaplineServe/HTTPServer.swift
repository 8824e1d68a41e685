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
        let connections = OpenConnections(on: loop, options)
        let listener = try Listener(bound, on: loop) { socket in
            let client = socket.peerAddress?.ip.clientNetwork
            connections.add(
                ServedConnection(socket, options, tls, handler, of: connections),
                by: client
            )
        }
        connections.listener = listener
        return listener
    }
}
