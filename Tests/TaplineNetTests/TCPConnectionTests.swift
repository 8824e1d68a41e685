// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TaplineModel
import TaplineNet
import TestSupport
import Testing

@Suite struct TCPConnectionTests {
    @Test func continuesToReadAfterItsOutputHasEnded() throws {
        let events = Events()
        try withServer(serving: { connection in
            connection.delegate = Recorder(events)
            connection.startReading()
            connection.write("bye".utf8.span)
            connection.shutdownOutput()
            events.add("late \(connection.write("lost".utf8.span))")
        }) { port, _ in
            let client = try SocketClient(port: port)
            #expect(try client.receiveAll() == Array("bye".utf8))
            try client.send("still here")
            blockingWait(for: "the text to arrive after the response") {
                events.all.contains("got still here")
            }
            client.shutdownOutput()
            blockingWait(for: "the connection to close") {
                events.all == ["late false", "got still here", "end", "closed "]
            }
        }
    }

    @Test func twoOfOneLoopCanBeConnectedToEachOther() throws {
        let events = Events()
        try withLoops { loop, _ in
            let (first, second) = try TCPConnection.pair(on: loop)
            #expect(first.peerAddress == nil && first.peerText.isEmpty)
            #expect(first.isOpen && second.isOpen)
            first.delegate = Recorder(events)
            first.startReading()
            Echo.serve(second)
            first.write("hello".utf8.span)
            first.shutdownOutput()
        } _: { _ in
            blockingWait(for: "the bytes to come back, and the end") {
                events.all == ["got hello", "end", "closed "]
            }
        }
    }

    @Test func continuesToWriteAfterTheInputHasEnded() throws {
        try withServer(serving: { connection in
            let recorder = Recorder(Events())
            recorder.onEnd = { connection in
                connection.write("answer".utf8.span)
                connection.shutdownOutput()
            }
            connection.delegate = recorder
            connection.startReading()
        }) { port, _ in
            let client = try SocketClient(port: port)
            try client.send("question")
            client.shutdownOutput()
            #expect(try client.receiveAll() == Array("answer".utf8))
        }
    }

    @Test func reportsAResetByThePeer() throws {
        let events = Events()
        try withServer(serving: { connection in
            connection.delegate = Recorder(events)
            connection.startReading()
        }) { port, _ in
            var client: SocketClient? = try SocketClient(port: port)
            client?.resetAtClose()
            try client?.send("x")
            blockingWait(for: "the byte to arrive") { events.all == ["got x"] }
            client = nil
            blockingWait(for: "the reset to arrive") { events.all == ["got x", "closed reset"] }
        }
    }

    @Test func resetsThePeer() throws {
        try withServer(serving: { $0.reset() }) { port, _ in
            let client = try SocketClient(port: port)
            let failure = #expect(throws: SocketClient.Failure.self) { try client.receive() }
            #expect(failure?.code == ECONNRESET)
        }
    }

    @Test func closesOnceAllOutputIsSent() throws {
        let events = Events()
        try withServer(serving: { connection in
            connection.delegate = Recorder(events)
            connection.write(Array(repeating: 7, count: 1 << 20).span)
            connection.close()
            events.add("late \(connection.write("lost".utf8.span))")
        }) { port, _ in
            let client = try SocketClient(port: port, receiveBuffer: 4096)
            #expect(try client.receiveAll() == Array(repeating: 7, count: 1 << 20))
            blockingWait(for: "the connection to close") {
                events.all == ["late false", "closed "]
            }
        }
    }

    /// Unread input must not make the kernel discard the output.
    @Test func deliversItsOutputDespiteUnreadInput() throws {
        let events = Events()
        try withServer(serving: { connection in
            let recorder = Recorder(events)
            recorder.onBytes = { connection in
                connection.write("enough".utf8.span)
                connection.close()
            }
            connection.delegate = recorder
            connection.startReading()
        }) { port, _ in
            let client = try SocketClient(port: port)
            for _ in 0..<20 { try client.send(Array(repeating: 1, count: 100_000)) }
            #expect(try client.receiveAll() == Array("enough".utf8))
            client.shutdownOutput()
            blockingWait(for: "the connection to close") { events.all == ["closed "] }
        }
    }

    @Test func timesOutIfThePeerAcceptsNothing() throws {
        let events = Events()
        var options = TCPOptions()
        options.flushSeconds = 1
        try withServer(
            options: options,
            serving: { connection in
                connection.delegate = Recorder(events)
                connection.write(Array(repeating: 7, count: 16 << 20).span)
                connection.close()
            }
        ) { port, _ in
            let client = try SocketClient(port: port, receiveBuffer: 4096)
            blockingWait(for: "the connection to time out") { events.all == ["closed timeout"] }
            _ = client
        }
    }

