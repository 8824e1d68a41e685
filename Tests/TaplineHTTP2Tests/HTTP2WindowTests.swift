// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import Testing

/// Tests for the windows of streams, which grow while their content is taken.
@Suite
struct HTTP2WindowTests {
    private static let first = 16 * 1024
    private static let most = 256 * 1024

    /// Answers with content of a size.
    private static func respond(_ count: Int, to log: StreamLog) throws {
        try log.stream.send(Response(), ResponseWriting(framing: .chunked), ends: false)
        log.stream.send(content: [UInt8](repeating: 0x78, count: count).span)
        try log.stream.end()
    }

    @Test func `connections whose streams nobody reads get 2 MiB of credit each`() throws {
        for _ in 0..<4 {
            let limits = HTTP2Limits(connectionWindow: 32 << 20)
            let (client, server) = try Endpoint.pair(client: limits)
            client.consumes = false
            server.onRequest = { try Self.respond(500_000, to: $0) }
            let logs = try (0..<128).map { _ in try client.get() }
            client.exchange(with: server)
            #expect(logs.reduce(0) { $0 + $1.contentCount } == 2 << 20)
            #expect(logs.allSatisfy { $0.contentCount == Self.first })
        }
    }

    @Test func `streams that are read once and then not get 1 MiB more together`() throws {
        let limits = HTTP2Limits(connectionWindow: 32 << 20)
        let (client, server) = try Endpoint.pair(client: limits)
        client.consumes = false
        server.onRequest = { try Self.respond(500_000, to: $0) }
        let logs = try (0..<128).map { _ in try client.get() }
        client.exchange(with: server)
        for log in logs { log.stream.consumed(log.contentCount) }
        client.exchange(with: server)
        let waiting = logs.reduce(0) { $0 + $1.contentCount - Self.first }
        #expect(waiting > 2 << 20 && waiting <= 3 << 20)
    }

    @Test func `many streams get the whole window while all of them are read`() throws {
        let limits = HTTP2Limits(connectionWindow: 32 << 20)
        let (client, server) = try Endpoint.pair(client: limits)
        server.onRequest = { try Self.respond(4_000_000, to: $0) }
        let logs = try (0..<32).map { _ in try client.get() }
        for log in logs { log.keepsContent = false }
        var bytes: [UInt8] = []
        while logs.contains(where: { $0.contentCount < 3_000_000 }) {
            server.receive(client.output())
            bytes.removeAll(keepingCapacity: true)
            _ = server.session.takeOutput(into: &bytes)
            client.receive(bytes)
        }
        for log in logs { log.consumes = false }
        let counts = logs.map(\.contentCount)
        client.exchange(with: server)
        let windows = zip(logs, counts).map { $0.contentCount - $1 }
        #expect(windows.allSatisfy { $0 > Self.most / 2 - Self.first && $0 <= Self.most })
    }

    @Test func `the window grows to the limit while the content is taken`() throws {
        let (client, server) = try Endpoint.pair()
        server.onRequest = { try Self.respond(2_000_000, to: $0) }
        client.consumes = false
        let log = try client.get()
        var windows: [Int] = []
        while log.closed == nil, windows.count < 9 {
            let before = log.contentCount
            client.exchange(with: server)
            windows.append(log.contentCount - before)
            log.stream.consumed(log.contentCount - before)
        }
        #expect(windows.prefix(4) == [Self.first, 4 * Self.first, Self.most, Self.most])
    }

    @Test func `the window stays while a part of the content waits`() throws {
        let (client, server) = try Endpoint.pair()
        server.onRequest = { try Self.respond(500_000, to: $0) }
        client.consumes = false
        let log = try client.get()
        client.exchange(with: server)
        for _ in 0..<8 {
            log.stream.consumed(Self.first - 1)
            client.exchange(with: server)
        }
        let waiting = log.contentCount - 8 * (Self.first - 1)
        #expect(waiting <= Self.first)
    }

    @Test func `a peer that does not know our settings may use the default window`() throws {
        let server = try Endpoint(.server, HTTP2Limits(firstWindow: 4096))
        var frames = RawFrames()
        frames.headers(1, RawFrames.get, ends: false)
        for _ in 0..<3 { frames.data(1, [UInt8](repeating: 1, count: 16_000)) }
        server.receive(frames.bytes)
        _ = server.output()
        frames = RawFrames(preface: false)
        for _ in 0..<3 { frames.data(1, [UInt8](repeating: 1, count: 16_000)) }
        server.receive(frames.bytes)
        _ = server.output()
        #expect(server.failure == nil && server.session.failure == nil)
        #expect(server.streams.first?.contentCount == 96_000)
    }

    @Test func `a queue takes little until it was drained once`() throws {
        let (client, server) = try Endpoint.pair()
        let piece = [UInt8](repeating: 0x78, count: 8 * 1024)
        var amounts: [Int] = []
        server.onRequest = { log in
            log.onDrained = { [unowned log] in
                while log.stream.isWritable { log.stream.send(content: piece.span) }
                amounts.append(log.stream.pendingBytes)
            }
            try log.stream.send(Response(), ResponseWriting(framing: .chunked), ends: false)
            log.onDrained()
        }
        let log = try client.get()
        server.receive(client.output())
        #expect(amounts == [Self.first / 2])
        var bytes: [UInt8] = []
        _ = server.session.takeOutput(into: &bytes, limit: 1)
        #expect(amounts.last ?? 0 >= 64 * 1024)
        #expect(log.closed == nil)
    }
}
