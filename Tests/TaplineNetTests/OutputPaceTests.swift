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
}
