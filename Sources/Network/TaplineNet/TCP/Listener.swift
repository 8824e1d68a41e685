// SPDX-License-Identifier: MIT

internal import CUV
internal import TaplineModel

/// Accepts one loop's share of the connections to an address.
///
/// ```
/// listening ──▶ closing to rest ──▶ resting ──▶ listening …       (no descriptor for a connection)
///     any   ──▶ closing ──▶ closed
/// ```
/// **Shape**: the loop keeps it alive until it has closed.
/// **Isolation**: the loop's thread.
@safe
package final class Listener: LoopResource {
    private enum State {
        case listening
        /// The handle is closing, the socket stays open.
        case closingToRest
        /// There is no handle.
        case resting
        case closing
        case closed
    }

    /// How long the listener rests after there was no descriptor for a connection.
    private static let restTime = Microseconds(100_000)

    /// The loop that it belongs to.
    package let loop: EventLoop
    /// The address, with its real port.
    package let address: SocketAddress
    /// The number of accepted connections.
    package private(set) var accepted: UInt64 = 0
    /// How often the system had no descriptor or memory for a connection.
    package private(set) var refused: UInt64 = 0

    private let options: TCPOptions
    private let backlog: Int32
    private let handle: UnsafeMutablePointer<uv_tcp_t>
    /// A duplicate of the socket, so that it keeps listening while there is no handle.
    private let socket: Int32
    private var handler: ((TCPConnection) -> Void)?
    private var state = State.listening
    private var isPaused = false
    /// Whether libuv holds a connection that was not accepted; it accepts no other one until then.
    private var isOneWaiting = false
    private var timer: LoopTimer?

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - bound: The address; the listener takes one of its sockets.
    ///   - loop: The loop that handles the connections.
    ///   - options: The options of the connections.
    ///   - handler: Called with each connection; sets its delegate and calls `startReading`.
    /// - Throws: `NetError`.
    package init(
        _ bound: BoundAddress,
        on loop: EventLoop,
        _ options: TCPOptions = TCPOptions(),
        _ handler: @escaping (TCPConnection) -> Void
    ) throws(NetError) {
        guard !loop.isStopped, let socket = bound.take() else {
            throw NetError(.closed, "no socket is left to listen on \(bound.address)")
        }
        self.loop = loop
        self.options = options
        self.handler = handler
        self.socket = socket
        address = bound.address
        backlog = bound.backlog
        unsafe handle = .allocate(capacity: 1)
        let copy = tapline_uv_duplicate(socket)
        loop.register(self)
        guard copy >= 0 else {
            rest()
            return
        }
        let status = listen(copy)
        guard status >= 0 else {
            close()
            throw BoundAddress.error(status, address)
        }
    }

    deinit {
        tapline_uv_close_socket(socket)
        unsafe handle.deallocate()
    }

    /// Polls a duplicate of the socket, and takes ownership of it.
    private func listen(_ copy: Int32) -> Int32 {
        let status = unsafe tapline_uv_listen(
            &loop.core.pointee.loop,
            handle,
            copy,
            backlog,
            Self.onConnection
        )
        unsafe handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        return status
    }

    /// Stops accepting connections for now; the kernel queues new ones up to the backlog.
    package func pause() {
        loop.assertIsCurrent()
        isPaused = true
    }

    /// Accepts connections again.
    package func resume() {
        loop.assertIsCurrent()
        isPaused = false
        if isOneWaiting { accept() }
    }

    /// Stops listening.
    ///
    /// Accepted connections stay open.
    package func close() {
        loop.assertIsCurrent()
        switch state {
        case .listening:
            state = .closing
            unsafe tapline_uv_close_tcp(handle, Self.onClose)
        case .closingToRest: state = .closing
        case .resting: didClose()
        case .closing, .closed: break
        }
    }

    /// Closes after the current batch of events, which has the connections that clients have opened
    /// before.
    func loopDrains() { loop.afterThisEvent { [self] in close() } }
    func loopStops() { close() }

    private func didConnect(_ status: Int32) {
        guard state == .listening else { return }
        if status >= 0 { return accept() }
        // Without a descriptor, libuv accepts the connection with one that it keeps in reserve, and
        // drops it. Once that one is gone too, libuv would retry forever within this call.
        refused += 1
        if status == UV_EMFILE.rawValue { loop.noteDescriptor(nil) }
        beginRest()
    }

    private func accept() {
        guard state == .listening else { return }
        isOneWaiting = true
        if isPaused { return }
        guard let connection = try? TCPConnection(on: loop, options) else { return }
        let status = unsafe connection.accept(from: handle)
        isOneWaiting = false
        guard status >= 0 else {
            refused += 1
            return connection.abandon()
        }
        accepted += 1
        handler?(connection)
    }

    /// Stops accepting for a while; the kernel queues new connections up to the backlog.
    private func beginRest() {
        state = .closingToRest
        unsafe tapline_uv_close_tcp(handle, Self.onClose)
    }

    private func rest() {
        state = .resting
        let timer = timer ?? LoopTimer(on: loop) { [unowned self] in restEnded() }
        self.timer = timer
        timer.arm(after: Self.restTime)
    }

    private func restEnded() {
        guard state == .resting else { return }
        let copy = tapline_uv_duplicate(socket)
        guard copy >= 0 else { return rest() }
        state = .listening
        if listen(copy) < 0 { beginRest() }
    }

    private func handleClosed() {
        if state == .closingToRest { rest() } else { didClose() }
    }

    private func didClose() {
        state = .closed
        timer = nil
        handler = nil
        loop.unregister(self)
    }

    private static let onConnection: uv_connection_cb = { stream, status in
        guard let data = unsafe tapline_uv_stream_data(stream) else { return }
        unsafe Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue().didConnect(status)
    }

    private static let onClose: uv_close_cb = { handle in
        guard let data = unsafe tapline_uv_handle_data(handle) else { return }
        unsafe Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue().handleClosed()
    }
}
