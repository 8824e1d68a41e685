// SPDX-License-Identifier: MIT

import Synchronization
import TaplineCodings
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import Testing

@testable import ProxySource

private final class Unlimited: CaptureMemory {
    func hold(_ count: Int) -> Bool { true }
    func release(_ count: Int) {}
}

@Suite("Event streams")
struct EventCaptureTests {
    private static let codings: [ContentCoding] = [.identity, .gzip, .deflate, .brotli, .zstd]

    private static let pieces = [
        ": hello\n\nretry: 10\nid: 1\nevent: start\ndata: {\"a\":1}\n\n",
        "data: two\ndata: lines\n\n", "id\nevent: end\ndata: ü\n\ndata: not whole",
    ]

    private static func lines(_ messages: [StreamMessage]) -> [String] {
        messages.map {
            let text = String(decoding: $0.bytes, as: UTF8.self)
            return "\($0.type) \($0.event)/\($0.eventID) \(text)\($0.isTruncated ? "…" : "")"
        }
    }

    private static let expected = [
        "event start/1 {\"a\":1}", "event /1 two\nlines", "event end/ ü",
    ]

    @Test("are recorded event by event in addition to the body, in each coding", arguments: codings)
    func events(_ coding: ContentCoding) async throws {
        let origin = try EventOrigin(Self.pieces, coding: coding, pause: 0.05)
        let proxy = await ProxyHarness.start()
        let output = try await proxy.curl("--compressed", origin.url)
        let (_, exchanges) = await proxy.stop()
        let exchange = try #require(exchanges.first)
        if ![.brotli, .zstd].contains(coding) { #expect(output == Self.pieces.joined()) }
        #expect(Self.lines(exchange.messages) == Self.expected)
        #expect(exchange.messages.allSatisfy { $0.direction == .down })
        #expect(exchange.messages.map(\.size) == [53, 23, 24])
        let times = exchange.messages.compactMap(\.at?.count)
        #expect(times.count == 3 && times[1] - times[0] > 20_000 && times[2] - times[1] > 20_000)
        #expect(exchange.timing.firstEvent?.count == times[0])
        #expect(times[0] < exchange.timing.total?.count ?? 0)
        #expect(exchange.tags.isEmpty && exchange.state == .completed)
        let sent = try EventOrigin.coded(Self.pieces, coding).flatMap { $0 }
        #expect(exchange.response?.body.bytes == sent)
        #expect(exchange.response?.body.size == sent.count)
    }

    @Test("of another type are only bodies", arguments: ["text/plain", "text/event-streams", ""])
    func otherTypes(_ type: String) async throws {
        let origin = try EventOrigin(Self.pieces, type: type)
        let proxy = await ProxyHarness.start()
        _ = try await proxy.curl(origin.url)
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.first?.messages.isEmpty == true)
        #expect(exchanges.first?.timing.firstEvent == nil)
    }

    @Test("of 10,000 events take bounded memory, and further events are counted")
    func bounded() async throws {
        let word = String(repeating: "x", count: 200)
        let token = "data: {\"choices\":[{\"delta\":{\"content\":\"\(word)\"}}]}"
        let origin = try EventOrigin(
            (0..<10_000).map { "event: delta\nid: \($0)\n\(token)\n\n" },
            coding: .gzip
        )
        var settings = ProxySettings()
        settings.maxMessages = 5000
        let proxy = await ProxyHarness.start(settings, captureMaxBytes: 256 << 10)
        _ = try await proxy.curl("-o", "/dev/null", origin.url)
        let (report, exchanges) = await proxy.stop()
        let exchange = try #require(exchanges.first)
        let kept = exchange.messages.reduce(0) { $0 + $1.bytes.count }
        #expect(exchange.messages.count < 2000 && kept <= 256 << 10)
        #expect(exchange.messages.last?.isTruncated == true)
        let uncaptured = 10_000 - exchange.messages.count
        #expect(exchange.tags["tapline.messages"] == "\(uncaptured) more were not kept")
        #expect(report.peakMemory < 2 << 20)
        #expect(exchange.state == .completed)
    }

