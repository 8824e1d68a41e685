// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineModel
package import TaplineNet
package import TaplineOperations
internal import TaplineServe

/// Serves metrics and the state of a running pipeline, and takes orders, on a thread of its own.
///
/// Programs of this machine may read; changes need the token. Proxies of Tapline refuse to connect
/// their clients to it.
///
/// **Isolation**: any thread.
package final class ControlServer: Sendable {
    /// Where it is reached, with the real port.
    package let address: ControlAddress
    /// The token for changes.
    package let token: ControlToken
    /// Why proxies of Tapline cannot know that they must not connect their clients to it; `nil` if
    /// they do.
    package let warning: String?
    private let bound: BoundAddress
    private let group: EventLoopGroup
    /// Keeps proxies from connecting their clients to it; `nil` if that is not needed or possible.
    private let protectedPort: ProtectedPort?
    private let hasEnded = DispatchSemaphore(value: 0)
    private let isStopped = Mutex(false)

    /// Starts to serve.
    ///
    /// - Parameters:
    ///   - address: Where; with port 0 the kernel chooses a free one.
    ///   - operations: The pipeline.
    ///   - reloading: The same pipeline, if it can reload its configuration.
    ///   - token: The token for changes.
    ///   - protectedPorts: Where proxies look which ports they must not connect to, and where a
    ///     generated token is kept.
    /// - Throws: `ControlServerError`.
    package init(
        at address: ControlAddress,
        of operations: any PipelineOperations,
        reloading: (any PipelineReloading)?,
        token: ControlToken.Origin = .generated,
        protectedPorts: ProtectedPorts = .ofUser()
    ) throws(ControlServerError) {
        do {
            switch address {
            case .socket(let path):
                bound = try BoundAddress(path: path)
                self.address = address
            case .loopback(let host, let port):
                guard let wanted = SocketAddress("\(host):\(port)"), wanted.ip.isLoopback else {
                    throw ControlServerError("'\(address)' is not a loopback address")
                }
                bound = try BoundAddress(wanted)
                self.address = .loopback(host: host, port: bound.address.port)
            }
        } catch let error as ControlServerError {
            throw error
        } catch {
            throw ControlServerError("\(error)")
        }
        (protectedPort, warning) = Self.protect(bound, in: protectedPorts)
        let made: ControlToken
        do {
            made = try ControlToken(token, of: self.address, in: protectedPorts)
        } catch {
            bound.removePath()
            throw ControlServerError("\(error)")
        }
        self.token = made
        do {
            group = try EventLoopGroup(threads: 1)
        } catch {
            made.remove()
            bound.removePath()
            throw ControlServerError("\(error)")
        }
        let handler = ControlHandler(
            operations,
            reloading,
            rules: ControlAccess(self.address, self.token)
        )
        let (bound, ended) = (bound, hasEnded)
        group.start { loop, _ in
            try HTTPServer.listen(bound, on: loop, .control) { handler.handle($0, $1) }
        } then: { _ in
            ended.signal()
        }
    }

    deinit { stop() }

    private static func protect(
        _ bound: BoundAddress,
        in ports: ProtectedPorts
    ) -> (ProtectedPort?, String?) {
        // No proxy can connect to a socket of the file system.
        guard bound.path == nil else { return (nil, nil) }
        do throws(ProtectedPortError) {
            return (try ports.protect(bound.address.port), nil)
        } catch {
            return (
                nil,
                "proxies of Tapline do not know of it, and may connect their clients to it: \(error)"
            )
        }
    }

    /// Stops, and removes the socket and a generated token.
    package func stop() {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        // Answers to the last requests, such as that to drain, are sent first.
        group.drain(within: Microseconds(.milliseconds(200)))
        hasEnded.wait()
        bound.removePath()
        token.remove()
        protectedPort?.release()
    }
}

/// Why a control listener cannot start.
package struct ControlServerError: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    package let description: String

    init(_ description: String) { self.description = description }
}

extension ServeOptions {
    /// The limits of a control listener, whose requests have no bodies.
    fileprivate static var control: ServeOptions {
        var options = ServeOptions()
        options.maxBodyBytes = 4096
        options.maxAnonymousBodyBytes = 4096
        options.maxConnections = 128
        options.firstTime = Microseconds(.seconds(10))
        options.requestTime = Microseconds(.seconds(10))
        return options
    }
}
