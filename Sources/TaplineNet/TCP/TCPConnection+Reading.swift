// SPDX-License-Identifier: MIT

internal import CUV

extension TCPConnection {
    /// Begins to read; the delegate should be set before.
    public func startReading() {
        loop.assertIsCurrent()
        state.remove(.paused)
        guard state.contains(.open),
            state.isDisjoint(with: [.inputEnded, .closing, .closesWhenFlushed])
        else { return }
        let status = unsafe tapline_uv_read_start(handle, Self.onRead)
        guard status >= 0 || status == UV_EALREADY.rawValue else {
            return finish(NetError(status: status, "read from \(peerText)"))
        }
        state.insert(.reading)
    }

    /// Stops reading, so that the peer has to wait as soon as the kernel's buffers are full.
    ///
    /// What the delegate is given at the moment is the last of it. A reset by the peer is not
    /// noticed meanwhile.
    public func pauseReading() {
        state.insert(.paused)
        stopReading()
    }

    /// Goes on reading.
    public func resumeReading() { startReading() }

    /// Whether the delegate has stopped reading.
    public var isReadingPaused: Bool { state.contains(.paused) }

    func stopReading() {
        loop.assertIsCurrent()
        state.remove(.reading)
        if !isClosing { unsafe tapline_uv_read_stop(handle) }
    }

    /// Has the kernel acknowledge what has come so far now instead of a little later.
    ///
    /// It costs a system call, and holds until something else has come.
    public func acknowledge() {
        loop.assertIsCurrent()
        if !isClosing { unsafe tapline_uv_acknowledge(handle) }
    }

    /// Reads to the end, for nobody.
    ///
    /// - Returns: Whether that can be done.
    func readAndDrop() -> Bool { unsafe tapline_uv_read_start(handle, Self.onRead) >= 0 }

    /// Gives the delegate bytes; for layers.
    public func deliver(_ bytes: Span<UInt8>) {
        guard state.isDisjoint(with: [.closing, .closesWhenFlushed]), !bytes.isEmpty else { return }
        handler?.connection(self, received: bytes)
    }

    /// Tells the delegate that no more bytes come; for layers.
    public func deliverEnd() {
        guard state.isDisjoint(with: [.closing, .closesWhenFlushed, .inputEnded]) else { return }
        state.insert(.inputEnded)
        stopReading()
        handler?.connectionEndedInput(self)
        closeIfBothEnded()
    }

    private func didRead(_ count: Int, _ buffer: UnsafePointer<uv_buf_t>?) {
        guard count > 0 else {
            if count < 0 { didStopReading(Int32(truncatingIfNeeded: count)) }
            return
        }
        receivedCount &+= UInt64(count)
        guard let base = unsafe buffer?.pointee.base, !state.contains(.closesWhenFlushed) else {
            return
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: base, count: count)
        let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
        if let layer { layer.received(span, on: self) } else { deliver(span) }
    }

    private func didStopReading(_ status: Int32) {
        // Whether the peer ends in order does not matter once all is said.
        if state.contains(.closesWhenFlushed) { return finish(nil) }
        if status != UV_EOF.rawValue {
            return finish(failure ?? NetError(status: status, "read from \(peerText)"))
        }
        if let failure, state.contains(.outputFailed) { return finish(failure) }
        stopReading()
        if let layer { layer.inputEnded(on: self) } else { deliverEnd() }
    }

    /// Closes a connection on which neither side will say anything any more.
    func closeIfBothEnded() {
        if state.isSuperset(of: [.inputEnded, .outputEnded]) { finish(nil) }
    }

    private static let onRead: uv_read_cb = { stream, count, buffer in
        guard let data = unsafe tapline_uv_stream_data(stream) else { return }
        unsafe Unmanaged<TCPConnection>.fromOpaque(data).takeUnretainedValue()
            .didRead(count, buffer)
    }
}
