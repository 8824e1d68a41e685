// SPDX-License-Identifier: MIT

internal import CUV

extension TCPConnection {
    /// Writes of this size or more are offered to the kernel in place, before they are copied.
    private static let directBytes = 16_384
    /// The maximum number of buffers in one system call.
    private static let gathered = 16
    /// The number of buffers that libuv accepts without allocating (`uv_write_t.bufsml`).
    private static let queued = 4

    /// Whether writing may continue; if false, wait for `connectionDrained`.
    package var isWritable: Bool { !state.contains(.full) }

    /// The number of bytes that wait to be sent.
    package var pendingBytes: Int { output.count }

    /// The number of bytes that the peer has acknowledged.
    ///
    /// It costs a system call, so do not read it for every message.
    package var bytesTaken: UInt64 {
        guard !isClosing else { return bytesSent }
        let left = unsafe state.contains(.writing) ? tapline_uv_queued(handle) : queuedBytes
        let waiting = unsafe UInt64(tapline_uv_unacknowledged(handle))
        return bytesSent &+ UInt64(max(queuedBytes - left, 0)) &- waiting
    }

    /// Sends bytes, which are copied or taken by the kernel before the call returns.
    ///
    /// No write is refused for its size: check `isWritable`.
    ///
    /// - Returns: False if the output has ended, so that the bytes are lost.
    @discardableResult
    package func write(_ bytes: Span<UInt8>) -> Bool {
        guard state.isDisjoint(with: .ended) else { return false }
        if let layer {
            layer.write(bytes, to: self)
            scheduleFlush()
        } else {
            send(bytes)
        }
        return state.isDisjoint(with: .ended)
    }

    /// Sends the waiting bytes and then shuts down the output, which the peer sees as the end.
    package func shutdownOutput() {
        loop.assertIsCurrent()
        guard state.isDisjoint(with: .ended) else { return }
        layer?.outputEnds(on: self)
        state.insert(.outputEnding)
        scheduleFlush()
    }

    /// Sends bytes on the socket unchanged; for layers.
    package func send(_ bytes: Span<UInt8>) {
        loop.assertIsCurrent()
        guard state.isDisjoint(with: .ended), !bytes.isEmpty else { return }
        unsafe bytes.withUnsafeBytes { bytes in
            let isDirect =
                bytes.count >= Self.directBytes && state.contains(.open)
                && !state.contains(.writing) && pacing == nil
            let sent = isDirect ? unsafe sendDirectly(bytes) : 0
            guard sent < bytes.count, state.isDisjoint(with: .ended) else { return }
            unsafe output.append(UnsafeRawBufferPointer(rebasing: bytes[sent...]), loop.chunks)
        }
        if output.count > options.highWater { state.insert(.full) }
        if !output.isEmpty { scheduleFlush() }
    }

