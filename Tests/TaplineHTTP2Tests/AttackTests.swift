// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import Testing

/// Tests for peers that cause work and send nothing: the connection ends after bounded work.
@Suite
struct HTTP2AttackTests {
    private static let roles = [HTTP2Session.Role.server, .client]

    @Test(
        arguments: Flood.all,
        [(HTTP2Session.Role.server, true), (.server, false), (.client, true), (.client, false)]
    )
    func `a flood ends the connection after bounded work, and the error names the limit`(
        _ flood: Flood,
        _ peer: (victim: HTTP2Session.Role, reads: Bool)
    ) throws {
        let (victim, cost) = try flood.send(to: peer.victim, reads: peer.reads)
        #expect(cost.frames <= flood.limit.value + 200)
        #expect(cost.output < 256 * 1024)
        #expect(cost.time < 5_000_000)
        let limit = "'\(flood.limit.option): \(flood.limit.value)'"
        let message = victim.session.failure?.message ?? "no failure"
        #expect(
            message.hasPrefix("the peer ") && message.hasSuffix(" than \(limit) allows"),
            "\(message)"
        )
        #expect(victim.session.failure?.code == .enhanceYourCalm)
        #expect(victim.failure == victim.session.failure)
        #expect(victim.session.activeStreams == 0)
        #expect(victim.session.isFinished)
    }

    /// In a process of its own, since other tests need memory.
    @Test func `floods cost little memory`() async {
        await #expect(processExitsWith: .success) {
            // The first one loads what is loaded once.
            let before = try Flood.all[0].send(to: .server, reads: true).cost.memory
            #expect(before < 1 << 30)
            for flood in Flood.all {
                for role in Self.roles {
                    for reads in [true, false] {
                        let memory = try flood.send(to: role, reads: reads).cost.memory
                        #expect(memory - before < 8 << 20, "\(flood.name) of \(role)")
                    }
                }
            }
        }
    }

    @Test(arguments: roles)
    func `acknowledgements that wait do not cut a budget short`(
        _ role: HTTP2Session.Role
    ) throws {
        var limits = HTTP2Limits()
        limits.frames.pings = 5000
        limits.frames.settings = 3000
        let victim = try Endpoint(role, limits)
        var frames = RawFrames(preface: role == .server)
        for _ in 0..<2990 { frames.settings() }
        for _ in 0..<5000 { frames.ping() }
        victim.receive(frames.bytes)
        #expect(victim.failure == nil)
        frames = RawFrames(preface: false)
        frames.ping()
        victim.receive(frames.bytes)
        let message = "the peer sent more PING frames than 'max_pings: 5000' allows"
        #expect(victim.failure == HTTP2Failure(.enhanceYourCalm, message))
    }

    @Test(arguments: roles)
    func `a peer that reads nothing causes no acknowledgements without end`(
        _ role: HTTP2Session.Role
    ) throws {
        let victim = try Endpoint(role)
        var first = RawFrames(preface: role == .server)
        if role == .client { first.settings() }
        victim.receive(first.bytes)
        var count = 0
        while victim.failure == nil, count < 5000 {
            // Time pays for them.
            victim.session.time += 1
            var frames = RawFrames(preface: false)
            for _ in 0..<30 { frames.ping() }
            count += 30
            victim.receive(frames.bytes)
        }
        #expect(count <= 1100 + 30)
        let message =
            "the peer reads no acknowledgements, and more wait than 'max_pings: 1000' and "
            + "'max_settings: 100' allow"
        #expect(victim.failure == HTTP2Failure(.enhanceYourCalm, message))
    }

    @Test func `a connection that fails ends no message that it discards`() throws {
        let victim = try Endpoint(.server)
        victim.onRequest = { log in
            try log.stream.send(Response(), ResponseWriting(framing: .chunked), ends: false)
            log.stream.send(content: [UInt8](repeating: 0x61, count: 100_000).span)
            try log.stream.end()
        }
        var frames = RawFrames()
        for index in 0..<20 { frames.headers(2 * index + 1, RawFrames.get) }
        victim.receive(frames.bytes)
        var output: [UInt8] = []
        _ = victim.session.takeOutput(into: &output, limit: 1)
        #expect(SentFrame.all(in: output).contains { $0.type == 0 })
        // Nobody retains the streams when nghttp2 goes on with them.
        victim.streams.removeAll()
        frames = RawFrames(preface: false)
        for _ in 0..<3000 { frames.ping() }
        victim.receive(frames.bytes)
        #expect(victim.failure?.code == .enhanceYourCalm)
        let sent = SentFrame.all(in: victim.output())
        #expect(sent.contains { $0.code == .enhanceYourCalm })
        #expect(!sent.contains { $0.type == 0 && $0.flags & 1 == 1 })
        #expect(victim.session.isFinished)
    }

    @Test(arguments: roles)
    func `a compression bomb is refused before it is decoded`(
        _ role: HTTP2Session.Role
    ) throws {
        let victim = try Endpoint(role)
        var frames = RawFrames(preface: role == .server)
        if role == .client {
            frames.settings()
            for _ in 0..<20 { try victim.get() }
            _ = victim.output()
        }
        frames.frame(1, 4, 1, RawFrames.bomb(role))
        for stream in 1..<20 {
            frames.frame(1, 5, 2 * stream + 1, [UInt8](repeating: 0xBE, count: 16_000))
        }
        victim.receive(frames.bytes)
        let errors =
            role == .server
            ? victim.refusals.map(\.error) : victim.streams.compactMap(\.error)
        #expect(errors.map(\.name) == [String](repeating: "head_too_large", count: 19))
        _ = victim.output()
        #expect(victim.session.activeStreams == 1)
        #expect(victim.failure == nil)
    }

    @Test func `many large heads in one piece are delivered in time`() throws {
        let victim = try Endpoint(.server)
        var frames = RawFrames()
        var block = RawFrames.block(RawFrames.get)
        let value = String(repeating: "y", count: 3900)
        block += [0x40] + RawFrames.text("big") + RawFrames.text(value)
        frames.frame(1, 5, 1, block)
        for stream in 1..<100 {
            let references = [UInt8](repeating: 0xBE, count: 10)
            frames.frame(1, 5, 2 * stream + 1, RawFrames.block(RawFrames.get) + references)
        }
        victim.receive(frames.bytes)
        #expect(victim.streams.count == 100)
        #expect(victim.streams.last?.request?.request.fields.count == 10)
        #expect(victim.streams.last?.request?.request.fields.first("big")?.count == 3900)
    }

    @Test func `streams beyond the limit are refused before they cost anything`() throws {
        var limits = HTTP2Limits()
        limits.streams = 10
        let victim = try Endpoint(.server, limits)
        _ = victim.output()
        var frames = RawFrames()
        for index in 0..<50 { frames.headers(2 * index + 1, RawFrames.get, ends: false) }
        victim.receive(frames.bytes)
        #expect(victim.streams.count == 10)
        let sent = SentFrame.all(in: victim.output())
        #expect(sent.count { $0.code == .refusedStream } == 40)
    }

    /// The memory is that of the queues, which also hold what is sent.
    @Test(arguments: roles)
    func `a peer that gives no credit costs one piece of content a stream`(
        _ role: HTTP2Session.Role
    ) throws {
        let victim = try Endpoint(role)
        func fill(_ log: StreamLog) {
            let piece = [UInt8](repeating: 0, count: 16 * 1024)
            while log.stream.isWritable { log.stream.send(content: piece.span) }
        }
        victim.onRequest = { log in
            try log.stream.send(Response(), ResponseWriting(framing: .chunked), ends: false)
            fill(log)
        }
        var frames = RawFrames(preface: role == .server)
        frames.settings([(4, 0)])
        for index in 0..<100 where role == .server { frames.headers(2 * index + 1, RawFrames.get) }
        victim.receive(frames.bytes)
        for _ in 0..<100 where role == .client { fill(try victim.get(ends: false)) }
        let sent = SentFrame.all(in: victim.output())
        #expect(sent.count { $0.type == 1 } == 100)
        #expect(!sent.contains { $0.type == 0 })
        #expect(
            victim.streams.map(\.stream.pendingBytes) == [Int](repeating: 16 * 1024, count: 100)
        )
    }

    @Test func `a pushed stream ends the connection`() throws {
        let (client, _) = try Endpoint.pair()
        let log = try client.get()
        _ = client.output()
        var frames = RawFrames(preface: false)
        frames.frame(5, 4, 1, RawFrames.number(2) + RawFrames.block(RawFrames.get))
        client.receive(frames.bytes)
        let sent = SentFrame.all(in: client.output())
        #expect(sent.last?.type == 7)
        #expect(sent.last?.code == .protocolError)
        #expect(client.session.isFinished)
        #expect(log.closed == .protocolError)
    }

    @Test func `a connection without the preface ends`() throws {
        let server = try Endpoint(.server)
        server.receive(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        #expect(server.failure?.code == .protocolError)
        #expect(SentFrame.all(in: server.output()).last?.code == .protocolError)
        #expect(server.session.isFinished)
    }
}
