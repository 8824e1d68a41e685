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
    /// The number of sockets, including those that were taken.
    private let count: Int

    /// Listens at an address.
    ///
    /// Clients that connect wait until a `Listener` takes the socket.
    ///
    /// - Parameters:
    ///   - address: The address; port 0 lets the kernel choose a port, which all the sockets share.
    ///   - count: The number of loops that will listen.
    ///   - backlog: How many connections the kernel queues until they are accepted.
    ///   - isTransparent: Whether connections to addresses of other machines are accepted, which a
    ///     firewall delivers here (ip(7), IP_TRANSPARENT).
    /// - Throws: `NetError`, for example if another socket uses the port.
    package init(
        _ address: SocketAddress,
        count: Int = 1,
        backlog: Int32 = 1024,
        isTransparent: Bool = false
    ) throws(NetError) {
        // Binding to a port that others share could succeed, so check first that it is free. The
        // probe does not listen: closing it would reset the connections of clients that wait for
        // the port.
        if count > 1, address.port != 0 {
            var probe = address
            tapline_uv_close_socket(try Self.bind(&probe, nil, isShared: false, isTransparent))
        }
        var bound = address
        var sockets = [
            try Self.bind(&bound, backlog, isShared: count > 1, isTransparent)
        ]
        while sockets.count < count {
            do {
                var same = bound
                sockets.append(try Self.bind(&same, backlog, isShared: true, isTransparent))
            } catch {
                for socket in sockets { tapline_uv_close_socket(socket) }
                throw error
            }
        }
        self.address = bound
        path = nil
        self.backlog = backlog
        self.count = sockets.count
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
        count = 1
        sockets = Mutex([socket])
    }

    /// Removes the path of a socket in the file system.
    package func removePath() {
        if let path { try? FileSystem.remove(path) }
    }

    /// Listens with duplicates of sockets that already listen at one address.
    ///
    /// - Parameters:
    ///   - descriptors: The sockets; not empty.
    ///   - count: The number of loops that will listen; sockets are shared if there are fewer.
    ///   - backlog: How many connections the kernel queues until they are accepted.
    /// - Throws: `NetError`, for example if these are not sockets.
    package init(
        duplicating descriptors: [Int32],
        atLeast count: Int,
        backlog: Int32 = 1024
    ) throws(NetError) {
        var sockets: [Int32] = []
        var address: SocketAddress?
        for index in 0..<max(count, descriptors.count) {
            let copy = tapline_uv_duplicate(descriptors[index % max(descriptors.count, 1)])
            if copy >= 0 { sockets.append(copy) }
            var raw = tapline_uv_address()
            if copy >= 0, unsafe tapline_uv_local_address(copy, &raw) == 0 {
                address = SocketAddress(raw)
            }
            guard copy >= 0, address != nil else {
                for socket in sockets { tapline_uv_close_socket(socket) }
                throw NetError(.closed, "a listening socket cannot be taken over")
            }
        }
        guard let address else { throw NetError(.closed, "there is no listening socket") }
        self.address = address
        path = nil
        self.backlog = backlog
        self.count = sockets.count
        self.sockets = Mutex(sockets)
    }

    /// Returns the address that a socket is bound to; `nil` if it is not a socket of the Internet.
    package static func address(of descriptor: Int32) -> SocketAddress? {
        var raw = tapline_uv_address()
        guard unsafe tapline_uv_local_address(descriptor, &raw) == 0 else { return nil }
        return SocketAddress(raw)
    }

    /// The number of sockets that a loop listens on, so that all of them are used.
    package func share(of loop: Int, among loops: Int) -> Int {
        count / max(loops, 1) + (loop < count % max(loops, 1) ? 1 : 0)
    }

    /// Returns duplicates of the sockets that are not taken, which the caller owns.
    package func duplicates() -> [Int32] {
        sockets.withLock { $0.map { tapline_uv_duplicate($0) } }.filter { $0 >= 0 }
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
        _ backlog: Int32?,
        isShared: Bool,
        _ isTransparent: Bool
    ) throws(NetError) -> Int32 {
        var raw = address.raw
        let socket = unsafe tapline_uv_bind(
            &raw,
            backlog ?? -1,
            isShared ? 1 : 0,
            isTransparent ? 1 : 0
        )
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
