// SPDX-License-Identifier: MIT

internal import CUV
internal import Synchronization
internal import TaplineSystem

/// Listening sockets at one address, one for each loop that will listen there.
///
/// Several sockets share the port through SO_REUSEPORT, and the kernel spreads connections over
/// them.
///
/// **Isolation**: any thread.
package final class BoundAddress: Sendable {
    /// The address, with the port that the kernel chose if 0 was requested.
    package let address: SocketAddress
    /// The path of a socket in the file system, whose `address` says nothing; `nil` for TCP.
    package let path: String?
    let backlog: Int32
    private let sockets: Mutex<[Int32]>

    /// Listens at an address.
    ///
    /// Clients that connect wait until a `Listener` takes the socket.
    ///
    /// - Parameters:
    ///   - address: The address; port 0 lets the kernel choose a port, which all the sockets share.
    ///   - count: The number of loops that will listen.
    ///   - backlog: How many connections the kernel queues until they are accepted.
    /// - Throws: `NetError`, for example if another socket uses the port.
    package init(_ address: SocketAddress, count: Int = 1, backlog: Int32 = 1024) throws(NetError) {
        // Binding to a port that others share could succeed, so check first that it is free.
        if count > 1, address.port != 0 {
            var probe = address
            tapline_uv_close_socket(try Self.bind(&probe, 1, isShared: false))
        }
        var bound = address
        var sockets = [try Self.bind(&bound, backlog, isShared: count > 1)]
        while sockets.count < count {
            do {
                var same = bound
                sockets.append(try Self.bind(&same, backlog, isShared: true))
            } catch {
                for socket in sockets { tapline_uv_close_socket(socket) }
                throw error
            }
        }
        self.address = bound
        path = nil
        self.backlog = backlog
        self.sockets = Mutex(sockets)
    }

    /// Listens at a path of the file system, with mode 0600 (unix(7)).
    ///
    /// A socket that nobody listens on any more is replaced. `removePath` removes it again.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - backlog: How many connections the kernel queues until they are accepted.
    /// - Throws: `NetError`, for example if something else is at the path.
    package init(path: String, backlog: Int32 = 64) throws(NetError) {
        let socket = unsafe tapline_uv_bind_path(path, backlog)
        guard socket >= 0 else {
            let error = NetError(status: socket, "listen on '\(path)'")
            guard error.code == .addressInUse else { throw error }
            let reason = "another program listens there, or it is no socket"
            throw NetError(error.code, "cannot listen on '\(path)'; \(reason)", name: error.name)
        }
        address = SocketAddress(.loopbackV4, port: 0)
        self.path = path
        self.backlog = backlog
        sockets = Mutex([socket])
    }

    /// Removes the path of a socket in the file system.
    package func removePath() {
        if let path { try? FileSystem.remove(path) }
    }

    /// Listens with a socket that already listens at an address, such as one that a service manager
    /// has passed; all loops share its queue of connections.
    ///
    /// - Parameters:
    ///   - socket: The descriptor, which is owned from now on, even on failure.
    ///   - address: The address on which it listens.
    ///   - count: The number of loops that will listen.
    ///   - backlog: How many connections the kernel queues until they are accepted.
    /// - Throws: `NetError` if the system has too few descriptors.
    package init(
        adopting socket: Int32,
        at address: SocketAddress,
        count: Int = 1,
        backlog: Int32 = 1024
    ) throws(NetError) {
        var sockets = [socket]
        while sockets.count < count {
            let copy = tapline_uv_duplicate(socket)
            guard copy >= 0 else {
                for socket in sockets { tapline_uv_close_socket(socket) }
                throw Self.error(copy, address)
            }
            sockets.append(copy)
        }
        self.address = address
        path = nil
        self.backlog = backlog
        self.sockets = Mutex(sockets)
    }

    deinit {
        sockets.withLock { sockets in
            for socket in sockets { tapline_uv_close_socket(socket) }
        }
    }

    /// Takes a socket to listen on; `nil` if all are in use.
    func take() -> Int32? { sockets.withLock { $0.popLast() } }

    private static func bind(
        _ address: inout SocketAddress,
        _ backlog: Int32,
        isShared: Bool
    ) throws(NetError) -> Int32 {
        var raw = address.raw
        let socket = unsafe tapline_uv_bind(&raw, backlog, isShared ? 1 : 0)
        guard socket >= 0 else { throw error(socket, address) }
        address = SocketAddress(raw) ?? address
        return socket
    }

    static func error(_ status: Int32, _ address: SocketAddress) -> NetError {
        let error = NetError(status: status, "listen on \(address)")
        guard error.code == .addressInUse else { return error }
        return NetError(
            error.code,
            "cannot listen on \(address); port \(address.port) is in use",
            name: error.name
        )
    }
}
