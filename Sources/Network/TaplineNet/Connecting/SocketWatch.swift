// SPDX-License-Identifier: MIT

internal import CUV

/// Reports when a socket of another owner is readable or writable.
///
/// **Isolation**: the loop's thread.
@safe
package final class SocketWatch {
    private let handle: UnsafeMutablePointer<uv_poll_t>
    private let isReady: (_ readable: Bool, _ writable: Bool) -> Void

    /// Makes a watch that waits for nothing yet; `nil` if the system cannot watch the descriptor.
    package init?(
        of descriptor: Int32,
        on loop: EventLoop,
        _ isReady: @escaping (_ readable: Bool, _ writable: Bool) -> Void
    ) {
        self.isReady = isReady
        unsafe handle = .allocate(capacity: 1)
        unsafe handle.initialize(to: uv_poll_t())
        guard unsafe uv_poll_init(&loop.core.pointee.loop, handle, descriptor) == 0 else {
            return nil
        }
        unsafe handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit { unsafe handle.deallocate() }

    /// Closes a socket that is not watched.
    package static func closeSocket(_ descriptor: Int32) { tapline_uv_close_socket(descriptor) }

    /// Waits for these events from now on.
    package func wait(readable: Bool, writable: Bool) {
        unsafe tapline_uv_watch(handle, readable ? 1 : 0, writable ? 1 : 0, Self.onReady)
    }

    /// Stops waiting.
    ///
    /// The socket may be closed when this returns.
    ///
    /// Has to be called exactly once, last.
    package func close() {
        unsafe handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        unsafe tapline_uv_close_watch(handle) { handle in
            guard let data = unsafe tapline_uv_handle_data(handle) else { return }
            unsafe Unmanaged<SocketWatch>.fromOpaque(data).release()
        }
    }

    private static let onReady: uv_poll_cb = { handle, status, events in
        guard let data = unsafe handle?.pointee.data else { return }
        let watch = unsafe Unmanaged<SocketWatch>.fromOpaque(data).takeUnretainedValue()
        // The owner finds out what is wrong with the socket when it uses it.
        let isBroken = status < 0
        watch.isReady(
            isBroken || UInt32(events) & UV_READABLE.rawValue != 0,
            isBroken || UInt32(events) & UV_WRITABLE.rawValue != 0
        )
    }
}