    /// Offers the kernel the waiting output together with the bytes that follow it.
    ///
    /// - Returns: The number of the bytes that it took.
    private func sendDirectly(_ bytes: UnsafeRawBufferPointer) -> Int {
        unsafe withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: Self.gathered) {
            buffers in
            let waiting = unsafe output.gather(
                into: UnsafeMutableBufferPointer(rebasing: buffers.dropLast())
            )
            guard waiting.bytes == output.count else { return 0 }
            let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            unsafe buffers[waiting.buffers] = uv_buf_t(
                base: UnsafeMutablePointer(mutating: base),
                len: bytes.count
            )
            let status = unsafe tapline_uv_try_write(
                handle,
                buffers.baseAddress,
                UInt32(waiting.buffers + 1)
            )
            guard status >= 0 else {
                if status != UV_EAGAIN.rawValue { failOutput(status) }
                return 0
            }
            let sent = Int(status)
            sentCount &+= UInt64(sent)
            output.removeFirst(min(sent, waiting.bytes), loop.chunks)
            return max(sent - waiting.bytes, 0)
        }
    }

    func scheduleFlush() {
        guard state.isDisjoint(with: [.flushScheduled, .writing]), state.contains(.open) else {
            return
        }
        state.insert(.flushScheduled)
        loop.flushLater(self)
    }

    /// Sends the waiting output; called by the loop before it waits for events.
    func flush() {
        layer?.flush(to: self)
        state.remove(.flushScheduled)
        guard state.isDisjoint(with: [.writing, .closing, .outputFailed]) else { return }
        var isBlocked = false
        while !output.isEmpty, !isBlocked {
            let limit = allowance
            guard limit > 0 else {
                waitForAllowance()
                return notifyIfDrained()
            }
            guard let done = sendWaiting(atMost: limit) else { return }
            isBlocked = !done
        }
        if isBlocked { return queueWrite() }
        didFlush()
    }

    /// Offers the kernel the waiting output.
    ///
    /// - Parameter limit: The maximum number of bytes; at least 1.
    /// - Returns: Whether it took as much as one call can offer; `nil` if the output failed.
    private func sendWaiting(atMost limit: Int) -> Bool? {
        unsafe withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: Self.gathered) {
            buffers in
            let waiting = unsafe output.gather(into: buffers, atMost: limit)
            let status = unsafe tapline_uv_try_write(
                handle,
                buffers.baseAddress,
                UInt32(waiting.buffers)
            )
            if status == UV_EAGAIN.rawValue { return false }
            guard status >= 0 else {
                failOutput(status)
                return nil
            }
            sentCount &+= UInt64(status)
            countPaced(Int(status))
            output.removeFirst(Int(status), loop.chunks)
            return Int(status) == waiting.bytes
        }
    }

    /// Makes libuv send the first chunks when the socket has room again.
    private func queueWrite() {
        unsafe withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: Self.queued) { buffers in
            let waiting = unsafe output.gather(into: buffers, atMost: max(allowance, 1))
            let status = unsafe tapline_uv_write(
                handle,
                buffers.baseAddress,
                UInt32(waiting.buffers),
                Self.onWrite
            )
            guard status >= 0 else { return failOutput(status) }
            queuedBytes = waiting.bytes
            state.insert(.writing)
        }
        notifyIfDrained()
    }

    private func didWrite(_ status: Int32) {
        state.remove(.writing)
        // It is unknown how much of a cancelled write was sent.
        guard !isClosing else { return }
        guard status >= 0 else { return failOutput(status) }
        sentCount &+= UInt64(queuedBytes)
        countPaced(queuedBytes)
        output.removeFirst(queuedBytes, loop.chunks)
        flush()
    }

    private func didFlush() {
        notifyIfDrained()
        guard output.isEmpty, !isClosing else { return }
        if state.contains(.closesWhenFlushed) { return linger() }
        if state.contains(.outputEnding), !state.contains(.outputEnded) {
            state.insert(.outputEnded)
            let status = unsafe tapline_uv_shutdown(handle, Self.onShutdown)
            if status < 0 { closeIfBothEnded() }
        }
    }

    private func notifyIfDrained() {
        guard state.contains(.full), output.count <= options.lowWater else { return }
        state.remove(.full)
        if state.isDisjoint(with: .ended) { handler?.connectionDrained(self) }
    }

    /// Ends the output permanently.
    ///
    /// The data that the peer sent before it closed is read to its end, since it may be the answer
    /// with the reason.
    private func failOutput(_ status: Int32) {
        let error = NetError(status: status, "write to \(peerText)")
        guard state.contains(.reading) else { return finish(error) }
        failure = error
        state.insert(.outputFailed)
        output.removeAll(loop.chunks)
    }

    private static let onWrite: uv_write_cb = { request, status in
        guard let data = unsafe tapline_uv_write_data(request) else { return }
        unsafe Unmanaged<TCPConnection>.fromOpaque(data).takeUnretainedValue().didWrite(status)
    }

    private static let onShutdown: uv_shutdown_cb = { request, _ in
        guard let data = unsafe tapline_uv_shutdown_data(request) else { return }
        unsafe Unmanaged<TCPConnection>.fromOpaque(data).takeUnretainedValue().closeIfBothEnded()
    }
}
