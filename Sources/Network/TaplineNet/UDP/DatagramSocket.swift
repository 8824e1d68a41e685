// SPDX-License-Identifier: MIT

internal import CUV

/// A datagram socket of one loop.
///
/// **Shape**: it receives until `close`, which has to be called.
/// **Isolation**: the loop's thread.
@safe
package final class DatagramSocket {
    /// A received datagram.
    package struct Datagram {
        /// The sender.
        package let peer: SocketAddress?
        /// The address of this machine that it was sent to, without a port; `nil` if the kernel
        /// does not report it.
        package let local: IPAddress?
        /// The content; a longer datagram is cut.
        package let bytes: [UInt8]
    }

    /// How many datagrams are received before other events are handled.
    private static let maxBurst = 64

    private let descriptor: Int32
    private let maxBytes: Int
    private var watch: SocketWatch?
    private var received: ((DatagramSocket, Datagram) -> Void)?
    private var failed: (() -> Void)?

    /// Receives on a socket, and takes ownership of it, even on failure.
    ///
    /// - Parameters:
    ///   - descriptor: The socket, which does not block.
    ///   - loop: The loop that it is watched by.
    ///   - maxBytes: The maximum size of a datagram.
    ///   - failed: Called when the peer of a connected socket refuses datagrams.
    ///   - received: Called for each datagram.
    /// - Throws: `NetError` if the system cannot watch the socket.
    package init(
        adopting descriptor: Int32,
        on loop: EventLoop,
        maxBytes: Int = 4096,
        failed: (() -> Void)? = nil,
        _ received: @escaping (DatagramSocket, Datagram) -> Void
    ) throws(NetError) {
        self.descriptor = descriptor
        self.maxBytes = maxBytes
        self.received = received
        self.failed = failed
        watch = SocketWatch(of: descriptor, on: loop) { [unowned self] _, _ in receive() }
        guard let watch else {
            tapline_uv_close_socket(descriptor)
            throw NetError(.system, "the system cannot watch a datagram socket")
        }
        watch.wait(readable: true, writable: false)
    }

    /// Opens a socket that sends to an address and receives from it only.
    package convenience init(
        to address: SocketAddress,
        on loop: EventLoop,
        maxBytes: Int = 4096,
        failed: (() -> Void)? = nil,
        _ received: @escaping (DatagramSocket, Datagram) -> Void
    ) throws(NetError) {
        let descriptor = tapline_uv_connect_datagrams(address.raw)
        guard descriptor >= 0 else {
            throw NetError(status: descriptor, "send datagrams to \(address)")
        }
        try self.init(
            adopting: descriptor,
            on: loop,
            maxBytes: maxBytes,
            failed: failed,
            received
        )
    }

    /// Returns a duplicate of a socket, which the caller owns; `nil` if there is no descriptor.
    package static func duplicate(_ descriptor: Int32) -> Int32? {
        let copy = tapline_uv_duplicate(descriptor)
        return copy >= 0 ? copy : nil
    }

    /// Opens a socket at an address; returns its descriptor and the address with its real port.
    package static func bind(
        _ address: SocketAddress
    ) throws(NetError) -> (descriptor: Int32, address: SocketAddress) {
        var raw = address.raw
        let descriptor = unsafe tapline_uv_bind_datagrams(&raw)
        guard descriptor >= 0 else {
            throw NetError(status: descriptor, "receive datagrams at \(address)")
        }
        return (descriptor, SocketAddress(raw) ?? address)
    }

    /// Sends a datagram; the network may lose it, so nothing is reported.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - peer: The receiver; `nil` for the address that the socket is connected to.
    ///   - local: The address to send from; `nil` lets the kernel choose.
    package func send(
        _ bytes: Span<UInt8>,
        to peer: SocketAddress? = nil,
        from local: IPAddress? = nil
    ) {
        guard watch != nil else { return }
        var ends = tapline_uv_ends()
        if let peer { ends.peer = peer.raw }
        if let local { ends.local = SocketAddress(local, port: 0).raw }
        unsafe bytes.withUnsafeBufferPointer { buffer in
            _ = unsafe tapline_uv_send_datagram(descriptor, buffer.baseAddress, buffer.count, &ends)
        }
    }

    /// Closes the socket.
    package func close() {
        guard let watch = watch.take() else { return }
        received = nil
        failed = nil
        watch.close()
        tapline_uv_close_socket(descriptor)
    }

    private func receive() {
        for _ in 0..<Self.maxBurst {
            guard watch != nil else { return }
            var ends = tapline_uv_ends()
            var status = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, count in
                let size = unsafe tapline_uv_receive_datagram(
                    descriptor,
                    buffer.baseAddress,
                    buffer.count,
                    &ends
                )
                status = size
                count = min(max(size, 0), buffer.count)
            }
            if status < 0 {
                // The peer of a connected socket has refused an earlier datagram.
                if status == Int(UV_ECONNREFUSED.rawValue) { failed?() }
                return
            }
            received?(
                self,
                Datagram(
                    peer: SocketAddress(ends.peer),
                    local: SocketAddress(ends.local)?.ip,
                    bytes: bytes
                )
            )
        }
    }
}

/// Facts about this machine's networks.
package enum MachineNetwork {
    /// Whether an interface has an IPv6 address that is neither loopback nor link-local.
    package static var hasIPv6: Bool { tapline_uv_has_ipv6() != 0 }
}
