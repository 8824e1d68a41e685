// SPDX-License-Identifier: MIT

import Glibc

/// A blocking socket of the system, so that the peer of a test does not use Tapline's own network.
package final class SocketClient: Sendable {
    /// The descriptor.
    package let socket: Int32

    /// A failed call of the system.
    package struct Failure: Error {
        /// The error number (errno(3)).
        package let code: Int32
    }

    /// Connects to a port on 127.0.0.1.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - receiveBuffer: The size of the kernel's buffer, for a slow reader; 0 for the default.
    /// - Throws: `Failure`.
    package init(port: UInt16, receiveBuffer: Int32 = 0) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if receiveBuffer > 0 { set(SO_RCVBUF, receiveBuffer) }
        // No test waits forever.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        unsafe setsockopt(
            socket,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &limit,
            socklen_t(MemoryLayout<timeval>.size)
        )
        unsafe setsockopt(
            socket,
            SOL_SOCKET,
            SO_SNDTIMEO,
            &limit,
            socklen_t(MemoryLayout<timeval>.size)
        )
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status != 0 { throw Failure(code: errno) }
    }

    deinit { close(socket) }

    private func set(_ option: Int32, _ value: Int32) {
        var value = value
        unsafe setsockopt(
            socket,
            SOL_SOCKET,
            option,
            &value,
            socklen_t(MemoryLayout<Int32>.size)
        )
    }

    /// Sends all bytes.
    package func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 { throw Failure(code: errno) }
            sent += count
        }
    }

    /// Sends a text as UTF-8.
    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Receives some bytes; none at the end.
    package func receive(_ limit: Int = 65_536) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = unsafe recv(socket, &buffer, limit, 0)
        if count < 0 { throw Failure(code: errno) }
        return Array(buffer[..<count])
    }

    /// Receives `count` bytes, or fewer at the end.
    package func receive(exactly count: Int) throws -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            let part = try receive(min(count - all.count, 65_536))
            if part.isEmpty { break }
            all += part
        }
        return all
    }

    /// Receives all bytes until the end.
    package func receiveAll() throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let part = try receive()
            if part.isEmpty { return all }
            all += part
        }
    }

    /// Ends this direction.
    package func shutdownOutput() { shutdown(socket, Int32(SHUT_WR)) }

    /// Makes the following close send a reset.
    package func resetAtClose() {
        var value = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(
            socket,
            SOL_SOCKET,
            SO_LINGER,
            &value,
            socklen_t(MemoryLayout<linger>.size)
        )
    }
}
