// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A listening socket that the service manager has passed to this process.
package struct InheritedSocket: Sendable, Hashable {
    /// The descriptor, which belongs to the process from now on.
    package let descriptor: Int32
    /// Its name in the manager's configuration; empty if it has none.
    package let name: String
    /// Its address: `127.0.0.1:8080` or `[::1]:8080`.
    package let address: String
}

/// The listening sockets that the service manager has passed to this process.
///
/// **Source**: sd_listen_fds(3).
package struct InheritedSockets: Sendable {
    /// The first descriptor that a manager passes.
    private static let first: Int32 = 3

    /// The sockets that can be used.
    package private(set) var sockets: [InheritedSocket] = []
    /// Why others cannot be used, each as a sentence; they are closed.
    package private(set) var problems: [String] = []

    /// Takes the sockets that the variables announce, and keeps them from programs that the process
    /// starts.
    ///
    /// Called once: it takes ownership of the descriptors.
    package init(_ variables: ServiceVariables) {
        let descriptors = (0..<Int32(clamping: variables.socketCount)).map { Self.first + $0 }
        self.init(descriptors, names: variables.socketNames)
    }

    /// Takes the sockets with these descriptors.
    init(_ descriptors: [Int32], names: [String] = []) {
        for (position, descriptor) in descriptors.enumerated() {
            let name = position < names.count ? names[position] : ""
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
                problems.append("descriptor \(descriptor) of LISTEN_FDS is not open")
                continue
            }
            if let address = Self.listeningAddress(of: descriptor) {
                sockets.append(
                    InheritedSocket(descriptor: descriptor, name: name, address: address)
                )
            } else {
                problems.append(
                    "descriptor \(descriptor) of LISTEN_FDS is not a listening TCP socket; expected "
                        + "'ListenStream=' with an address and a port"
                )
                close(descriptor)
            }
        }
    }

    /// The address on which a TCP socket listens; `nil` if it is anything else.
    private static func listeningAddress(of descriptor: Int32) -> String? {
        guard option(SO_ACCEPTCONN, of: descriptor) == 1 else { return nil }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &storage) { pointer -> String? in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> String? in
                guard unsafe getsockname(descriptor, generic, &length) == 0 else { return nil }
                return unsafe text(generic, length)
            }
        }
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        let status = unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &length)
        return status == 0 ? value : nil
    }

    private static func text(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> String? {
        let family = Int32(unsafe address.pointee.sa_family)
        guard family == AF_INET || family == AF_INET6 else { return nil }
        let (hostSize, portSize) = (1025, 32)
        var host = [CChar](repeating: 0, count: hostSize)
        var port = [CChar](repeating: 0, count: portSize)
        let status = unsafe getnameinfo(
            address,
            length,
            &host,
            socklen_t(hostSize),
            &port,
            socklen_t(portSize),
            NI_NUMERICHOST | NI_NUMERICSERV
        )
        guard status == 0 else { return nil }
        let ip = string(host)
        return family == AF_INET ? "\(ip):\(string(port))" : "[\(ip)]:\(string(port))"
    }

    private static func string(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
