// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import TaplineNet
import Testing

/// Tests for the ends of tunnels on streams, and of connections.
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
            let pair = try HTTP2Pair(on: loop, client: limits, idle: Microseconds(1_000_000))
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
                if socket.closed == nil { loop.after(150) { take() } }
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

    @Test("answers a first request that was under way, and then names it in GOAWAY")
    func firstRequest() async throws {
        typealias Result = (status: Int?, lastStreams: [Int32], events: [String])
        let result = try await Scenario<Result>.run { scenario, loop in
            let pair = try HTTP2Pair(on: loop)
            let (client, owner) = (pair.client, pair.owner)
            owner.answer = { stream, _ in stream.respond(0) }
            var first: HTTP2StreamLog?
            owner.closed = { scenario.finish((first?.status, client.lastStreams, $0)) }
            client.socket.startReading()
            pair.connection.drain(grace: Microseconds(10_000_000))
            loop.after(30) {
                first = try? client.request("/first")
                client.move()
            }
        }
        #expect(result.status == 200)
        #expect(result.lastStreams == [.max, 1])
        #expect(result.events == ["head /first", "sent 1", "closed"])
    }

    @Test("comes after a while without a first request, with GOAWAY in two steps")
    func withoutRequest() async throws {
        let lastStreams = try await Scenario<[Int32]>.run { scenario, loop in
            let pair = try HTTP2Pair(on: loop)
            pair.owner.closed = { _ in scenario.finish(pair.client.lastStreams) }
            pair.client.socket.startReading()
            pair.connection.drain(grace: Self.short)
        }
        #expect(lastStreams == [.max, 0])
    }

    @Test("comes without the client's answer if it reads nothing")
    func unanswered() async throws {
        let events = try await Scenario<[String]>.run { scenario, loop in
            let pair = try HTTP2Pair(on: loop)
            let (client, owner) = (pair.client, pair.owner)
            owner.answer = { stream, _ in
                stream.respond(0)
                pair.connection.drain(grace: Self.short)
            }
            owner.closed = { scenario.finish($0) }
            _ = try client.request("/a")
            client.move()
        }
        #expect(events == ["head /a", "sent 1", "closed"])
    }
}
