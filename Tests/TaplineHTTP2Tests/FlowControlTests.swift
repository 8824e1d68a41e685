// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import Testing

/// Tests for credit, bounded queues, and the exact sizes of streams.
@Suite
struct HTTP2FlowControlTests {
    /// Sends content as long as the stream is writable, and goes on when it is drained.
    private static func pour(_ count: Int, into log: StreamLog) throws {
        let piece = [UInt8](repeating: 0x78, count: 16 * 1024)
        var remaining = count
        log.onDrained = { [unowned log] in
            while remaining > 0, log.stream.isWritable {
                let part = min(remaining, piece.count)
                log.stream.send(content: piece.span.extracting(0..<part))
                remaining -= part
            }
            if remaining == 0 { try? log.stream.end() }
        }
        try log.stream.send(Response(), ResponseWriting(framing: .chunked), ends: false)
        log.onDrained()
    }

    /// Limits whose streams begin with the whole window.
    private static let wide = HTTP2Limits(firstWindow: 256 * 1024)

    @Test func `100 MB pass with a bounded queue`() throws {
        let (client, server) = try Endpoint.pair()
        let count = 100_000_000
        server.onRequest = { try Self.pour(count, into: $0) }
        let log = try client.get()
        log.keepsContent = false
        var most = 0
        var bytes: [UInt8] = []
        while log.closed == nil {
            bytes.removeAll(keepingCapacity: true)
            _ = client.session.takeOutput(into: &bytes)
            server.receive(bytes)
            bytes.removeAll(keepingCapacity: true)
            _ = server.session.takeOutput(into: &bytes)
            most = max(most, (server.streams.first?.stream.pendingBytes ?? 0) + bytes.count)
            if bytes.isEmpty, log.closed == nil { break }
            client.receive(bytes)
        }
        #expect(log.contentCount == count)
        #expect(log.closed == .noError)
        #expect(most <= (64 + 16 + 64 + 17) * 1024)
        let sent = try #require(server.streams.first?.stream.sentBytes)
        #expect(sent.content == count)
        #expect(sent.body == log.stream.receivedBytes.body)
    }

    @Test func `a peer sends no more than the window of what was not consumed`() throws {
        let (client, server) = try Endpoint.pair(client: Self.wide)
        client.consumes = false
        server.onRequest = { try Self.pour(1_000_000, into: $0) }
        let log = try client.get()
        client.exchange(with: server)
        #expect(log.contentCount == 256 * 1024)
        #expect(log.closed == nil)
        while log.closed == nil, log.contentCount < 1_000_000 {
            let before = log.contentCount
            log.stream.consumed(200 * 1024)
            client.exchange(with: server)
            #expect(log.contentCount > before)
            #expect(log.contentCount <= before + 256 * 1024)
        }
        #expect(log.contentCount == 1_000_000)
        #expect(log.closed == .noError)
    }

    @Test func `a stream that is not consumed does not hold up others`() throws {
        let (client, server) = try Endpoint.pair(client: Self.wide)
        server.onRequest = { try Self.pour(600_000, into: $0) }
        client.consumes = false
        let slow = try client.get()
        client.consumes = true
        let quick = try client.get()
        client.exchange(with: server)
        #expect(slow.contentCount == 256 * 1024)
        #expect(quick.contentCount == 600_000)
        #expect(quick.closed == .noError)
        slow.consumes = true
        slow.stream.consumed(slow.contentCount)
        client.exchange(with: server)
        #expect(slow.contentCount == 600_000)
    }

    @Test func `credit of a closed stream returns to the connection`() throws {
        let (client, server) = try Endpoint.pair(client: Self.wide)
        server.onRequest = { try Self.pour(600_000, into: $0) }
        client.consumes = false
        for _ in 0..<20 {
            let log = try client.get()
            client.exchange(with: server)
            #expect(log.contentCount == 256 * 1024)
            log.stream.reset(.cancel)
            client.exchange(with: server)
            #expect(log.closed == .cancel)
        }
    }

    @Test func `content for a reset stream is discarded with its credit`() throws {
        let (client, server) = try Endpoint.pair()
        server.onRequest = { try Self.pour(600_000, into: $0) }
        for _ in 0..<20 {
            let log = try client.get()
            server.receive(client.output())
            let response = server.output()
            log.stream.reset(.cancel)
            client.receive(response)
            #expect(log.contentCount == 0)
            client.exchange(with: server)
        }
        let log = try client.get()
        client.exchange(with: server)
        #expect(log.contentCount == 600_000)
    }

