// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineModel
import TaplineNet
import TaplineReach
import TestSupport
import Testing

/// What happens on the loop of a test.
private final class Observed: Sendable {
    private let state = Mutex<(responses: [[UInt8]], queries: Int)>(([], 0))

    var responses: [[UInt8]] { state.withLock { $0.responses } }
    var queries: Int { state.withLock { $0.queries } }
    func add(_ response: [UInt8]) { state.withLock { $0.responses.append(response) } }
    func countQuery() { state.withLock { $0.queries += 1 } }
}

@Suite struct DNSRelayTests {
    /// Sends a query through a relay to the servers and then that of the test, and returns the
    /// response.
    private func ask(
        _ query: [UInt8],
        _ servers: [SocketAddress] = [],
        _ names: NameMemory = NameMemory(),
        _ observed: Observed = Observed(),
        reply: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) throws -> [UInt8]? {
        let group = try EventLoopGroup(threads: 1)
        let ended = DispatchSemaphore(value: 0)
        group.start(
            { loop, _ in
                let server = try DatagramSocket.bind(SocketAddress(.loopbackV4, port: 0))
                let inside = try DatagramSocket.bind(SocketAddress(.loopbackV4, port: 0))
                let upstream = try DatagramSocket(adopting: server.descriptor, on: loop) {
                    socket,
                    datagram in
                    observed.countQuery()
                    socket.send(reply(datagram.bytes).span, to: datagram.peer)
                }
                let relay = try DNSRelay(
                    on: loop,
                    sockets: [inside.descriptor],
                    names,
                    servers: servers + [server.address]
                )
                let program = try DatagramSocket(to: inside.address, on: loop) { _, datagram in
                    observed.add(datagram.bytes)
                }
                program.send(query.span)
                loop.beforeStop {
                    relay.stop()
                    upstream.close()
                    program.close()
                }
            },
            then: { _ in ended.signal() }
        )
        blockingWait(for: "the response") { !observed.responses.isEmpty }
        group.stop()
        #expect(ended.wait(timeout: .now() + 30) == .success)
        return observed.responses.first
    }

    @Test func aQueryIsForwardedAndItsNameIsRemembered() throws {
        let names = NameMemory()
        let response = Message.response("shop.test", [Message.v4, Message.v6])
        let answer = try ask(Message.query("shop.test"), [], names) { _ in response }
        #expect(answer == response)
        #expect(IPAddress("203.0.113.7").flatMap { names.names(of: $0) } == ["shop.test"])
        #expect(IPAddress("2001:db8::7").flatMap { names.names(of: $0) } == ["shop.test"])
    }

    @Test func aResponseWithoutTheQuestionIsPassedOnIfItRefuses() throws {
        let refused: [UInt8] = [0, 7, 0x81, 0x85, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(try ask(Message.query("shop.test")) { _ in refused } == refused)
    }

    @Test func anUpdateIsNotForwarded() throws {
        let observed = Observed()
        var query = Message.query("shop.test")
        query[2] |= 5 << 3
        let answer = try #require(try ask(query, [], NameMemory(), observed) { _ in [] })
        #expect(answer[2] & 0x78 == 5 << 3 && answer[3] & 0xF == 4)
        #expect(observed.queries == 0)
    }

    @Test func aQueryForServiceParametersIsAnsweredWithoutRecords() throws {
        let observed = Observed()
        let query = Message.query("shop.test", type: 65)
        let answer = try #require(try ask(query, [], NameMemory(), observed) { _ in [] })
        #expect(answer[3] & 0xF == 0 && answer[7] == 0)
        #expect(observed.queries == 0)
    }

    @Test func aServerThatRefusesIsFollowedByTheNext() throws {
        // Nothing receives datagrams at a port that was free a moment ago.
        let refused = try DatagramSocket.bind(SocketAddress(.loopbackV4, port: 0))
        let loop = try EventLoop()
        try DatagramSocket(adopting: refused.descriptor, on: loop) { _, _ in }.close()
        let response = Message.response("shop.test", [Message.v4])
        let answer = try ask(Message.query("shop.test"), [refused.address]) { _ in response }
        #expect(answer == response)
    }

    @Test func aResponseToAnotherQuestionIsIgnored() throws {
        let right = Message.response("shop.test", [Message.v4])
        let count = Atomic(0)
        // The wrong response makes the relay wait; the program asks again.
        let observed = Observed()
        let group = try EventLoopGroup(threads: 1)
        let ended = DispatchSemaphore(value: 0)
        group.start(
            { loop, _ in
                let server = try DatagramSocket.bind(SocketAddress(.loopbackV4, port: 0))
                let inside = try DatagramSocket.bind(SocketAddress(.loopbackV4, port: 0))
                let upstream = try DatagramSocket(adopting: server.descriptor, on: loop) {
                    socket,
                    datagram in
                    count.add(1, ordering: .relaxed)
                    socket.send(
                        Message.response("other.test", [Message.v6]).span,
                        to: datagram.peer
                    )
                    socket.send(right.span, to: datagram.peer)
                }
                let relay = try DNSRelay(
                    on: loop,
                    sockets: [inside.descriptor],
                    NameMemory(),
                    servers: [server.address]
                )
                let program = try DatagramSocket(to: inside.address, on: loop) { _, datagram in
                    observed.add(datagram.bytes)
                }
                program.send(Message.query("shop.test").span)
                loop.beforeStop {
                    relay.stop()
                    upstream.close()
                    program.close()
                }
            },
            then: { _ in ended.signal() }
        )
        blockingWait(for: "the response") { !observed.responses.isEmpty }
        group.stop()
        #expect(ended.wait(timeout: .now() + 30) == .success)
        #expect(observed.responses == [right])
        #expect(count.load(ordering: .relaxed) == 1)
    }
}
