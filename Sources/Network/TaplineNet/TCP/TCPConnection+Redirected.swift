// SPDX-License-Identifier: MIT

internal import CUV

/// Connections that a firewall has redirected to a listener, and sockets that were opened elsewhere.
extension TCPConnection {
    /// The address that the client of a transparent listener has connected to: the one before a
    /// redirect, otherwise that of this end; `nil` if the connection is closed.
    ///
    /// **Source**: `SO_ORIGINAL_DST` of netfilter, and `IP6T_SO_ORIGINAL_DST`.
    package var originalDestination: SocketAddress? {
        guard state.contains(.open), !isClosing else { return nil }
        return unsafe SocketAddress(tapline_uv_original_destination(handle)) ?? localAddress
    }

    /// Makes a connection of a socket that is not connected, or one without a socket.
    ///
    /// It takes ownership of the socket, even on failure.
    convenience init(
        on loop: EventLoop,
        _ options: TCPOptions,
        adopting descriptor: Int32?
    ) throws(NetError) {
        do throws(NetError) {
            try self.init(on: loop, options)
        } catch {
            if let descriptor { tapline_uv_close_socket(descriptor) }
            throw error
        }
        guard let descriptor else { return }
        let status = unsafe tapline_uv_adopt(handle, descriptor)
        guard status >= 0 else {
            abandon()
            throw NetError(status: status, "use a socket")
        }
    }
}
