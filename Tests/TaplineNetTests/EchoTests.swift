// SPDX-License-Identifier: MIT

import TaplineNet
import TestSupport
import Testing

@Suite struct EchoTests {
    @Test func sendsBackItsInput() throws {
        let events = Events()
        try withServer(serving: { Echo.serve($0, events) }) { port, _ in
            let client = try SocketClient(port: port)
            try client.send("hello")
            #expect(try client.receive(exactly: 5) == Array("hello".utf8))
            client.shutdownOutput()
            #expect(try client.receive().isEmpty)
            blockingWait(for: "the connection to close") { events.all == ["end", "closed "] }
        }
    }

    @Test func sendsBackLargeInput() throws {
        try withServer(serving: { Echo.serve($0) }) { port, _ in
            let client = try SocketClient(port: port)
            let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
            try client.send(bytes)
            #expect(try client.receive(exactly: bytes.count) == bytes)
        }
    }
}
