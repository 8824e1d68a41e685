// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import TaplineNet
import Testing

@Suite("A client's connection of HTTP/2")
struct HTTP2ClientConnectionTests {
    private static let large = 1_000_000

    @Test("goes on with its exchanges while new ones have to wait, and begins those in order")
    func holdsBack() async throws {
        let events = try await Scenario<[String]>.run { scenario, loop in
            let pair = try HTTP2Pair(on: loop)
            let (client, owner) = (pair.client, pair.owner)
            owner.answer = { stream, path in
                owner.holdsBack = path == "/first"
                let isFirst = path == "/first"
                stream.respond(isFirst ? Self.large : 5, ends: !isFirst)
            }
            owner.requestEnded = { try? $0.end(FieldSection()) }
            let first = try client.request("/first", ends: false)
            first.stream.send(content: [UInt8](repeating: 1, count: Self.large).span)
            try first.stream.end()
            let second = try client.request("/second", ends: false)
            second.stream.send(content: "hello".utf8.span)
            try second.stream.end(trailers: ["a": "b"])
            let third = try client.request("/third")
            client.changed = {
                if owner.holdsBack, first.closed != nil, first.count == Self.large {
                    owner.events.append("released")
                    owner.holdsBack = false
                    pair.connection.goOn()
                }
                if second.closed != nil, third.closed != nil { scenario.finish(owner.events) }
            }
            client.move()
            client.socket.startReading()
        }
        #expect(
            events == [
                "head /first", "wait", "end \(Self.large) 0", "sent 1", "released", "head /second",
                "end \(Self.large + 5) 1", "head /third", "sent 3", "sent 5",
            ]
        )
    }

    @Test("notes its first request once, even if it waits, and nothing without one")
    func firstRequest() async throws {
        for count in 0..<3 {
            let events = try await Scenario<[String]>.run { scenario, loop in
                let pair = try HTTP2Pair(on: loop)
                let (client, owner) = (pair.client, pair.owner)
                owner.holdsBack = true
                owner.arrived = { owner.events.append("arrived") }
                owner.closed = { scenario.finish($0) }
                for number in 0..<count { _ = try client.request(ByteString("/\(number)")) }
                client.move()
                client.socket.close()
            }
            #expect(events == (count == 0 ? ["left"] : ["arrived", "wait", "left"]))
        }
    }

    @Test("reads at most so much of requests that wait, and all of it later")
    func holdsMuch() async throws {
        let count = 250_000
        let received = try await Scenario<Int>.run { scenario, loop in
            let limits = HTTP2Limits(firstWindow: 256 << 10, connectionWindow: 8 << 20)
            let pair = try HTTP2Pair(on: loop, server: limits)
            let (client, owner, socket) = (pair.client, pair.owner, pair.connection.socket)
            owner.holdsBack = true
            owner.requestEnded = { $0.respond(0) }
            let uploads = try (0..<8).map { try client.request(ByteString("/\($0)"), ends: false) }
            for upload in uploads {
                upload.stream.send(content: [UInt8](repeating: 1, count: count).span)
                try upload.stream.end()
            }
            client.changed = {
                if uploads.allSatisfy({ $0.closed != nil }) { scenario.finish(owner.received) }
            }
            client.move()
            client.socket.startReading()
            func goOnOncePaused() {
                guard socket.isReadingPaused else { return loop.after(10) { goOnOncePaused() } }
                owner.holdsBack = false
                pair.connection.goOn()
            }
            goOnOncePaused()
        }
        #expect(received == 8 * count)
    }

    @Test("forgets a request that its client cancels before it begins")
    func cancelledWhileHeld() async throws {
        let events = try await Scenario<[String]>.run { scenario, loop in
            let pair = try HTTP2Pair(on: loop)
            let (client, owner) = (pair.client, pair.owner)
            owner.holdsBack = true
            owner.answer = { stream, _ in stream.respond(0) }
            let first = try client.request("/first")
            let second = try client.request("/second")
            client.move()
            first.stream.reset(.cancel)
            client.move()
            client.changed = {
                if owner.holdsBack, first.closed != nil {
                    owner.holdsBack = false
                    pair.connection.goOn()
                }
                if second.closed != nil { scenario.finish(owner.events) }
            }
            client.socket.startReading()
        }
        #expect(events == ["wait", "head /second", "sent 3"])
    }

    @Test("refuses a request that waits if it turns out to be malformed")
    func malformedWhileHeld() async throws {
        let (events, code) = try await Scenario<([String], HTTP2ErrorCode?)>.run { scenario, loop in
            let pair = try HTTP2Pair(on: loop)
            let (client, owner) = (pair.client, pair.owner)
            owner.holdsBack = true
            owner.answer = { stream, _ in stream.respond(0) }
            let request = Request(method: "POST", target: "/bad", authority: "shop.test")
            let writing = RequestWriting(framing: .length(5))
            let stream = try client.session.request(request, writing, ends: false)
            let bad = HTTP2StreamLog(try #require(stream), consumes: true)
            bad.stream.send(content: "abc".utf8.span)
            try bad.stream.end()
            let good = try client.request("/good")
            client.changed = {
                if owner.holdsBack, bad.closed != nil {
                    owner.holdsBack = false
                    pair.connection.goOn()
                }
                if good.closed != nil { scenario.finish((owner.events, bad.closed)) }
            }
            client.move()
            client.socket.startReading()
        }
        #expect(
            events == [
                "wait", "refused /bad length_mismatch", "gone 1", "head /good", "sent 3",
            ]
        )
        #expect(code == .protocolError)
    }

    @Test("is reset if its client reads nothing, once its exchanges are given up")
    func unread() async throws {
        let events = try await Scenario<[String]>.run { scenario, loop in
            let window = 16 << 20
            let limits = HTTP2Limits(
                firstWindow: window,
                streamWindow: window,
                connectionWindow: 16 * window
            )
            let pair = try HTTP2Pair(on: loop, client: limits)
            let (client, owner) = (pair.client, pair.owner)
            owner.patience = Microseconds(50_000)
            owner.answer = { stream, _ in stream.respond(Self.large) }
            for number in 0..<20 { _ = try client.request(ByteString("/\(number)")) }
            owner.closed = { scenario.finish($0) }
            client.move()
        }
        #expect(events.count == 21)
        #expect(events.last == "closed")
    }

    @Test("knows a stream that is cancelled without an error from one that ended")
    func cancelledWithoutError() async throws {
        let events = try await Scenario<[String]>.run { scenario, loop in
            let pair = try HTTP2Pair(on: loop, client: HTTP2Limits(streamWindow: 1000))
            let (client, owner) = (pair.client, pair.owner)
            owner.answer = { stream, path in stream.respond(path == "/cut" ? 5000 : 1) }
            let cut = try client.request("/cut", consumes: false)
            var last: HTTP2StreamLog?
            client.changed = {
                if cut.count >= 1000, cut.closed == nil {
                    cut.stream.reset(.noError)
                    last = try? client.request("/last")
                    client.move()
                }
                if last?.closed != nil { scenario.finish(owner.events) }
            }
            client.move()
            client.socket.startReading()
        }
        #expect(events == ["head /cut", "gone 1", "head /last", "sent 3"])
    }

    @Test("sends a client that takes nothing no more than fits, at any speed limit")
    func throttled() async throws {
        let sent = try await Scenario<Int>.run { scenario, loop in
            let pair = try HTTP2Pair(on: loop, client: HTTP2Limits(streamWindow: 20_000))
            let (client, owner) = (pair.client, pair.owner)
            let piece = [UInt8](repeating: 0x78, count: 16_384)
            var sent = 0
            owner.drained = { stream in
                while stream.id == 1, stream.isWritable, sent < 10 * Self.large {
                    stream.send(piece.span)
                    sent += piece.count
                }
            }
            owner.answer = { stream, path in
                let isStalled = path == "/stalled"
                stream.pace(bytesPerSecond: isStalled ? 100 * Self.large : 100_000)
                stream.respond(isStalled ? 1 : 18_000, ends: !isStalled)
                if isStalled { owner.drained(stream) }
            }
            _ = try client.request("/stalled", consumes: false)
            let slow = try client.request("/slow")
            // A tenth of a second passes until the limit allows the rest of it.
            client.changed = { if slow.closed != nil { scenario.finish(sent) } }
            client.move()
            client.socket.startReading()
        }
        #expect(sent >= 64 * 1024)
        #expect(sent < 200_000)
    }

    /// Frames for which a connection is ended: DATA of no stream, and too many PING frames.
    private static let violations: [[UInt8]] = [
        [0, 0, 1, 0, 0, 0, 0, 0, 0, 0x61],
        Array(repeatElement([0, 0, 8, 6] + [UInt8](repeating: 0, count: 13), count: 9).joined()),
    ]

    @Test("blames the client for what ends it", arguments: violations)
    func violation(_ frames: [UInt8]) async throws {
        let events = try await Scenario<[String]>.run { scenario, loop in
            var limits = HTTP2Limits()
            limits.frames.pings = 3
            let pair = try HTTP2Pair(on: loop, server: limits)
            let (client, owner) = (pair.client, pair.owner)
            owner.answer = { _, _ in client.socket.write(frames.span) }
            owner.closed = { scenario.finish($0) }
            _ = try client.request("/a")
            client.move()
            client.socket.startReading()
        }
        #expect(
            events == ["head /a", "failed 1 malformed_request", "violated malformed_request"]
        )
    }
}
