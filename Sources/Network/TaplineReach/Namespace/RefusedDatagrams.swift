// SPDX-License-Identifier: MIT

package import TaplineNet

/// Reports the datagrams to port 443 that the kernel refuses: attempts to use HTTP/3.
///
/// The sockets get copies; nothing listens at the port, so a program is refused at once and uses
/// TCP.
///
/// **Isolation**: the loop's thread.
package final class RefusedDatagrams {
    private var sockets: [DatagramSocket] = []

    /// Receives on raw sockets of both families, and takes ownership of them.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - v4: Sockets of IPv4, whose datagrams begin with the header of IPv4.
    ///   - v6: Sockets of IPv6, whose datagrams begin with the header of UDP.
    ///   - refused: Called with the destination of each datagram.
    /// - Throws: `NetError`.
    package init(
        on loop: EventLoop,
        v4: [Int32],
        v6: [Int32],
        _ refused: @escaping (SocketAddress) -> Void
    ) throws(NetError) {
        for (descriptor, isV4) in v4.map({ ($0, true) }) + v6.map({ ($0, false) }) {
            sockets.append(
                try DatagramSocket(adopting: descriptor, on: loop, maxBytes: 128) { _, datagram in
                    guard let ip = datagram.local else { return }
                    let start = isV4 ? Self.headerBytes(datagram.bytes) : 0
                    guard let start, let port = Self.port(datagram.bytes, at: start) else { return }
                    refused(SocketAddress(ip, port: port))
                }
            )
        }
    }

    /// Closes the sockets.
    package func stop() {
        for socket in sockets { socket.close() }
        sockets = []
    }

    /// Returns the length of a header of IPv4 (RFC 791 §3.1); `nil` if there is none.
    static func headerBytes(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first, first >> 4 == 4, first & 0xF >= 5 else { return nil }
        return Int(first & 0xF) * 4
    }

    /// Returns the destination port of a header of UDP (RFC 768); `nil` if it is cut.
    static func port(_ bytes: [UInt8], at start: Int) -> UInt16? {
        guard start + 4 <= bytes.count else { return nil }
        return UInt16(bytes[start + 2]) << 8 | UInt16(bytes[start + 3])
    }
}
