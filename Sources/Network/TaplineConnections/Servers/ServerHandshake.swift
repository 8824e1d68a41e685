// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineNet
internal import TaplineTLS

/// A connection to a server during the TLS handshake.
///
/// **Shape**: the connection holds it as its delegate until the handshake ends or the connection
/// closes.
final class ServerHandshake: ConnectionDelegate {
    private let socket: TCPConnection
    private let layer: TLSLayer
    private var done: ((Result<TLSInfo, NetError>) -> Void)?
    private var timer: LoopTimer?

    init(
        _ socket: TCPConnection,
        _ session: TLSSession,
        _ done: @escaping (Result<TLSInfo, NetError>) -> Void
    ) {
        self.socket = socket
        self.done = done
        let owner = Owner()
        layer = TLSLayer(session) { owner.handshake?.end(.success($0)) }
        owner.handshake = self
    }

    /// A reference from the layer back to its owner.
    private final class Owner { weak var handshake: ServerHandshake? }

    func begin(limit: Microseconds) {
        socket.delegate = self
        let timer = LoopTimer(on: socket.loop) { [weak self] in
            let message = "the server did not finish its TLS handshake"
            self?.end(.failure(NetError(.connectTimeout, message)))
        }
        timer.arm(after: limit)
        self.timer = timer
        socket.install(layer)
        socket.startReading()
        layer.start(on: socket)
    }

    private func end(_ result: Result<TLSInfo, NetError>) {
        timer = nil
        guard let done = done.take() else { return }
        if case .failure = result { socket.abandon() }
        done(result)
    }

    // There is no input before the end of the handshake, and then the delegate is another object.
    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {}
    func connectionDrained(_ connection: TCPConnection) {}

    func connectionEndedInput(_ connection: TCPConnection) { end(.failure(Self.cut)) }

    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        end(.failure(error ?? Self.cut))
    }

    private static var cut: NetError {
        NetError(.reset, "the server closed the connection during the TLS handshake")
    }
}
