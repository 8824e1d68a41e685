// SPDX-License-Identifier: MIT

internal import CUV
internal import Synchronization
internal import TaplineSystem

/// The owner of the other end of a TCP connection.
package enum PeerOwner: Sendable, Equatable {
    /// A process of this user.
    case user(UInt32)
    /// No process of this network namespace: the client is on another machine, in another
    /// namespace, or has closed its end.
    case noProcess
    /// The system does not report the owner.
    case unknown
}

/// Finds the users whose processes own the other ends of connections within this machine.
///
/// The kernel is asked for the single socket (sock_diag(7)), which takes some microseconds
/// regardless of the number of sockets. If it does not answer, its tables `/proc/net/tcp` and
/// `tcp6` (proc_pid_net(5)) are read, up to `maxTableBytes` of each. Sockets after that are not
/// found.
///
/// **Isolation**: any thread.
package final class PeerOwners: Sendable {
    /// The two ends of a connection, as seen by the process whose socket is looked up.
    struct Ends: Sendable, Equatable {
        var local: SocketAddress
        var remote: SocketAddress

        /// The same connection, as seen by the other process.
        var swapped: Ends { Ends(local: remote, remote: local) }
    }

    /// The maximum number of bytes that are read of a table: about 50,000 sockets.
    static let maxTableBytes = 8 << 20

    /// How often the kernel is tried: the first connection may already be gone.
    private static let maxTries = 8

    private struct State {
        /// The socket for queries, once the kernel has answered.
        var socket: DiagnosticSocket?
        var triesLeft = PeerOwners.maxTries
    }

    private let usesKernel: Bool
    private let tables: [String]
    private let state = Mutex(State())

    /// Asks the kernel, or reads its tables if it does not answer.
    package convenience init() {
        self.init(usesKernel: true, tables: ["/proc/net/tcp", "/proc/net/tcp6"])
    }

    /// Asks the kernel or reads these tables.
    init(usesKernel: Bool, tables: [String]) {
        self.usesKernel = usesKernel
        self.tables = tables
    }

    /// Returns the owner of the other end of an accepted connection.
    package func owner(of connection: TCPConnection) -> PeerOwner {
        guard let here = connection.localAddress, let there = connection.peerAddress else {
            return .noProcess
        }
        let owner = owner(of: Ends(local: there, remote: here))
        // As long as this end is connected, no other socket can have the same ends.
        return connection.isPeerConnected ? owner : .noProcess
    }

    /// Returns the owner of the socket with these ends, whose other end this process owns.
    func owner(of ends: Ends) -> PeerOwner {
        let answer = state.withLock { state -> PeerOwner? in
            if usesKernel, state.socket == nil, state.triesLeft > 0 {
                state.triesLeft -= 1
                // A kernel without this family also answers 'No such socket', so it is first asked
                // for this end, which exists.
                let socket = DiagnosticSocket()
                if case .user = socket?.owner(of: ends.swapped) { state.socket = socket }
            }
            return state.socket?.owner(of: ends)
        }
        return answer ?? ownerInTables(ends)
    }

    private func ownerInTables(_ ends: Ends) -> PeerOwner {
        var isRead = false
        for path in tables {
            guard let bytes = try? Self.read(path) else { continue }
            isRead = true
            if let owner = SocketTable.owner(of: ends, in: bytes.span) { return owner }
        }
        return isRead ? .noProcess : .unknown
    }

    private static func read(_ path: String) throws(FileError) -> [UInt8] {
        let file = try File(path, for: .read)
        var bytes: [UInt8] = []
        while bytes.count < maxTableBytes, try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
        return bytes
    }
}

/// A netlink socket for queries about sockets (netlink(7), sock_diag(7)).
private final class DiagnosticSocket: Sendable {
    private let descriptor: Int32
    private let sequence = Atomic<UInt32>(0)

    init?() {
        descriptor = tapline_uv_diag_open()
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { tapline_uv_close_socket(descriptor) }
    }

    /// Returns the owner of the socket with these ends.
    func owner(of ends: PeerOwners.Ends) -> PeerOwner {
        let number = sequence.add(1, ordering: .relaxed).newValue
        var user: UInt32 = 0
        let status = unsafe tapline_uv_diag_user(
            descriptor,
            ends.local.raw,
            ends.remote.raw,
            number,
            &user
        )
        return status > 0 ? .user(user) : status == 0 ? .noProcess : .unknown
    }
}
