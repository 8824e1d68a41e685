// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

// Blocking connections of commands to other programs of this machine.
extension File {
    /// Connects to a port of loopback.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - host: The address, such as `127.0.0.1`, or `::1`.
    ///   - seconds: How long each call may take.
    /// - Throws: `FileError`, also if nobody listens.
    package init(
        connectingTo port: UInt16,
        ofLoopback host: String,
        seconds: Int
    ) throws(FileError) {
        let name = "\(host):\(port)"
        var code: Int32 = 0
        if host.contains(":") {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            unsafe inet_pton(AF_INET6, host, &address.sin6_addr)
            let socket = Self.connect(AF_INET6, &address, seconds, &code)
            guard socket >= 0 else { throw FileError("connect to", name, code: code) }
            try self.init(opened: socket, named: name)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            unsafe inet_pton(AF_INET, host, &address.sin_addr)
            let socket = Self.connect(AF_INET, &address, seconds, &code)
            guard socket >= 0 else { throw FileError("connect to", name, code: code) }
            try self.init(opened: socket, named: name)
        }
    }

    /// Connects to a socket in the file system (unix(7)).
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - seconds: How long each call may take.
    /// - Throws: `FileError`, also if nobody listens.
    package init(connectingToSocket path: String, seconds: Int) throws(FileError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { space in
            guard bytes.count < space.count else { return false }
            unsafe space.copyBytes(from: bytes)
            return true
        }
        guard fits else { throw FileError("connect to", path, code: ENAMETOOLONG) }
        var code: Int32 = 0
        let socket = Self.connect(AF_UNIX, &address, seconds, &code)
        guard socket >= 0 else { throw FileError("connect to", path, code: code) }
        try self.init(opened: socket, named: path)
    }

    /// Opens a socket and connects it; returns -1 and sets `code` if that fails.
    private static func connect<Address>(
        _ family: Int32,
        _ address: inout Address,
        _ seconds: Int,
        _ code: inout Int32
    ) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(family, kind, 0)
        guard socket >= 0 else {
            code = errno
            return -1
        }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        let status = unsafe withUnsafeBytes(of: &address) { bytes in
            guard let start = bytes.baseAddress else { return Int32(-1) }
            return unsafe Glibc.connect(
                socket,
                start.assumingMemoryBound(to: sockaddr.self),
                socklen_t(bytes.count)
            )
        }
        guard status == 0 else {
            code = errno
            _ = Glibc.close(socket)
            return -1
        }
        return socket
    }

    /// Reads everything until the other end closes, at most `limit` bytes.
    ///
    /// - Parameters:
    ///   - limit: The number of bytes.
    ///   - microseconds: How long all of it may take; one more call may wait after that.
    /// - Returns: The bytes.
    /// - Throws: `FileError`, also if the time is over.
    package func receiveAll(
        atMost limit: Int,
        within microseconds: Int64
    ) throws(FileError) -> [UInt8] {
        let start = SteadyClock.microseconds
        var all: [UInt8] = []
        while all.count < limit {
            guard SteadyClock.microseconds - start < microseconds else {
                throw FileError("read", path, code: EAGAIN)
            }
            var count = -1
            all.append(addingCapacity: 65_536) { output in
                unsafe output.withUnsafeMutableBufferPointer { space, filled in
                    let start = unsafe space.baseAddress.map { unsafe $0 + filled }
                    let room = min(65_536, space.count - filled)
                    count = unsafe Glibc.recv(descriptor, start, room, 0)
                    if count > 0 { filled += count }
                }
            }
            if count == 0 { break }
            if count < 0, errno != EINTR { throw FileError.last("read", path) }
        }
        return all
    }
}

extension FileError {
    /// Whether nobody listens at an address or a socket.
    package var isRefused: Bool { code == ECONNREFUSED }

    /// Whether the time for a call of a connection is over.
    package var isTimeout: Bool { code == EAGAIN }
}