    @Test func waitsForASlowPeer() throws {
        let events = Events()
        let size = 16 << 20
        var options = TCPOptions()
        options.flushSeconds = 1
        try withServer(
            options: options,
            serving: { connection in
                connection.delegate = Recorder(events)
                connection.write(Array(repeating: 7, count: size).span)
                connection.close()
            }
        ) { port, _ in
            let client = try SocketClient(port: port, receiveBuffer: 65_536)
            var received = 0
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .seconds(3) {
                received += try client.receive(10_000).count
                usleep(30_000)
            }
            received += try client.receiveAll().count
            #expect(received == size)
        }
    }

    @Test func ignoresCallsAfterItHasClosed() throws {
        let events = Events()
        try withServer(serving: { connection in
            let recorder = Recorder(events)
            recorder.onClose = { connection in
                connection.startReading()
                connection.pauseReading()
                connection.resumeReading()
                events.add("\(connection.write("x".utf8.span)) \(connection.isOpen)")
                connection.shutdownOutput()
                connection.setKeepAlive(seconds: 10)
                connection.close()
                connection.abandon()
                connection.reset()
                events.add(connection.peerText.prefix(10).description)
            }
            connection.delegate = recorder
            connection.startReading()
            connection.abandon()
            connection.reset()
            connection.close()
        }) { port, group in
            let client = try SocketClient(port: port)
            _ = try? client.receiveAll()
            blockingWait(for: "the connection to close") {
                events.all == ["false false", "127.0.0.1:", "closed "]
            }
        }
    }

    /// A writer that respects `isWritable` holds little memory, however much it sends.
    @Test func holdsLittleMemoryForASlowReader() throws {
        let total = 32 << 20
        let source = Source(total)
        try withServer(serving: { connection in
            connection.delegate = source
            source.pump(connection)
        }) { port, _ in
            let client = try SocketClient(port: port, receiveBuffer: 8192)
            blockingWait(for: "the buffers to fill") {
                source.highest.load(ordering: .relaxed) >= 65_536
            }
            #expect(source.sent.load(ordering: .relaxed) < total)
            #expect(try client.receiveAll().count == total)
            #expect(source.highest.load(ordering: .relaxed) <= 65_536 + Source.piece)
            #expect(source.drained.load(ordering: .relaxed) > 0)
        }
    }

    /// An echo stops reading when its output is not read, so the client's sends block.
    @Test func blocksAFastWriter() throws {
        let events = Events()
        try withServer(serving: { Echo.serve($0, events) }) { port, _ in
            let client = try SocketClient(port: port, receiveBuffer: 8192)
            _ = fcntl(client.socket, F_SETFL, O_NONBLOCK)
            let piece = [UInt8](repeating: 1, count: 65_536)
            var sent = 0
            var idle = 0
            while idle < 20, sent < 256 << 20 {
                let count = unsafe send(client.socket, piece, piece.count, Int32(MSG_NOSIGNAL))
                sent += max(count, 0)
                idle = count > 0 ? 0 : idle + 1
                if count <= 0 { usleep(10_000) }
            }
            #expect(sent < 256 << 20)
            _ = fcntl(client.socket, F_SETFL, 0)
            client.shutdownOutput()
            #expect(try client.receiveAll().count == sent)
            #expect(events.all.contains("drained"))
        }
    }

    @Test func countsTheBytesOnTheWire() throws {
        let events = Events()
        try withServer(serving: { connection in
            let recorder = Recorder(events)
            recorder.onEnd = { connection in
                connection.write("four".utf8.span)
                connection.write(Array(repeating: 1, count: 100_000).span)
                connection.close()
            }
            recorder.onClose = { connection in
                events.add("\(connection.bytesReceived) \(connection.bytesSent)")
                events.add("\(connection.localText == connection.localAddress?.description)")
            }
            connection.delegate = recorder
            connection.startReading()
        }) { port, _ in
            let client = try SocketClient(port: port)
            try client.send("12345")
            client.shutdownOutput()
            #expect(try client.receiveAll().count == 100_004)
            blockingWait(for: "the connection to close") {
                events.all == ["got 12345", "end", "5 100004", "true", "closed "]
            }
        }
    }
}

/// Sends a number of bytes as fast as they are accepted.
private final class Source: ConnectionDelegate, Sendable {
    static let piece = 10_000
    let total: Int
    let sent = Atomic<Int>(0)
    let highest = Atomic<Int>(0)
    let drained = Atomic<Int>(0)

    init(_ total: Int) { self.total = total }

    func pump(_ connection: TCPConnection) {
        while connection.isWritable {
            let count = min(Self.piece, total - sent.load(ordering: .relaxed))
            if count == 0 { return connection.close() }
            connection.write(Array(repeating: 1, count: count).span)
            sent.add(count, ordering: .relaxed)
            highest.max(connection.pendingBytes, ordering: .relaxed)
        }
    }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {}
    func connectionEndedInput(_ connection: TCPConnection) {}
    func connectionDrained(_ connection: TCPConnection) {
        drained.add(1, ordering: .relaxed)
        pump(connection)
    }
    func connectionClosed(_ connection: TCPConnection, error: NetError?) {}
}
