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
    ///   - handler: Answers requests; called on the loop, so what takes time belongs on another
    ///     thread.
    /// - Returns: The listener, which the loop keeps alive.
    /// - Throws: `NetError`.
    @discardableResult
    package static func listen(
        _ bound: BoundAddress,
        on loop: EventLoop,
        _ options: ServeOptions = ServeOptions(),
        _ handler: @escaping (ServedRequest, Responder) -> Void
    ) throws(NetError) -> Listener {
        let count = OpenConnections(limit: options.maxConnections)
        let listener = try Listener(bound, on: loop) { socket in
            count.opened()
            ServedConnection(socket, options, handler) { count.closed() }.start()
        }
        count.listener = listener
        return listener
    }
}

/// Pauses a listener while it has too many connections.
private final class OpenConnections {
    weak var listener: Listener?
    private let limit: Int
    private var count = 0

    init(limit: Int) { self.limit = max(limit, 1) }

    func opened() {
        count += 1
        if count >= limit { listener?.pause() }
    }

    func closed() {
        count -= 1
        if count == limit - 1 { listener?.resume() }
    }
}
