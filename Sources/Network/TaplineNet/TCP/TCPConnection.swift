// SPDX-License-Identifier: MIT

internal import CUV
internal import TaplineModel

/// A TCP connection of one loop.
///
/// Output is gathered and sent after the current batch of events. The two directions end
/// independently. When both have ended normally, the connection closes.
///
/// **Shape**: the loop keeps it alive until it has closed. Every method may be called at any time;
/// a call that comes too late does nothing.
/// **Isolation**: the loop's thread.
@safe
package final class TCPConnection: LoopResource {
    struct State: OptionSet {
        let rawValue: UInt16
        /// Connected, so that data can be written.
        static let open = State(rawValue: 1)
        /// The delegate has paused reading.
        static let paused = State(rawValue: 1 << 1)
        /// The peer sends no more.
        static let inputEnded = State(rawValue: 1 << 2)
        /// No more data may be written.
        static let outputEnding = State(rawValue: 1 << 3)
        /// The socket's output is shut down.
        static let outputEnded = State(rawValue: 1 << 4)
        /// To be closed once all output is sent.
        static let closesWhenFlushed = State(rawValue: 1 << 5)
        /// The handle is closing or closed.
        static let closing = State(rawValue: 1 << 6)
        /// In the loop's list of connections to flush.
        static let flushScheduled = State(rawValue: 1 << 7)
        /// libuv has an unfinished write.
        static let writing = State(rawValue: 1 << 8)
        /// Above the high mark and not yet below the low mark.
        static let full = State(rawValue: 1 << 9)
        /// The peer accepts no more data; the data that it has sent is still read.
        static let outputFailed = State(rawValue: 1 << 10)
        /// libuv is reading.
        static let reading = State(rawValue: 1 << 11)
    }

    /// The loop that it belongs to.
    package let loop: EventLoop
    /// The handler of its events.
    package var delegate: (any ConnectionDelegate)? {
        get { handler }
        set { handler = newValue }
    }
    // Public properties are checked for exclusivity at each access, so these are stored separately.
    var handler: (any ConnectionDelegate)?
    var receivedCount: UInt64 = 0
    var sentCount: UInt64 = 0
    /// Its options.
    package let options: TCPOptions

    /// The number of bytes received on the socket.
    package var bytesReceived: UInt64 { receivedCount }
    /// The number of bytes that the kernel has accepted for the peer.
    package var bytesSent: UInt64 { sentCount }
    /// The address of this end.
    package internal(set) var localAddress: SocketAddress?
    /// The address of the other end.
    package internal(set) var peerAddress: SocketAddress?
    /// Whether the kernel still reports the other end as connected, even if it sends no more.
    var isPeerConnected: Bool {
        guard state.contains(.open) else { return false }
        return unsafe tapline_uv_name(handle, 1).version != 0
    }
    /// The address of this end as text.
    package private(set) lazy var localText = localAddress?.description ?? ""
    /// The address of the other end as text.
    package private(set) lazy var peerText = peerAddress?.description ?? ""

    let handle: UnsafeMutablePointer<tapline_uv_connection>
    var state: State = []
    let output = OutputQueue()
    /// The next connection in the loop's list of connections to flush.
    var nextUnflushed: TCPConnection?
    var layer: (any ConnectionLayer)?
    /// The number of bytes that libuv is sending.
    var queuedBytes = 0
    var failure: NetError?
    /// Limits the output; `nil` if nothing does.
    var pacing: OutputPacing?
    /// The timer that closes the connection, and the value of `bytesTaken` when it was armed.
    private var closing: (timer: LoopTimer, bytesTaken: UInt64)?
    /// Called once when an outgoing connection is open or has failed.
    var connected: ((NetError?) -> Void)?

    /// Makes a connection without a socket.
    init(on loop: EventLoop, _ options: TCPOptions) throws(NetError) {
        self.loop = loop
        self.options = options
        unsafe handle = try Self.openHandle(loop)
        unsafe handle.pointee.tcp.data = Unmanaged.passUnretained(self).toOpaque()
        loop.register(self)
    }

    deinit {
        // The loop kept the connection alive until its close callback was called.
        unsafe handle.deallocate()
    }

    private static func openHandle(
        _ loop: EventLoop
    ) throws(NetError) -> UnsafeMutablePointer<tapline_uv_connection> {
        guard !loop.isStopped else { throw NetError(.closed, "the event loop has ended") }
        let handle = UnsafeMutablePointer<tapline_uv_connection>.allocate(capacity: 1)
        let status = unsafe tapline_uv_open(&loop.core.pointee.loop, handle)
        guard status >= 0 else {
            unsafe handle.deallocate()
            throw NetError(status: status, "open a socket")
        }
        return unsafe handle
    }

    /// Whether bytes can be written without being lost at once.
    package var isOpen: Bool { state.contains(.open) && state.isDisjoint(with: .ended) }

    /// Whether the peer has ended its direction.
    package var isInputEnded: Bool { state.contains(.inputEnded) }

    /// Whether the connection is closed or about to be, with nothing left to send.
    package var isClosing: Bool { state.contains(.closing) }

    /// Installs a layer between the socket and the delegate; until then, bytes pass unchanged.
    package func install(_ layer: any ConnectionLayer) { self.layer = layer }

    // MARK: Opening

    /// Accepts the connection that waits on a listener.
    func accept(from listener: UnsafeMutablePointer<uv_tcp_t>) -> Int32 {
        let status = unsafe tapline_uv_accept(listener, handle)
        if status >= 0 { didOpen() }
        return status
    }

    /// Makes two connections of a loop that are connected to each other, and have no addresses.
    package static func pair(
        on loop: EventLoop,
        _ options: TCPOptions = TCPOptions()
    ) throws(NetError) -> (TCPConnection, TCPConnection) {
        let first = try TCPConnection(on: loop, options)
        let second: TCPConnection
        do throws(NetError) {
            second = try TCPConnection(on: loop, options)
        } catch {
            first.abandon()
            throw error
        }
        let status = unsafe tapline_uv_pair(first.handle, second.handle)
        guard status >= 0 else {
            first.abandon()
            second.abandon()
            throw NetError(status: status, "connect two sockets")
        }
        first.didOpen()
        second.didOpen()
        return (first, second)
    }

    /// Starts to connect.
    ///
    /// Calls back exactly once, even if the attempt fails immediately.
    func connect(to address: SocketAddress, _ connected: @escaping (NetError?) -> Void) {
        peerAddress = address
        self.connected = connected
        let status = unsafe tapline_uv_connect(handle, address.raw, Self.onConnect)
        if status < 0 { finish(connectError(status)) }
    }

    private func connectError(_ status: Int32) -> NetError {
        let error = NetError(status: status, "connect to \(peerText)")
        if error.name == "EMFILE" { loop.noteDescriptor(nil) }
        guard error.code == .timeout else { return error }
        return NetError(.connectTimeout, error.message, name: error.name)
    }

    private func didConnect(_ status: Int32) {
        guard !state.contains(.closing) else { return }
        guard status >= 0 else { return finish(connectError(status)) }
        didOpen()
        connected.take()?(nil)
    }

    func didOpen() {
        state.insert(.open)
        unsafe loop.noteDescriptor(tapline_uv_descriptor(handle))
        unsafe uv_tcp_nodelay(&handle.pointee.tcp, options.noDelay ? 1 : 0)
        setKeepAlive(seconds: options.keepAliveSeconds)
        unsafe localAddress = SocketAddress(tapline_uv_name(handle, 0))
        if peerAddress == nil { unsafe peerAddress = SocketAddress(tapline_uv_name(handle, 1)) }
        if !output.isEmpty { scheduleFlush() }
    }

    /// Makes the kernel probe an idle peer.
    ///
    /// - Parameter seconds: The idle time before the first probe; `nil` for never.
    package func setKeepAlive(seconds: UInt32?) {
        guard state.contains(.open), !isClosing else { return }
        unsafe uv_tcp_keepalive(&handle.pointee.tcp, seconds == nil ? 0 : 1, max(seconds ?? 1, 1))
    }

    // MARK: Closing

    /// Closes once the output is sent.
    ///
    /// Data from the peer is dropped meanwhile.
    ///
    /// After `TCPOptions.flushSeconds` in which the peer accepts nothing, it closes anyway. If
    /// there was output to send, the socket stays open for up to `TCPOptions.lingerSeconds` until
    /// the peer has closed too. Closing a socket with unread input resets the peer, which may then
    /// lose the output (RFC 9112 §9.6).
    package func close() {
        loop.assertIsCurrent()
        guard state.isDisjoint(with: [.closing, .closesWhenFlushed]) else { return }
        if !state.contains(.outputEnding) { layer?.outputEnds(on: self) }
        closeOnceFlushed()
    }

    private func closeOnceFlushed() {
        state.formUnion([.outputEnding, .closesWhenFlushed])
        stopReading()
        if output.isEmpty || !state.contains(.open) { return finish(nil) }
        let timer = LoopTimer(on: loop) { [unowned self] in flushTimeIsUp() }
        closing = (timer, bytesTaken)
        timer.arm(after: Microseconds(.seconds(options.flushSeconds)))
        scheduleFlush()
    }

    private func flushTimeIsUp() {
        guard let closing, bytesTaken != closing.bytesTaken else {
            return finish(NetError(.timeout, "'\(peerText)' did not accept the data that was sent"))
        }
        self.closing = (closing.timer, bytesTaken)
        closing.timer.arm(after: Microseconds(.seconds(options.flushSeconds)))
    }

    /// Waits for the peer to close, since all output is sent.
    func linger() {
        guard options.lingerSeconds > 0, !state.contains(.inputEnded) else { return finish(nil) }
        state.insert(.outputEnded)
        let timer = LoopTimer(on: loop) { [unowned self] in finish(nil) }
        timer.arm(after: Microseconds(.seconds(options.lingerSeconds)))
        closing = (timer, bytesTaken)
        let isEnded = unsafe tapline_uv_shutdown(handle, Self.onLingerShutdown) < 0
        if isEnded || !readAndDrop() { finish(nil) }
    }

    /// Closes at once.
    ///
    /// Unsent output is lost.
    package func abandon() { finish(nil) }

    /// Closes at once with a reset, so that the peer sees an error instead of a normal end.
    package func reset() {
        guard !isClosing else { return }
        unsafe tapline_uv_linger_zero(handle)
        finish(nil)
    }

    /// Closes because of a failure, such as a failed handshake of a layer, once the peer has
    /// accepted the output, which may contain an alert with the reason.
    package func fail(_ error: NetError) {
        guard state.isDisjoint(with: [.closing, .closesWhenFlushed]) else { return }
        if failure == nil { failure = error }
        closeOnceFlushed()
    }

    func finish(_ error: NetError?) {
        loop.assertIsCurrent()
        guard !isClosing else { return }
        state.formUnion([.closing, .outputEnding])
        if failure == nil { failure = error }
        closing = nil
        pacing = nil
        unsafe tapline_uv_close(handle, Self.onClose)
    }

    private func didClose() {
        output.removeAll(loop.chunks)
        layer = nil
        // The waiting caller is notified before the connection is released.
        connected.take()?(failure ?? NetError(.closed, "the connection was closed"))
        let delegate = handler.take()
        delegate?.connectionClosed(self, error: failure)
        loop.unregister(self)
    }

    func loopDrains() {}

    func loopStops() { finish(nil) }
}

extension TCPConnection.State {
    /// No more data can be written.
    static let ended: Self = [.outputEnding, .outputFailed, .closing]
}

// MARK: - Callbacks

extension TCPConnection {
    private static let onConnect: uv_connect_cb = { request, status in
        guard let data = unsafe tapline_uv_connect_data(request) else { return }
        unsafe Unmanaged<TCPConnection>.fromOpaque(data).takeUnretainedValue().didConnect(status)
    }

    /// The close waits for the end of the input, so nothing is done here.
    private static let onLingerShutdown: uv_shutdown_cb = { _, _ in }

    private static let onClose: uv_close_cb = { handle in
        guard let data = unsafe tapline_uv_handle_data(handle) else { return }
        unsafe Unmanaged<TCPConnection>.fromOpaque(data).takeUnretainedValue().didClose()
    }
}
