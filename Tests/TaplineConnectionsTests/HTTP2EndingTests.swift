// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import TaplineNet
import Testing

/// Tests for the ends of tunnels on streams.
@Suite("The end of a client's connection of HTTP/2")
struct HTTP2EndingTests {
    /// The time limit of tests that wait for it.
    private static let short = Microseconds(100_000)

    @Test("resets a tunnel whose client takes nothing before its end", arguments: [false, true])
    func withoutCredit(hasClientEnded: Bool) async throws {
        typealias Result = (code: HTTP2ErrorCode, count: Int)
        let (code, count) = try await Scenario<Result>.run { scenario, loop in
            let limits = HTTP2Limits(streamWindow: 1000)
            let pair = try HTTP2Pair(on: loop, client: limits, idle: Self.short)
            let client = pair.client
            pair.owner.answer = { stream, _ in
                try? stream.send(Response(), ResponseWriting(becomesTunnel: true), ends: false)
                stream.becomeTunnel()
                stream.send([UInt8](repeating: 1, count: 5000).span)
                stream.exchangeEnded()
            }
            let socket = try client.openSocket(consumes: false)
            if hasClientEnded { try socket.stream.end() }
            client.changed = {
                if let code = socket.closed { scenario.finish((code, socket.count)) }
            }
            client.move()
            client.socket.startReading()
        }
        #expect(code == .cancel)
        #expect(count == 1000)
    }

    @Test("sends all of a tunnel to a client that takes it slowly")
    func slowCredit() async throws {
        typealias Result = (code: HTTP2ErrorCode, count: Int)
        let (code, count) = try await Scenario<Result>.run { scenario, loop in
            let limits = HTTP2Limits(streamWindow: 1000)
            let pair = try HTTP2Pair(on: loop, client: limits, idle: Microseconds(300_000))
            let client = pair.client
            pair.owner.answer = { stream, _ in
                try? stream.send(Response(), ResponseWriting(becomesTunnel: true), ends: false)
                stream.becomeTunnel()
                stream.send([UInt8](repeating: 1, count: 5000).span)
                stream.exchangeEnded()
            }
            let socket = try client.openSocket(consumes: false)
            func take() {
                socket.stream.consumed(500)
                client.move()
                if socket.closed == nil { loop.after(50) { take() } }
            }
            client.changed = {
                if let code = socket.closed { scenario.finish((code, socket.count)) }
            }
            client.move()
            client.socket.startReading()
            take()
        }
        #expect(code == .noError)
        #expect(count == 5000)
    }
}
