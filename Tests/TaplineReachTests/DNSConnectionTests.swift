// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineModel
import TaplineNet
import TestSupport
import Testing

@testable import TaplineReach

/// A program that sends DNS queries over TCP, and what it gets.
private final class Program: ConnectionDelegate {
    private(set) var received = 0
    private(set) var isEnded = false

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        received += bytes.count
    }

    func connectionEndedInput(_ connection: TCPConnection) {
        isEnded = true
        connection.close()
    }

    func connectionDrained(_ connection: TCPConnection) {}
    func connectionClosed(_ connection: TCPConnection, error: NetError?) { isEnded = true }
}

@Suite struct DNSConnectionTests {
    /// What has happened by the end.
    private struct Found: Sendable {
        var received = 0
        var isEnded = false
        var maxPending = 0
        var isLeft = false
    }

    /// Sends bytes over TCP, reads responses only once the relay has stopped reading if
    /// `isSlow`, and returns what has happened once that is `enough`.
    private func exchange(
        _ bytes: [UInt8],
        isSlow: Bool = false,
        until enough: @escaping @Sendable (Found) -> Bool
    ) throws -> Found {
        let group = try EventLoopGroup(threads: 1)
        let ended = DispatchSemaphore(value: 0)
        let current = Box()
        group.start(
            { loop, _ in
                let relay = try DNSRelay(on: loop, sockets: [], NameMemory(), servers: [])
                let (server, client) = try TCPConnection.pair(on: loop)
                let program = Program()
                client.delegate = program
                relay.serve(server) { current.change { $0.isLeft = true } }
                client.write(bytes.span)
                if !isSlow { client.startReading() }
                let timer = TimerBox()
                timer.timer = LoopTimer(on: loop) {
                    if isSlow, server.isReadingPaused { client.resumeReading() }
                    current.change {
                        $0.received = program.received
                        $0.isEnded = program.isEnded
                        $0.maxPending = max($0.maxPending, server.pendingBytes)
                    }
                    timer.timer?.arm(after: Microseconds(5000))
                }
                timer.timer?.arm(after: Microseconds(5000))
                loop.beforeStop {
                    timer.timer = nil
                    relay.stop()
                    client.abandon()
                }
            },
            then: { _ in ended.signal() }
        )
        blockingWait(for: "the program's end") { enough(current.value) }
        group.stop()
        #expect(ended.wait(timeout: .now() + 30) == .success)
        return current.value
    }

    private final class TimerBox { var timer: LoopTimer? }

    private final class Box: Sendable {
        private let state = Mutex(Found())
        var value: Found { state.withLock { $0 } }
        func change(_ change: (inout Found) -> Void) { state.withLock { change(&$0) } }
    }

    @Test func aProgramThatReadsNothingIsNotReadEither() throws {
        let name = (0..<4).map { _ in String(repeating: "n", count: 50) }.joined(separator: ".")
        let query = DNSFraming.framed(Message.query(name, type: 65))
        let bytes = (0..<4000).flatMap { _ in query }
        // All responses have the size of their queries.
        let found = try exchange(bytes, isSlow: true) { $0.received == bytes.count }
        #expect(found.received == bytes.count)
        #expect(found.maxPending > 0 && found.maxPending < 100_000)
    }

    @Test func inputThatIsNoQueryEndsTheConnection() throws {
        let query = DNSFraming.framed(Message.query("a.test", type: 65))
        let found = try exchange(query + DNSFraming.framed([1, 2, 3]) + query) {
            $0.isEnded && $0.isLeft
        }
        #expect(found.received == query.count)
    }
}
