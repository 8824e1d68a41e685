// SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization
internal import TaplineModel
internal import TaplineNet
internal import TaplineTLS

/// A server on loopback that presents a certificate of an authority.
///
/// A client that sends a request has accepted the certificate.
final class TrustProbe: Sendable {
    /// The results of the connections since the last call of `takeOutcome`.
    struct Outcome: Sendable, Equatable {
        /// How many connections there were.
        var connections = 0
        /// How many of them ended without a request.
        var closed = 0
        /// The number of requests.
        var requests = 0
        /// Why the last connection without a request ended.
        var failure: String?
    }

    private let group: EventLoopGroup
    private let address: BoundAddress
    private let results = ProbeResults()

    /// Makes the server and starts listening.
    init(_ authority: CertificateAuthority) throws {
        group = try EventLoopGroup(threads: 1)
        address = try BoundAddress(SocketAddress(.loopbackV4, port: 0), count: 1)
        let context = try TLSContext(server: TLSServerOptions())
        let leaf = try authority.leaf(for: ServerName("127.0.0.1"))
        group.start(
            { [address, results] loop, _ in
                _ = try Listener(address, on: loop) { connection in
                    Self.accept(connection, results, context, leaf)
                }
            },
            then: { _ in }
        )
    }

    deinit { group.stop() }

    /// The port on 127.0.0.1.
    var port: UInt16 { address.address.port }

    /// Returns the results of the connections since the last call, once the clients have ended.
    ///
    /// Waits until their connections are closed here too, which usually happens at once, so that
    /// the reason is known.
    func takeOutcome() -> Outcome {
        for _ in 0..<500 {
            let isSettled = results.outcome.withLock {
                $0.requests > 0 || $0.closed == $0.connections
            }
            if isSettled { break }
            usleep(4000)
        }
        return results.outcome.withLock { outcome in
            defer { outcome = Outcome() }
            return outcome
        }
    }

    private static func accept(
        _ connection: TCPConnection,
        _ results: ProbeResults,
        _ context: TLSContext,
        _ leaf: TLSCertificate
    ) {
        results.outcome.withLock { $0.connections += 1 }
        let watcher = ProbeConnection { hasRequest, failure in
            results.outcome.withLock { outcome in
                if hasRequest {
                    outcome.requests += 1
                } else {
                    outcome.closed += 1
                    outcome.failure = failure
                }
            }
        }
        connection.delegate = watcher
        do throws(TLSError) {
            let layer = try TLSLayer(TLSSession(accepting: context, as: leaf)) { _ in }
            connection.install(layer)
            connection.startReading()
            layer.start(on: connection)
        } catch {
            connection.fail(NetError(error))
        }
    }
}

/// The results of a probe, which its connections update.
private final class ProbeResults: Sendable {
    let outcome = Mutex(TrustProbe.Outcome())
}

/// A connection of the probe, which answers one request.
private final class ProbeConnection: ConnectionDelegate {
    private let completion: (Bool, String?) -> Void
    private var hasRequest = false

    init(_ completion: @escaping (Bool, String?) -> Void) { self.completion = completion }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        guard !hasRequest else { return }
        // The first bytes are enough: no client sends a request to a server whose certificate it
        // rejects.
        hasRequest = true
        completion(true, nil)
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n"
        connection.write(answer.utf8.span)
        connection.close()
    }

    func connectionEndedInput(_ connection: TCPConnection) { connection.close() }
    func connectionDrained(_ connection: TCPConnection) {}

    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        if !hasRequest { completion(false, error?.message) }
    }
}