    @Test func `both sides count the same bytes`() throws {
        let (client, server) = try Endpoint.pair()
        server.onRequest = {
            try $0.respond(String(repeating: "x", count: 40_000), trailers: ["a": "b"])
        }
        let log = try client.get(ends: false)
        log.stream.send(content: [UInt8](repeating: 1, count: 1000).span)
        try log.stream.end()
        client.exchange(with: server)
        let served = try #require(server.streams.first)
        #expect(log.stream.sentBytes == served.stream.receivedBytes)
        #expect(served.stream.sentBytes == log.stream.receivedBytes)
        let sent = log.stream.sentBytes
        #expect(sent.content == 1000)
        #expect(sent.body == 1009)
        #expect(sent.headers > 9 && sent.headers < sent.fields)
        let pseudo = ":methodGET:schemehttp:authorityshop.test:path/cart?x=1"
        #expect(sent.fields == pseudo.utf8.count + "accept*/*".utf8.count)
        #expect(served.request?.headerBytes == sent.headers)
        let received = log.stream.receivedBytes
        #expect(received.content == 40_000)
        #expect(received.body == 40_000 + 9 * 3)
    }

    @Test func `responses take turns, whatever the priorities of the client`() throws {
        let server = try Endpoint(.server)
        server.onRequest = {
            let isSmall = $0.request?.request.target == "/small"
            try $0.respond(String(repeating: "x", count: isSmall ? 5 : 500_000))
        }
        var frames = RawFrames(preface: true)
        frames.settings([(4, 10_000_000)])
        frames.frame(8, 0, 0, RawFrames.number(100_000_000))
        frames.headers(1, RawFrames.get + [("priority", "u=7")])
        frames.headers(3, RawFrames.get + [("priority", "u=0")])
        server.receive(frames.bytes)
        var output: [UInt8] = []
        _ = server.session.takeOutput(into: &output)
        frames = RawFrames(preface: false)
        let small = RawFrames.get.map { $0 == ":path" ? ($0, "/small") : ($0, $1) }
        frames.headers(5, small)
        server.receive(frames.bytes)
        output += server.output()
        let data = SentFrame.all(in: output).filter { $0.type == 0 && !$0.payload.isEmpty }
        let streams = data.map(\.stream)
        #expect(streams.count > 60)
        let changes = zip(streams, streams.dropFirst()).filter { $0 != $1 }.count
        #expect(changes > streams.count * 9 / 10)
        #expect(streams.firstIndex(of: 5) ?? .max < 12)
    }

    @Test func `a reset with an error replaces one that waits for the end`() throws {
        let (client, server) = try Endpoint.pair(client: HTTP2Limits(streamWindow: 1000))
        client.consumes = false
        server.onRequest = {
            try $0.stream.send(Response(), ResponseWriting(framing: .chunked), ends: false)
            $0.stream.send(content: [UInt8](repeating: 1, count: 1001).span)
            try $0.stream.end()
        }
        let log = try client.get(ends: false)
        client.exchange(with: server)
        let served = try #require(server.streams.first)
        served.stream.reset(.noError)
        client.exchange(with: server)
        #expect(log.contentCount == 1000)
        #expect(log.closed == nil && !served.stream.hasSentEnd)
        served.stream.reset(.internalError)
        client.exchange(with: server)
        #expect(log.closed == .internalError)
        #expect(served.closed == .internalError)
        #expect(server.session.activeStreams == 0)
    }

    @Test func `padding counts as content on the wire only`() throws {
        let server = try Endpoint(.server)
        var frames = RawFrames()
        frames.headers(1, RawFrames.get, ends: false)
        frames.frame(0, 9, 1, [4, 0x61, 0x62, 0, 0, 0, 0])
        server.receive(frames.bytes)
        let log = try #require(server.streams.first)
        #expect(log.content == [0x61, 0x62])
        #expect(log.stream.receivedBytes.content == 2)
        #expect(log.stream.receivedBytes.body == 16)
    }

    @Test func `any pieces of the input give the same messages`() throws {
        var frames = RawFrames()
        frames.headers(1, RawFrames.get + [("cookie", "a=1"), ("cookie", "b=2")], ends: false)
        frames.data(1, Array("some content".utf8))
        frames.headers(
            3,
            RawFrames.get + [("x", String(repeating: "y", count: 300))],
            endsHeaders: false
        )
        frames.frame(9, 4, 3, RawFrames.block([("last", "z")]))
        frames.data(1, [], ends: true)
        for size in [1, 2, 3, 7, 64, 1000] {
            let server = try Endpoint(.server)
            var position = 0
            while position < frames.bytes.count {
                let end = min(position + size, frames.bytes.count)
                server.receive(Array(frames.bytes[position..<end]))
                position = end
            }
            #expect(server.failure == nil)
            #expect(server.streams.count == 2, "pieces of \(size)")
            let first = try #require(server.streams.first)
            #expect(first.content == Array("some content".utf8))
            #expect(first.trailers == FieldSection())
            #expect(first.request?.request.fields == ["cookie": "a=1; b=2"])
            let second = try #require(server.streams.last?.request)
            #expect(second.request.fields.count == 2)
            #expect(second.request.fields.first("last") == "z")
            #expect(second.headerBytes == 18 + RawFrames.block(RawFrames.get).count + 304 + 3 + 7)
        }
    }
}
