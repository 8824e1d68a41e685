// SPDX-License-Identifier: MIT

internal import CUV

/// One loop's share of the connections that come in at an address.
///
/// **Shape**: the loop keeps it alive until it has closed.
/// **Isolation**: the loop's thread.
@safe
public final class Listener: LoopResource {
    /// The loop that it belongs to.
    public let loop: EventLoop
    /// The address, with its real port.
    public let address: SocketAddress
    /// How many connections it has accepted.
    public private(set) var accepted: UInt64 = 0
    /// How many could not be accepted, since the system had no descriptor or memory for them.
    public private(set) var refused: UInt64 = 0

    private let options: TCPOptions
    private let handle: UnsafeMutablePointer<uv_tcp_t>
    private var handler: ((TCPConnection) -> Void)?
    private var isPaused = false
    private var isClosing = false
    /// Whether libuv holds a connection that was not taken; it accepts no other until it is.
    private var isOneWaiting = false

    /// Listens.
    ///
    /// - Parameters:
    ///   - bound: The address, of whose sockets it takes one.
    ///   - loop: The loop that handles the connections.
    ///   - options: What the connections are made with.
    ///   - handler: Given each connection; sets its delegate and calls `startReading`.
    /// - Throws: `NetError`.
    public init(
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
        address = bound.address
        unsafe handle = .allocate(capacity: 1)
        let status = unsafe tapline_uv_listen(
            &loop.core.pointee.loop,
            handle,
            socket,
            bound.backlog,
            Self.onConnection
        )
        unsafe handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        loop.register(self)
        guard status >= 0 else {
            close()
            throw BoundAddress.error(status, address)
        }
    }

    deinit { unsafe handle.deallocate() }

    /// Takes no more connections for now; the kernel keeps those that come, up to the backlog.
    public func pause() {
        loop.assertIsCurrent()
        isPaused = true
    }

    /// Takes connections again.
    public func resume() {
        loop.assertIsCurrent()
        isPaused = false
        if isOneWaiting { accept() }
    }

    /// Stops listening; accepted connections go on.
    public func close() {
        loop.assertIsCurrent()
        guard !isClosing else { return }
        isClosing = true
        unsafe tapline_uv_close_tcp(handle, Self.onClose)
    }

    func loopDrains() { close() }
    func loopStops() { close() }

    private func didConnect(_ status: Int32) {
        guard !isClosing else { return }
        if status >= 0 { return accept() }
        // Without a descriptor libuv takes the connection by one that it keeps in reserve, and drops
        // it, so that the loop does not spin.
        refused += 1
    }

    private func accept() {
        guard !isClosing else { return }
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

    private func didClose() {
        handler = nil
        loop.unregister(self)
    }

    private static let onConnection: uv_connection_cb = { stream, status in
        guard let data = unsafe tapline_uv_stream_data(stream) else { return }
        unsafe Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue().didConnect(status)
    }

    private static let onClose: uv_close_cb = { handle in
        guard let data = unsafe tapline_uv_handle_data(handle) else { return }
        unsafe Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue().didClose()
    }
}
