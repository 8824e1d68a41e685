// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TestSupport
import Testing

@testable import TaplineNet

@Suite("The pace of output") struct OutputPaceTests {
    @Test("allows a tenth of a second at once, then parts of half of it")
    func allowance() {
        var pace = OutputPace(bytesPerSecond: 1000, at: 0)
        #expect(pace.allowance(at: 0) == 100)
        pace.sent(100)
        #expect(pace.allowance(at: 0) == 0)
        #expect(pace.wait.count == 50_000)
        #expect(pace.allowance(at: 49_000) == 0)
        #expect(pace.allowance(at: 50_000) == 50)
        #expect(pace.allowance(at: 900_000) == 100)
        // A clock that stands still or goes back earns nothing.
        pace.sent(100)
        #expect(pace.allowance(at: 0) == 0)
    }

    @Test("has limits for any speed", arguments: [Int.min, 0, 1, 9, 1 << 40, Int.max])
    func extremes(speed: Int) {
        var pace = OutputPace(bytesPerSecond: speed, at: 0)
        let first = pace.allowance(at: 0)
        #expect(first >= 1)
        pace.sent(first)
        let wait = pace.wait.count
        #expect(0...1_000_000 ~= wait)
        #expect(pace.allowance(at: wait + 1) >= 1)
    }

    @Test("slows down a connection until it ends, and loses nothing")
    func connection() throws {
        let data = Array(repeating: UInt8(ascii: "x"), count: 60_000)
        let clock = ContinuousClock()
        for isPaced in [true, false] {
            try withServer(serving: { connection in
                connection.startReading()
                connection.pace(bytesPerSecond: 100_000)
                if !isPaced { connection.endPace() }
                connection.write(data.span)
                connection.endPace()
                connection.close()
            }) { port, _ in
                let start = clock.now
                let client = try SocketClient(port: port)
                #expect(try client.receiveAll() == data)
                let time = start.duration(to: clock.now)
                // Without the pace, it takes a few milliseconds; a busy machine may need longer.
                #expect(!isPaced || time > .milliseconds(400))
            }
        }
    }

    /// Keeps output until the end of a batch of events, as TLS does.
    private final class Batches: ConnectionLayer {
        private var pending: [UInt8] = []

        func received(_ bytes: Span<UInt8>, on connection: TCPConnection) {}
        func inputEnded(on connection: TCPConnection) {}
        func write(_ bytes: Span<UInt8>, to connection: TCPConnection) {
            pending.append(copying: bytes)
        }
        func flush(to connection: TCPConnection) {
            let bytes = pending
            pending = []
            connection.send(bytes.span)
        }
        func outputEnds(on connection: TCPConnection) { flush(to: connection) }
    }

    @Test("slows down what a layer has not sent yet, if the pace ends in the same batch")
    func layer() throws {
        let data = Array(repeating: UInt8(ascii: "x"), count: 10_000)
        let clock = ContinuousClock()
        try withServer(serving: { connection in
            connection.layer = Batches()
            connection.startReading()
            connection.pace(bytesPerSecond: 20_000)
            connection.write(data.span)
            connection.endPace()
            connection.close()
        }) { port, _ in
            let start = clock.now
            let client = try SocketClient(port: port)
            #expect(try client.receiveAll() == data)
            #expect(start.duration(to: clock.now) > .milliseconds(300))
        }
    }

    @Test("ends with the bytes that it is for, even if others follow at once")
    func end() throws {
        let slow = Array(repeating: UInt8(ascii: "s"), count: 10_000)
        let fast = Array(repeating: UInt8(ascii: "f"), count: 60_000)
        let clock = ContinuousClock()
        try withServer(serving: { connection in
            connection.startReading()
            connection.pace(bytesPerSecond: 20_000)
            connection.write(slow.span)
            connection.endPace()
            connection.write(fast.span)
            connection.close()
        }) { port, _ in
            let start = clock.now
            let client = try SocketClient(port: port)
            #expect(try client.receiveAll() == slow + fast)
            // All of it would take over three seconds at this speed.
            let time = start.duration(to: clock.now)
            #expect(time > .milliseconds(300))
            #expect(time < .milliseconds(2500))
        }
    }
}
