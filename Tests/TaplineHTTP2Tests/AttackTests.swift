// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import Testing

/// Tests for peers that cause work and send nothing: the connection ends after bounded work.
@Suite
struct HTTP2AttackTests {
    /// A flood: how its frames are written, for which role, and the code that ends the connection.
    struct Flood: Sendable, CustomTestStringConvertible {
        let name: String
        let roles: [HTTP2Session.Role]
        let write: @Sendable (inout RawFrames, Int) -> Void
        var testDescription: String { name }
    }

    static let floods: [Flood] = [
        Flood(name: "rapid reset", roles: [.server]) { frames, index in
            frames.headers(2 * index + 1, RawFrames.get)
            frames.reset(2 * index + 1)
        },
        Flood(name: "resets caused by errors of the peer", roles: [.server]) { frames, index in
            frames.headers(2 * index + 1, RawFrames.get, ends: false)
            frames.frame(8, 0, 2 * index + 1, RawFrames.number(0))
        },
        Flood(name: "malformed requests", roles: [.server]) { frames, index in
            frames.headers(2 * index + 1, RawFrames.get + [("te", "x")])
        },
        Flood(name: "ping", roles: [.server, .client]) { frames, _ in
            frames.frame(6, 0, 0, [UInt8](repeating: 0, count: 8))
        },
        Flood(name: "answers to no ping", roles: [.server, .client]) { frames, _ in
            frames.frame(6, 1, 0, [UInt8](repeating: 0, count: 8))
        },
        Flood(name: "settings", roles: [.server, .client]) { frames, _ in frames.settings() },
        Flood(name: "large settings", roles: [.server, .client]) { frames, _ in
            frames.settings((0..<30).map { (4, 1000 + $0) })
        },
        Flood(name: "priority", roles: [.server, .client]) { frames, index in
            frames.frame(2, 0, 2 * index + 1, RawFrames.number(0) + [15])
        },
        Flood(name: "window updates", roles: [.server, .client]) { frames, _ in
            frames.frame(8, 0, 0, RawFrames.number(1))
        },
        Flood(name: "empty content", roles: [.server]) { frames, index in
            if index == 0 { frames.headers(1, RawFrames.get, ends: false) }
            frames.data(1, [])
        },
        Flood(name: "content of padding", roles: [.server]) { frames, index in
            if index == 0 { frames.headers(1, RawFrames.get, ends: false) }
            frames.frame(0, 8, 1, [3, 0, 0, 0])
        },
        Flood(name: "continuations", roles: [.server]) { frames, index in
            if index == 0 { frames.headers(1, RawFrames.get, endsHeaders: false) }
            frames.frame(9, 0, 1, RawFrames.block([("x", "y")]))
        },
        Flood(name: "empty continuations", roles: [.server]) { frames, index in
            if index == 0 { frames.headers(1, RawFrames.get, endsHeaders: false) }
            frames.frame(9, 0, 1)
        },
    ]

    @Test(arguments: floods)
    func `a flood ends the connection after bounded work`(_ flood: Flood) throws {
        for role in flood.roles {
            let victim = try Endpoint(role)
            victim.receive(RawFrames(preface: role == .server).bytes)
            if role == .client {
                var settings = RawFrames(preface: false)
                settings.settings()
                victim.receive(settings.bytes)
            }
            var index = 0
            var output = 0
            while victim.failure == nil, !victim.session.isFinished, index < 20_000 {
                var frames = RawFrames(preface: false)
                for _ in 0..<100 {
                    flood.write(&frames, index)
                    index += 1
                }
                victim.receive(frames.bytes)
                output += victim.output().count
            }
            #expect(index <= 5000, "\(flood.name) of \(role)")
            #expect(victim.session.failure != nil, "\(flood.name) of \(role)")
            #expect(victim.session.activeStreams == 0)
            #expect(output < 256 * 1024)
            #expect(victim.session.isFinished)
        }
    }

    @Test func `floods that are not answered end the connection too`() throws {
        let victim = try Endpoint(.server)
        var frames = RawFrames()
        for _ in 0..<3000 { frames.frame(6, 0, 0, [UInt8](repeating: 0, count: 8)) }
        victim.receive(frames.bytes)
        #expect(victim.failure?.code == .enhanceYourCalm)
        #expect(victim.output().count < 64 * 1024)
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
        for _ in 0..<3000 { frames.frame(6, 0, 0, [UInt8](repeating: 0, count: 8)) }
        victim.receive(frames.bytes)
        #expect(victim.failure?.code == .enhanceYourCalm)
        let sent = SentFrame.all(in: victim.output())
        #expect(sent.contains { $0.code == .enhanceYourCalm })
        #expect(!sent.contains { $0.type == 0 && $0.flags & 1 == 1 })
        #expect(victim.session.isFinished)
    }

    @Test func `a compression bomb costs no more memory than the limit`() throws {
        let victim = try Endpoint(.server)
        var frames = RawFrames()
        // One field of 3,000 bytes in the table, then 16,000 references to it of one byte each.
        let value = String(repeating: "y", count: 3000)
        var block = RawFrames.block(RawFrames.get)
        block += [0x40] + RawFrames.text("bomb") + RawFrames.text(value)
        frames.frame(1, 5, 1, block)
        for stream in 1..<20 {
            frames.frame(1, 5, 2 * stream + 1, [UInt8](repeating: 0xBE, count: 16_000))
        }
        victim.receive(frames.bytes)
        #expect(victim.streams.count == 1)
        #expect(victim.refusals.count == 19)
        #expect(victim.refusals.allSatisfy { $0.error.name == "head_too_large" })
        _ = victim.output()
        #expect(victim.session.activeStreams == 1)
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

    @Test func `a peer that gives no credit costs one piece of content a stream`() throws {
        let victim = try Endpoint(.server)
        var frames = RawFrames()
        frames.settings([(4, 0)])
        for index in 0..<20 { frames.headers(2 * index + 1, RawFrames.get) }
        victim.onRequest = { log in
            try log.stream.send(Response(), ResponseWriting(framing: .chunked), ends: false)
            let piece = [UInt8](repeating: 0, count: 16 * 1024)
            while log.stream.isWritable { log.stream.send(content: piece.span) }
        }
        victim.receive(frames.bytes)
        let sent = SentFrame.all(in: victim.output())
        #expect(!sent.contains { $0.type == 0 })
        #expect(victim.streams.map(\.stream.pendingBytes).allSatisfy { $0 == 16 * 1024 })
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
