// SPDX-License-Identifier: MIT

internal import CUV

extension TCPConnection {
    /// Starts reading; set the delegate before.
    package func startReading() {
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

    /// Stops reading, so that the peer has to wait once the kernel's buffers are full.
    ///
    /// The delegate gets no bytes after the current call. A reset by the peer is not noticed while
    /// reading is paused.
    package func pauseReading() {
        state.insert(.paused)
        stopReading()
    }

    /// Resumes reading.
    package func resumeReading() { startReading() }

    /// Whether the delegate has stopped reading.
    package var isReadingPaused: Bool { state.contains(.paused) }

    func stopReading() {
        loop.assertIsCurrent()
        state.remove(.reading)
        if !isClosing { unsafe tapline_uv_read_stop(handle) }
    }

    /// Makes the kernel acknowledge the received data now instead of a little later.
    ///
    /// It costs a system call, and applies only until more data arrives.
    package func acknowledge() {
        loop.assertIsCurrent()
        if !isClosing { unsafe tapline_uv_acknowledge(handle) }
    }

    /// Reads to the end and drops the data.
    ///
    /// - Returns: Whether reading could start.
    func readAndDrop() -> Bool { unsafe tapline_uv_read_start(handle, Self.onRead) >= 0 }

    /// Passes bytes to the delegate; for layers.
    package func deliver(_ bytes: Span<UInt8>) {
        guard state.isDisjoint(with: [.closing, .closesWhenFlushed]), !bytes.isEmpty else { return }
        handler?.connection(self, received: bytes)
    }

    /// Notifies the delegate that no more bytes will arrive; for layers.
    package func deliverEnd() {
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
        // If everything was sent, it does not matter whether the peer closes normally.
        if state.contains(.closesWhenFlushed) { return finish(nil) }
        if status != UV_EOF.rawValue {
            return finish(failure ?? NetError(status: status, "read from \(peerText)"))
        }
        if let failure, state.contains(.outputFailed) { return finish(failure) }
        stopReading()
        if let layer { layer.inputEnded(on: self) } else { deliverEnd() }
    }

    /// Closes the connection if both directions have ended.
    func closeIfBothEnded() {
        if state.isSuperset(of: [.inputEnded, .outputEnded]) { finish(nil) }
    }

    private static let onRead: uv_read_cb = { stream, count, buffer in
        guard let data = unsafe tapline_uv_stream_data(stream) else { return }
        unsafe Unmanaged<TCPConnection>.fromOpaque(data).takeUnretainedValue()
            .didRead(count, buffer)
    }
}
