// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import TaplineNet
import Testing

/// Tests for responses that are complete before their requests.
@Suite("An early response over HTTP/2")
struct HTTP2EarlyResponseTests {
    /// What a client does once it has the response.
    enum Behaviour: CaseIterable {
        case ends, resets, nothing
    }

    /// The types of HEADERS and RST_STREAM.
    private static let (head, reset): (UInt8, UInt8) = (1, 3)

    @Test(
        "is followed by a reset only if the client does not end its request in time",
        arguments: Behaviour.allCases
    )
    func order(_ behaviour: Behaviour) async throws {
        typealias Result = (frames: [UInt8], code: HTTP2ErrorCode, events: [String])
        let result = try await Scenario<Result>.run { scenario, loop in
            let isWaiting = behaviour == .nothing
            let pair = try HTTP2Pair(on: loop, idle: Microseconds(isWaiting ? 30_000 : 60_000_000))
            let (client, owner) = (pair.client, pair.owner)
            let upload = try client.request("/upload", ends: false)
            upload.stream.send(content: "part".utf8.span)
            owner.answer = { stream, _ in stream.respond(0) }
            var hasAnswered = false
            client.changed = {
                if upload.hasEnded, !hasAnswered {
                    hasAnswered = true
                    // More than half of the window, for which there would be credit.
                    upload.stream.send(content: [UInt8](repeating: 1, count: 12_000).span)
                    if behaviour == .ends { try? upload.stream.end() }
                    client.move()
                    if behaviour == .resets { upload.stream.reset(.cancel) }
                    // Answered after what was sent before.
                    _ = try? client.request("/last")
                    client.move()
                }
                let frames = client.frames.filter { $0.stream == 1 }.map(\.type)
                let isLast = owner.events.contains("sent 3")
                if isLast, let code = upload.closed {
                    scenario.finish((frames, code, owner.events))
                }
            }
            client.move()
            client.socket.startReading()
        }
        let isReset = behaviour == .nothing
        #expect(result.frames == (isReset ? [Self.head, Self.reset] : [Self.head]))
        #expect(result.code == (behaviour == .resets ? .cancel : .noError))
        #expect(result.events.prefix(2) == ["head /upload", "sent 1"])
        #expect(result.events.filter { $0.hasSuffix(" 1") } == ["sent 1"])
        #expect(result.events.suffix(2) == ["head /last", "sent 3"])
    }

    @Test("is sent beside a large response")
    func besideOthers() async throws {
        let total = 8_000_000
        let count = try await Scenario<Int>.run { scenario, loop in
            let window = 16 << 20
            let limits = HTTP2Limits(
                firstWindow: window,
                streamWindow: window,
                connectionWindow: 2 * window
            )
            let pair = try HTTP2Pair(on: loop, client: limits)
            let client = pair.client
            pair.owner.answer = { stream, path in stream.respond(path == "/large" ? total : 0) }
            let download = try client.request("/large")
            let upload = try client.request("/upload", ends: false)
            upload.stream.send(content: "part".utf8.span)
            client.changed = { if upload.hasEnded { scenario.finish(download.count) } }
            client.move()
            client.socket.startReading()
        }
        #expect(count < total / 2)
    }

    @Test("is followed by a reset at once if the connection drains", arguments: [false, true])
    func draining(isBefore: Bool) async throws {
        typealias Result = (code: HTTP2ErrorCode, events: [String])
        let result = try await Scenario<Result>.run { scenario, loop in
            let pair = try HTTP2Pair(on: loop)
            let (client, owner) = (pair.client, pair.owner)
            let grace = Microseconds(60_000_000)
            let upload = try client.request("/upload", ends: false)
            owner.answer = { stream, _ in
                if isBefore { pair.connection.drain(grace: grace) }
                stream.respond(0)
            }
            client.changed = {
                if upload.hasEnded { pair.connection.drain(grace: grace) }
                if let code = upload.closed { scenario.finish((code, owner.events)) }
            }
            client.move()
            client.socket.startReading()
        }
        #expect(result.code == .noError)
        #expect(result.events == ["head /upload", "sent 1"])
    }

    @Test("costs the client none of its resets")
    func budget() async throws {
        let count = 200
        let events = try await Scenario<[String]>.run { scenario, loop in
            var limits = HTTP2Limits()
            limits.frames.resets = 5
            let pair = try HTTP2Pair(on: loop, server: limits)
            let (client, owner) = (pair.client, pair.owner)
            owner.answer = { stream, _ in stream.respond(0) }
            owner.closed = { scenario.finish($0) }
            var upload: HTTP2StreamLog?
            var left = count
            client.changed = {
                guard upload == nil || upload?.hasEnded == true else { return }
                upload?.stream.reset(.cancel)
                left -= 1
                guard left >= 0 else { return scenario.finish(owner.events) }
                upload = try? client.request("/upload", ends: false)
                client.move()
            }
            client.socket.startReading()
        }
        #expect(events.filter { $0.hasPrefix("sent") }.count == count)
        #expect(events.count == 2 * count)
    }
}
