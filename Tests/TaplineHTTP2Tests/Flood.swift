// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import TaplineSystem
import Testing

/// A peer that causes work and sends nothing, as a client and as a server.
struct Flood: Sendable, CustomTestStringConvertible {
    /// What the victim does for the peer.
    enum Service: Sendable {
        /// Nothing; a client has one request open.
        case none
        /// A client sends a request for each frame of the flood.
        case requests
        /// It sends content, as far as it gets credit: a server its response, a client its request.
        case content
    }

    let name: String
    var service = Service.none
    /// The option that is exceeded, and its value.
    let limit: (option: String, value: Int)
    /// How many frames of the flood arrive together.
    var batch = 100
    /// Writes the frames with an index; the first ones may prepare the others.
    let write: @Sendable (inout RawFrames, Int, HTTP2Session.Role) -> Void

    var testDescription: String { name }
}

extension Flood {
    /// What a flood has cost its victim.
    struct Cost {
        /// The number of frames of the flood until the connection has ended.
        var frames = 0
        /// The number of bytes that were sent.
        var output = 0
        /// The processor time in microseconds.
        var time: Int64 = 0
        /// The resident memory of the process at most, in bytes.
        var memory = 0
    }

    /// Sends the flood until the connection has ended, at most ten times what the limit allows.
    ///
    /// - Parameters:
    ///   - role: The victim.
    ///   - reads: Whether the peer takes what the victim sends.
    /// - Returns: The victim, and what the flood has cost it.
    /// - Throws: If the victim cannot send what it should.
    func send(to role: HTTP2Session.Role, reads: Bool) throws -> (victim: Endpoint, cost: Cost) {
        let victim = try victim(role)
        var cost = Cost()
        let begun = ThreadClock.microseconds
        while victim.failure == nil, victim.session.failure == nil,
            cost.frames < 10 * limit.value + 1000
        {
            var frames = RawFrames(preface: false)
            for _ in 0..<batch {
                if service == .requests, role == .client { try victim.get() }
                write(&frames, cost.frames, role)
                cost.frames += 1
            }
            // Requests have to be sent before they can be answered.
            let takes = reads || service == .requests && role == .client
            if takes { cost.output += victim.output().count }
            victim.receive(frames.bytes)
            if takes { cost.output += victim.output().count }
            if cost.frames % 100 == 0 {
                cost.memory = max(cost.memory, ProcessFigures().residentMemory ?? .max)
            }
            // The session knows those that are open.
            victim.streams.removeAll()
        }
        cost.output += victim.output().count
        cost.time = ThreadClock.microseconds - begun
        return (victim, cost)
    }

    private func victim(_ role: HTTP2Session.Role) throws -> Endpoint {
        let victim = try Endpoint(role)
        let content = [UInt8](repeating: 0x61, count: 20_000)
        if service == .content {
            victim.onRequest = {
                try $0.stream.send(Response(), ResponseWriting(framing: .chunked), ends: false)
                $0.stream.send(content: content.span)
            }
        }
        var frames = RawFrames(preface: role == .server)
        if role == .client { frames.settings() }
        // The peer gives credit for none of the content.
        if service == .content { frames.settings([(4, 0)]) }
        victim.receive(frames.bytes)
        if role == .client, service != .requests {
            let log = try victim.get(ends: service == .none)
            if service == .content { log.stream.send(content: content.span) }
            _ = victim.output()
        }
        return victim
    }
}

extension Flood {
    static let all = messages + control + content + heads

