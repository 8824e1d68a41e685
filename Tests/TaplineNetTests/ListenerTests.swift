// SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import Synchronization
import TaplineModel
import TaplineNet
import TestSupport
import Testing

@Suite struct ListenerTests {
    @Test(arguments: [1, 2])
    func reportsThatAPortIsInUse(_ count: Int) throws {
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0), count: count)
        let error = #expect(throws: NetError.self) {
            _ = try BoundAddress(bound.address, count: count)
        }
        #expect(error?.code == .addressInUse)
        let port = bound.address.port
        #expect(
            error?.description == "cannot listen on 127.0.0.1:\(port); port \(port) is in use"
        )
    }

    @Test func resetsNoClientThatWaitsForThePort() throws {
        for _ in 0..<100 {
            // No port that the kernel chooses for clients, which could then connect to themselves.
            let port = UInt16.random(in: 10_000..<30_000)
            let isBound = Atomic(false)
            let result = Mutex<Result<Void, any Error>?>(nil)
            let queue = DispatchQueue(label: "client")
            queue.async {
                while !isBound.load(ordering: .relaxed) {
                    guard let client = try? SocketClient(port: port) else { continue }
                    while !isBound.load(ordering: .relaxed) { usleep(100) }
                    result.withLock { $0 = Result { try client.send("x") } }
                }
            }
            defer { queue.sync {} }
            defer { isBound.store(true, ordering: .relaxed) }
            let address = SocketAddress(.loopbackV4, port: port)
            guard let bound = try? BoundAddress(address, count: 2) else { continue }
            isBound.store(true, ordering: .relaxed)
            queue.sync {}
            try withExtendedLifetime(bound) { try result.withLock { $0 }?.get() }
        }
    }

    @Test func reportsAnAddressOfAnotherMachine() throws {
        let address = try #require(SocketAddress("192.0.2.1:0"))
        let error = #expect(throws: NetError.self) { _ = try BoundAddress(address) }
        #expect(error?.code == .addressUnavailable)
        #expect(error?.name == "EADDRNOTAVAIL")
        #expect(error?.description.hasPrefix("cannot listen on 192.0.2.1:0; ") == true)
    }

    @Test func sharesAPortAmongLoops() throws {
        let counts = Mutex([0, 0])
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0), count: 2)
        try withLoops(2) { loop, number in
            _ = try Listener(bound, on: loop) { connection in
                counts.withLock { $0[number] += 1 }
                Echo.serve(connection)
            }
        } _: { _ in
            for _ in 0..<100 {
                let client = try SocketClient(port: bound.address.port)
                try client.send("x")
                #expect(try client.receive() == Array("x".utf8))
            }
        }
        #expect(counts.withLock { $0.reduce(0, +) } == 100)
        #expect(counts.withLock { !$0.contains(0) })
    }

    @Test func servesAThousandConnections() throws {
        let events = Events()
        try withServer(2, serving: { Echo.serve($0, events) }) { port, group in
            var clients = try (0..<1000).map { _ in try SocketClient(port: port) }
            for client in clients { try client.send("hello") }
            for client in clients {
                #expect(try client.receive(exactly: 5) == Array("hello".utf8))
            }
            clients = []
            blockingWait(for: "the thousand connections to close") {
                events.all.filter { $0 == "closed " }.count == 1000
            }
            for loop in group.loops { #expect(openResources(of: loop) == 1) }
        }
    }

    @Test func acceptsNoConnectionWhilePaused() throws {
        let listener = Mutex<OwnListener?>(nil)
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
        let accepted = Atomic<Int>(0)
        try withLoops { loop, _ in
            let opened = try Listener(bound, on: loop) { connection in
                accepted.add(1, ordering: .relaxed)
                Echo.serve(connection)
            }
            opened.pause()
            listener.withLock { $0 = OwnListener(value: opened) }
        } _: { group in
            let clients = try (0..<5).map { _ in try SocketClient(port: bound.address.port) }
            for client in clients { try client.send("x") }
            // A task after the received events shows that no connection was accepted.
            for _ in 0..<5 { _ = openResources(of: group.loops[0]) }
            #expect(accepted.load(ordering: .relaxed) == 0)
            group.loops[0].execute { listener.withLock { $0?.value.resume() } }
            for client in clients { #expect(try client.receive() == Array("x".utf8)) }
            #expect(accepted.load(ordering: .relaxed) == 5)
        }
        listener.withLock { $0 = nil }
    }

    @Test func listensOnIPv6() throws {
        let events = Events()
        let bound = try BoundAddress(SocketAddress(.loopbackV6, port: 0))
        try withLoops { loop, _ in
            _ = try Listener(bound, on: loop) { Echo.serve($0, events) }
            Connector(on: loop).connect(to: "[::1]", port: bound.address.port) { outcome in
                guard case .success(let connection) = outcome.result else { return }
                events.add(connection.peerText)
                connection.close()
            }
        } _: { _ in
            blockingWait(for: "the connection to close") {
                events.all == ["[::1]:\(bound.address.port)", "end", "closed "]
            }
        }
    }
}

/// Carries a listener to its own loop.
@safe private struct OwnListener: @unchecked Sendable { let value: Listener }
