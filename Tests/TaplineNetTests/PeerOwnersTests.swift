// SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import Synchronization
import TaplineModel
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineNet

@Suite("The owner of the other end")
struct PeerOwnersTests {
    /// Both ways to look up an owner.
    private static let ways = [true, false]

    private func owners(usesKernel: Bool) -> PeerOwners {
        PeerOwners(usesKernel: usesKernel, tables: ["/proc/net/tcp", "/proc/net/tcp6"])
    }

    /// Returns the owners of the connections that `connect` makes to the given port.
    private func found(
        at address: SocketAddress = SocketAddress(.loopbackV4, port: 0),
        usesKernel: Bool,
        waiting gate: DispatchSemaphore? = nil,
        _ connect: (UInt16) throws -> Void
    ) throws -> [PeerOwner] {
        let all = Mutex<[PeerOwner]>([])
        let owners = owners(usesKernel: usesKernel)
        try withServer(at: address) { connection in
            gate?.wait()
            let owner = owners.owner(of: connection)
            all.withLock { $0.append(owner) }
            connection.write("\(owner)\n".utf8.span)
            connection.close()
        } _: { port, _ in
            try connect(port)
            blockingWait(for: "the server to look up the owner") { all.withLock { !$0.isEmpty } }
        }
        return all.withLock { $0 }
    }

    /// Runs a client in another program, which reads to the end.
    private func client(_ port: UInt16, _ host: String, as user: Int? = nil) throws {
        let prefix = user.map { "setpriv --reuid=\($0) --clear-groups " } ?? ""
        // From standard input, since another user may not be able to read the repository.
        let (output, status) = try runShell(
            "\(prefix)/usr/bin/python3 - \(host) \(port) <'\(TestFiles.fixture("reader.py"))'"
        )
        #expect(status == 0, "\(output)")
    }

    @Test("is the user of its process", arguments: ways)
    func mine(usesKernel: Bool) throws {
        let found = try found(usesKernel: usesKernel) { try client($0, "127.0.0.1") }
        #expect(found == [.user(geteuid())])
    }

    @Test("is found if an IPv6 socket uses IPv4, as in Java", arguments: ways)
    func mapped(usesKernel: Bool) throws {
        let found = try found(usesKernel: usesKernel) { try client($0, "::ffff:127.0.0.1") }
        #expect(found == [.user(geteuid())])
    }

    @Test("is found over IPv6", arguments: ways)
    func version6(usesKernel: Bool) throws {
        let address = SocketAddress(.loopbackV6, port: 0)
        let found = try found(at: address, usesKernel: usesKernel) { try client($0, "::1") }
        #expect(found == [.user(geteuid())])
    }

    @Test(
        "is another user if the process belongs to one",
        .enabled(if: geteuid() == 0, "only root can act as another user"),
        arguments: ways
    )
    func another(usesKernel: Bool) throws {
        let found = try found(usesKernel: usesKernel) { try client($0, "127.0.0.1", as: 65_534) }
        #expect(found == [.user(65_534)])
    }

    /// The kernel reports user 0 for a socket without a process.
    @Test("is nobody, not root, once the process has closed its socket", arguments: ways)
    func closed(usesKernel: Bool) throws {
        let gate = DispatchSemaphore(value: 0)
        let found = try found(usesKernel: usesKernel, waiting: gate) { port in
            var client: SocketClient? = try SocketClient(port: port)
            try client?.send("GET / HTTP/1.1\r\n\r\n")
            client = nil
            gate.signal()
        }
        #expect(found == [.noProcess])
    }

    @Test("is unknown if the system does not report it")
    func unknown() throws {
        let owners = PeerOwners(usesKernel: false, tables: ["/none"])
        let ends = PeerOwners.Ends(
            local: SocketAddress(.loopbackV4, port: 1),
            remote: SocketAddress(.loopbackV4, port: 2)
        )
        #expect(owners.owner(of: ends) == .unknown)
        #expect(self.owners(usesKernel: true).owner(of: ends) == .noProcess)
    }
}