    private static let messages: [Flood] = [
        Flood(name: "rapid reset", service: .requests, limit: ("max_resets", 1000)) {
            frames,
            index,
            role in
            if role == .server { frames.headers(2 * index + 1, RawFrames.get) }
            frames.reset(2 * index + 1)
        },
        Flood(name: "resets because of errors", service: .requests, limit: ("max_resets", 1000)) {
            frames,
            index,
            role in
            if role == .server { frames.head(2 * index + 1, role) }
            // More credit than there may be (RFC 9113 §6.9.1).
            frames.frame(8, 0, 2 * index + 1, RawFrames.number(0x7FFF_FFFF))
        },
        Flood(name: "malformed messages", service: .requests, limit: ("max_resets", 1000)) {
            frames,
            index,
            role in
            frames.head(2 * index + 1, role, [("te", "x")])
        },
        Flood(name: "compression bombs", service: .requests, limit: ("max_resets", 1000)) {
            frames,
            index,
            role in
            guard index > 0 else {
                return frames.frame(1, 5, 1, RawFrames.bomb(role))
            }
            // References of one byte to a field of 3,000.
            frames.frame(1, 5, 2 * index + 1, [UInt8](repeating: 0xBE, count: 4000))
        },
    ]

    private static let control: [Flood] = [
        Flood(name: "ping", limit: ("max_pings", 1000)) { frames, _, _ in frames.ping() },
        Flood(name: "answers to no ping", limit: ("max_pings", 1000)) { frames, _, _ in
            frames.ping(flags: 1)
        },
        Flood(name: "settings", limit: ("max_settings", 100)) { frames, _, _ in frames.settings() },
        Flood(name: "large settings", limit: ("max_settings", 100)) { frames, _, _ in
            frames.settings((0..<30).map { (4, 1000 + $0) })
        },
        Flood(name: "priority", limit: ("max_priorities", 1000)) { frames, index, _ in
            frames.frame(2, 0, 2 * index + 1, RawFrames.number(0) + [15])
        },
        Flood(name: "window updates", limit: ("max_window_updates", 4000)) { frames, _, _ in
            frames.frame(8, 0, 0, RawFrames.number(1))
        },
    ]

    private static let content: [Flood] = [
        Flood(name: "empty content", limit: ("max_empty_frames", 100)) { frames, index, role in
            if index == 0 { frames.head(1, role) }
            frames.data(1, [])
        },
        Flood(name: "content of padding", limit: ("max_empty_frames", 100)) { frames, index, role in
            if index == 0 { frames.head(1, role) }
            frames.frame(0, 8, 1, [3, 0, 0, 0])
        },
        Flood(
            name: "slow reads",
            service: .content,
            limit: ("max_window_updates", 4000),
            batch: 1
        ) { frames, index, role in
            if index == 0, role == .server { frames.head(1, role) }
            frames.frame(8, 0, 1, RawFrames.number(1))
        },
    ]

    private static let heads: [Flood] = [
        Flood(name: "empty heads", service: .requests, limit: ("max_empty_frames", 100)) {
            frames,
            index,
            _ in
            frames.frame(1, 4, 2 * index + 1)
        },
        Flood(name: "continuations", limit: ("max_continuations", 8)) { frames, index, role in
            if index == 0 { frames.head(1, role, endsHeaders: false) }
            frames.frame(9, 0, 1, RawFrames.block([("x", "y")]))
        },
        Flood(name: "empty continuations", limit: ("max_continuations", 8)) { frames, index, role in
            if index == 0 { frames.head(1, role, endsHeaders: false) }
            frames.frame(9, 0, 1)
        },
    ]
}

extension RawFrames {
    /// Writes the head of a request to a server, or that of a response to a client.
    fileprivate mutating func head(
        _ stream: Int,
        _ role: HTTP2Session.Role,
        _ fields: [(String, String)] = [],
        endsHeaders: Bool = true
    ) {
        let head = role == .server ? Self.get : Self.ok
        headers(stream, head + fields, ends: false, endsHeaders: endsHeaders)
    }

    mutating func ping(flags: UInt8 = 0) {
        frame(6, flags, 0, [UInt8](repeating: 0, count: 8))
    }

    /// The fields of a small response.
    static let ok = [(":status", "200")]

    /// The head of a valid message with a field of 3,000 bytes, which becomes the first one of the
    /// table (RFC 7541 §6.2.1): `0xBE` refers to it.
    static func bomb(_ role: HTTP2Session.Role) -> [UInt8] {
        let value = String(repeating: "y", count: 3000)
        return block(role == .server ? get : ok) + [0x40] + text("bomb") + text(value)
    }
}