    @Test("are counted beyond max_messages")
    func countLimit() async throws {
        let origin = try EventOrigin((0..<50).map { "data: \($0)\n\n" })
        var settings = ProxySettings()
        settings.maxMessages = 7
        let proxy = await ProxyHarness.start(settings)
        _ = try await proxy.curl(origin.url)
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.first?.messages.count == 7)
        #expect(exchanges.first?.tags == ["tapline.messages": "43 more were not kept"])
    }

    @Test("pass unchanged if they cannot be decoded", arguments: ["gzip", "gzip, gzip", "x"])
    func damaged(_ coding: String) async throws {
        let origin = try EventOrigin(
            Self.pieces,
            type: "text/event-stream\r\nContent-Encoding: \(coding)"
        )
        let proxy = await ProxyHarness.start()
        let output = try await proxy.curl("--raw", origin.url)
        let (_, exchanges) = await proxy.stop()
        #expect(output.contains("data: not whole"))
        #expect(exchanges.first?.messages.isEmpty == true)
        #expect(exchanges.first?.tags == ["tapline.events": "coding"])
        #expect(exchanges.first?.state == .completed)
    }

    @Test("are not read beyond max_decoded_message")
    func bomb() async throws {
        let origin = try EventOrigin(
            ["data: a\n\n", "data: " + String(repeating: "x", count: 100_000) + "\n\n"],
            coding: .gzip
        )
        var settings = ProxySettings()
        settings.maxDecodedMessage = 50_000
        let proxy = await ProxyHarness.start(settings)
        _ = try await proxy.curl(origin.url)
        let (_, exchanges) = await proxy.stop()
        let exchange = try #require(exchanges.first)
        #expect(Self.lines(exchange.messages) == ["event / a"])
        #expect(exchange.tags == ["tapline.events": "max_decoded_message"])
    }

    @Test("are read alike, however they are split", arguments: codings, [1, 2, 7, 1000])
    func pieces(_ coding: ContentCoding, _ count: Int) throws {
        let bytes = try EventOrigin.coded(Self.pieces, coding).flatMap { $0 }
        let capture = EventCapture(
            coding == .identity ? [] : [coding],
            ProxySettings(),
            limit: 1000,
            wanted: 0
        )
        for start in stride(from: 0, to: bytes.count, by: count) {
            let piece = bytes.span.extracting(start..<min(start + count, bytes.count))
            let goesOn = capture.read(piece, at: Microseconds(Int64(start)), Unlimited()) { _ in
                .abort
            }
            #expect(goesOn)
        }
        var exchange = Exchange(id: ExchangeID(high: 0, low: 1))
        capture.fill(&exchange)
        #expect(Self.lines(exchange.messages) == Self.expected)
        #expect(capture.problem == nil)
        let stride = MemoryLayout<StreamMessage>.stride
        #expect(capture.keptBytes == 3 * stride + 18 + "start11end".utf8.count)
    }

    @Test("have types and ids of bounded length")
    func longNames() throws {
        let capture = EventCapture([], ProxySettings(), limit: 10_000, wanted: 0)
        let long = String(repeating: "n", count: 5000)
        let text = "id: \(long)\nevent: \(long)\ndata: a\n\ndata: b\n\n"
        _ = capture.read(text.utf8.span, at: Microseconds(0), Unlimited()) { _ in .abort }
        var exchange = Exchange(id: ExchangeID(high: 0, low: 1))
        capture.fill(&exchange)
        #expect(exchange.messages.map(\.event.count) == [256, 0])
        #expect(exchange.messages.map(\.eventID.count) == [256, 256])
        #expect(exchange.messages.map(\.isTruncated) == [true, true])
    }
}

@Suite("Hooks on event streams")
struct EventHookTests {
    private func stage(
        maxBuffer: Int = 1 << 20,
        onError: OnError = .pass,
        _ hook: @escaping ScriptedStage.MessageHook
    ) -> Topology.Stage {
        Topology.Stage(
            id: "hook",
            ScriptedStage(message: hook),
            onError: onError,
            buffer: BodyBuffer([], maxBytes: maxBuffer)
        )
    }

    private func run(
        _ stage: Topology.Stage,
        _ pieces: [String]
    ) async throws -> (output: String, exchange: Exchange) {
        let origin = try EventOrigin(pieces, pause: 0.02)
        let proxy = await ProxyHarness.start(stages: [stage])
        // curl fails if the connection is closed.
        let output = (try? await proxy.curl(origin.url)) ?? ""
        let (_, exchanges) = await proxy.stop()
        return (output, try #require(exchanges.first))
    }

    private func texts(_ exchange: Exchange) -> [String] {
        exchange.messages.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("change and drop recorded events, but not those on the wire")
    func changes() async throws {
        let hook = stage { message, exchange, _ in
            exchange.tags["seen"] = "\(exchange.tags["seen"] ?? "")\(message.event);"
            if message.event == "secret" { return .drop }
            message.bytes += Array("!".utf8)
            return .pass
        }
        let pieces = ["event: a\ndata: 1\n\n", "event: secret\ndata: 2\n\n", "data: 3\n\n"]
        let (output, exchange) = try await run(hook, pieces)
        #expect(output == pieces.joined())
        #expect(texts(exchange) == ["1!", "3!"])
        #expect(exchange.messages.map(\.size) == [18, 9])
        #expect(
            exchange.tags == ["seen": "a;secret;;", "tapline.messages": "1 dropped by stages"]
        )
    }

    @Test("may close the connection")
    func abort() async throws {
        let hook = stage { message, _, _ in message.bytes == Array("2".utf8) ? .abort : .pass }
        let (_, exchange) = try await run(hook, ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"])
        #expect(exchange.state == .cancelled && exchange.error?.code == "aborted")
        #expect(exchange.messages.map(\.bytes) == [Array("1".utf8)])
    }

    @Test("see the beginning of an event that is longer than max_buffer, and cannot change it")
    func long() async throws {
        let seen = Mutex<[String]>([])
        let hook = stage(maxBuffer: 4) { message, _, _ in
            let text = String(decoding: message.bytes, as: UTF8.self)
            seen.withLock { $0.append("\(text) \(message.isTruncated)") }
            message.bytes = []
            return .pass
        }
        let (_, exchange) = try await run(hook, ["data: 123456\n\n", "data: 1\n\n"])
        #expect(seen.withLock { $0 } == ["1234 true", "1 false"])
        #expect(texts(exchange) == ["123456", ""])
    }
}
