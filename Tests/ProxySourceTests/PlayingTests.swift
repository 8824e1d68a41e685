// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineFormats
import TaplineMatching
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource
@testable import SQLiteSink

/// Writes exchanges to a recording in a folder, and returns the settings to answer from it.
private func answering(
    _ exchanges: [Exchange],
    in folder: TemporaryFolder,
    latency: Double = 0
) throws -> ProxySettings {
    var writer = NDJSONWriter()
    var chain = RecordChain()
    for exchange in exchanges {
        if case .sealed(let record) = chain.seal(exchange) { writer.write(record) }
    }
    var answers = AnswerSettings()
    answers.paths = [try folder.write(Array(copying: writer.bytes), to: "rec.ndjson")]
    answers.reloadInterval = nil
    answers.latency = latency
    var settings = ProxySettings()
    settings.answers = answers
    return settings
}

/// A recorded WebSocket at `/chat?a=1`; see `RecordedConversationTests.exchange`.
private func recorded(_ lines: [String], state: ExchangeState = .completed) -> Exchange {
    var exchange = RecordedConversationTests.exchange(lines, state: state)
    exchange.request.target = "/chat?a=1"
    exchange.request.authority = "chat.test"
    return exchange
}

/// Opens a WebSocket at a source, and calls a function in `websocket_client.py`.
private func client(
    _ proxy: ProxyHarness,
    _ function: String,
    _ arguments: [String] = []
) async throws -> String {
    try await Python.run(
        "websocket_client",
        ["reverse", "\(proxy.address.port)", "0", "", "", function] + arguments
    )
}

/// The head of a request for the recorded WebSocket, without the empty line.
private let handshake =
    "GET /chat?a=1 HTTP/1.1\r\nHost: chat.test\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

@Suite("A recording that answers message by message", .timeLimit(.minutes(3)))
struct PlayingTests {
    @Test(
        "is a WebSocket like the recorded one, with messages of every kind",
        arguments: [("every_kind", []), ("ask_to", ["close"])]
    )
    func again(_ function: String, _ arguments: [String]) async throws {
        let origin = try await WebSocketOrigin(compresses: true)
        let proxy = await ProxyHarness.start(origin.settings(), captureMaxBytes: 4 << 20)
        let output = try await origin.client(
            through: proxy.address,
            compresses: true,
            function,
            arguments
        )
        let (_, recording) = await proxy.stop()
        let folder = try TemporaryFolder()
        let mock = await ProxyHarness.start(
            try answering(recording, in: folder),
            captureMaxBytes: 4 << 20
        )
        #expect(try await client(mock, function, arguments) == output)
        let (report, exchanges) = await mock.stop()
        #expect(exchanges.map(\.state) == [.completed])
        #expect(exchanges.first?.messageLines == recording.first?.messageLines)
        #expect(exchanges.first?.tags.isEmpty == true)
        #expect(exchanges.first?.extra?.replay?.original == recording.first?.id)
        #expect(exchanges.first?.response?.fields.contains("Sec-WebSocket-Extensions") == false)
        #expect(report.failures.isEmpty && report.isBalanced)
    }

    @Test("is a WebSocket on a stream of HTTP/2, too")
    func stream() async throws {
        let folder = try TemporaryFolder()
        let exchange = recorded([
            "up text hello @ 200", "down text hello @ 300", "up close 1000 @ 400",
            "down close 1000 @ 500",
        ])
        var settings = try answering([exchange], in: folder)
        settings.http2.hosts = [Glob("*")]
        let mock = await ProxyHarness.start(settings)
        let output = try await mock.http2("\(mock.address)", "websocket")
        let (_, exchanges) = await mock.stop()
        #expect(output.hasPrefix("200 [] 810568656c6c6f88"))
        #expect(exchanges.map(\.state) == [.completed])
        #expect(exchanges.first?.messageLines.prefix(2) == ["up text hello", "down text hello"])
    }

    @Test("waits for the client, and as long as the server did, times a factor")
    func spacing() async throws {
        let folder = try TemporaryFolder()
        let exchange = recorded([
            "up text hello @ 200", "down text hello @ 40200", "down close 4001 @ 60200",
            "up close 4001 @ 60300",
        ])
        let proxy = await ProxyHarness.start(try answering([exchange], in: folder, latency: 2))
        #expect(try await client(proxy, "close_code") == "hello\n4001\n")
        let (_, exchanges) = await proxy.stop()
        let messages = exchanges.first?.messages ?? []
        let times = messages.compactMap(\.at?.count)
        try #require(times.count == 4)
        #expect(times[1] - times[0] >= 80_000)
        #expect(times[2] - times[0] >= 120_000)
        #expect(exchanges.first?.messageLines.last == "up close 4001 bye")
    }

    @Test("shows its messages to hooks, which may change and drop them")
    func hooks() async throws {
        let folder = try TemporaryFolder()
        let exchange = recorded([
            "up text a @ 200", "down text hidden @ 210", "down text b @ 220",
        ])
        let stage = Topology.Stage(
            id: "hook",
            ScriptedStage(message: { message, _, _ in
                if message.bytes == Array("hidden".utf8) { return .drop }
                message.bytes.append(UInt8(ascii: "!"))
                return .pass
            })
        )
        let proxy = await ProxyHarness.start(
            try answering([exchange], in: folder),
            stages: [stage]
        )
        #expect(try await client(proxy, "echo", ["a"]) == "b!\n")
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.first?.messageLines.prefix(2) == ["up text a!", "down text b!"])
        #expect(exchanges.first?.tags["tapline.messages"] == "1 dropped by stages")
    }

    @Test("leaves without a close frame as the server did, and notes a client that leaves")
    func leaving() async throws {
        let folder = try TemporaryFolder()
        let exchange = recorded(["up text hello @ 200"], state: .failed)
        let proxy = await ProxyHarness.start(try answering([exchange], in: folder))
        #expect(try await client(proxy, "closed") == "closed\n")
        _ = try await client(proxy, "leave")
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.map(\.state) == [.failed, .cancelled])
        #expect(exchanges.map { $0.error?.code } == ["closed_early", "client_closed"])
    }

    @Test("answers a plain request for a recorded WebSocket with 426")
    func plain() async throws {
        let folder = try TemporaryFolder()
        let proxy = await ProxyHarness.start(try answering([recorded([])], in: folder))
        let url = "http://\(proxy.address)/chat?a=1"
        let output = try await command("curl", ["-sS", "-m", "20", "-w", "%{http_code}", url])
        _ = await proxy.stop()
        #expect(output.hasSuffix("WebSocket\n426"))
    }

    @Test("answers only the latest ping of a client that does not read")
    func pings() async throws {
        let folder = try TemporaryFolder()
        let stage = Topology.Stage(
            id: "hook",
            ScriptedStage(message: { message, _, _ in
                if message.bytes == Array("start".utf8) {
                    // More than the buffers of the kernel for a connection.
                    message.bytes += [UInt8](repeating: UInt8(ascii: "x"), count: 24 << 20)
                }
                return .pass
            })
        )
        let proxy = await ProxyHarness.start(
            try answering([recorded(["down text start @ 200"])], in: folder),
            stages: [stage]
        )
        _ = try await exchangeBytes(
            with: proxy.address,
            handshake + "\r\n",
            then: "ping_late",
            ["first", "second", "third"]
        )
        let (_, exchanges) = await proxy.stop()
        let lines = exchanges.first?.messageLines ?? []
        #expect(lines.filter { $0.contains("ping") }.count == 3)
        // The client has waited for the pong of the third.
        #expect(lines.filter { $0.contains("pong") }.count == 1)
    }

    @Test("does not answer as a server that switched to another protocol")
    func otherProtocol() throws {
        let folder = try TemporaryFolder()
        var other = recorded([])
        other.id = ExchangeID(high: 1, low: 1)
        other.response?.fields = ["Upgrade": "h2c"]
        let sink = try SQLiteSink(
            settings: SQLiteSinkSettings(path: folder("rec.db")),
            context: SinkContext(id: "sqlite", now: { Timestamp(microseconds: 0) })
        )
        var chain = RecordChain()
        for exchange in [other, recorded([])] {
            if case .sealed(let record) = chain.seal(exchange) { _ = try sink.write([record]) }
        }
        try sink.close()
        var answers = AnswerSettings()
        answers.paths = [folder("rec.db")]
        let library = try AnswerLibrary.load(answers, .none)
        #expect(library.answers.count == 1)
        #expect(AnswerReader(library).answer(0)?.id == recorded([]).id)
        withExtendedLifetime(folder) {}
    }

    @Test("answers a handshake whose body is still arriving with 426")
    func incomplete() async throws {
        let folder = try TemporaryFolder()
        let proxy = await ProxyHarness.start(try answering([recorded([])], in: folder))
        let output = try await exchangeBytes(
            with: proxy.address,
            handshake + "Content-Length: 9000001\r\n\r\n",
            then: "send_large"
        )
        _ = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 426 "))
    }

    @Test(
        "sends events one by one, as far apart as they were, times a factor",
        arguments: [(2.0, Int64(160_000)), (0.0, 0)]
    )
    func events(_ factor: Double, _ least: Int64) async throws {
        let folder = try TemporaryFolder()
        let body = "data: a\n\ndata: b\n\ndata: c\n\n"
        var exchange = RecordedConversationTests.stream(body, ["a", "b", "c"])
        exchange.request = Request(target: "/events", authority: "api.test")
        exchange.timing.total = Microseconds(85_000)
        exchange.timing.receive = Microseconds(84_900)
        for (index, time) in [100, 40_100, 80_100].enumerated() {
            exchange.messages[index].at = Microseconds(Int64(time))
        }
        let proxy = await ProxyHarness.start(
            try answering([exchange], in: folder, latency: factor)
        )
        let url = "http://\(proxy.address)/events"
        let output = try await command("curl", ["-sS", "-m", "20", url, url])
        let (_, exchanges) = await proxy.stop()
        #expect(output == body + body)
        for exchange in exchanges {
            #expect(exchange.state == .completed)
            #expect(exchange.messages.map(\.bytes) == ["a", "b", "c"].map { Array($0.utf8) })
            let times = exchange.messages.compactMap(\.at?.count)
            #expect((times.last ?? 0) - (times.first ?? 0) >= least)
        }
    }

    @Test("sends the events of a stream that the client has cancelled, also from a database")
    func cancelled() async throws {
        let folder = try TemporaryFolder()
        var exchange = RecordedConversationTests.stream("data: a\n\ndata: b\n\nda", ["a", "b"])
        exchange.request = Request(target: "/events", authority: "api.test")
        exchange.state = .cancelled
        var empty = exchange
        empty.id = ExchangeID(high: 1, low: 1)
        empty.messages = []
        let proxy = await ProxyHarness.start(try answering([empty, exchange], in: folder))
        let output = try await command("curl", ["-sS", "http://\(proxy.address)/events"])
        _ = await proxy.stop()
        #expect(output == "data: a\n\ndata: b\n\nda")
        let sink = try SQLiteSink(
            settings: SQLiteSinkSettings(path: folder("rec.db")),
            context: SinkContext(id: "sqlite", now: { Timestamp(microseconds: 0) })
        )
        var chain = RecordChain()
        for exchange in [empty, exchange] {
            if case .sealed(let record) = chain.seal(exchange) { _ = try sink.write([record]) }
        }
        try sink.close()
        var answers = AnswerSettings()
        answers.paths = [folder("rec.db")]
        let library = try AnswerLibrary.load(answers, .none)
        #expect(library.answers.count == 1)
        #expect(AnswerReader(library).answer(0)?.id == exchange.id)
    }

    @Test("repeats values of the request in events if that is asked for")
    func templates() async throws {
        let folder = try TemporaryFolder()
        var exchange = RecordedConversationTests.stream("data: {\"id\":1234}\n\n", ["a"])
        exchange.request = Request(target: "/jobs/1234", authority: "api.test")
        var settings = try answering([exchange], in: folder)
        settings.answers?.rules.parts = [.method]
        settings.answers?.hasTemplates = true
        let proxy = await ProxyHarness.start(settings)
        let output = try await command("curl", ["-sS", "http://\(proxy.address)/jobs/98765"])
        _ = await proxy.stop()
        #expect(output == "data: {\"id\":98765}\n\n")
    }

    @Test("sends nothing while hooks pause, and goes on after that")
    func pauses() async throws {
        let folder = try TemporaryFolder()
        var exchange = RecordedConversationTests.stream("data: a\n\ndata: b\n\n", ["a", "b"])
        exchange.request = Request(target: "/events", authority: "api.test")
        let stage = Topology.Stage(
            id: "hook",
            ScriptedStage(response: { _, _ in .delay(Microseconds(50_000)) })
        )
        let proxy = await ProxyHarness.start(
            try answering([exchange], in: folder),
            stages: [stage]
        )
        let head = "GET /events HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"
        let output = try await exchangeBytes(with: proxy.address, head, then: "read")
        _ = await proxy.stop()
        // What is sent while a hook pauses arrives as one chunk.
        #expect(output.contains("9\r\ndata: a\n\n\r\n9\r\ndata: b\n\n\r\n0\r\n"))
    }

    @Test("gives hooks that want whole bodies the whole stream")
    func bufferedEvents() async throws {
        let folder = try TemporaryFolder()
        var exchange = RecordedConversationTests.stream("data: a\n\ndata: b\n\n", ["a", "b"])
        exchange.request = Request(target: "/events", authority: "api.test")
        let stage = Topology.Stage(
            id: "hook",
            ScriptedStage(response: { exchange, _ in
                let size = exchange.response?.body.bytes.count ?? 0
                exchange.response?.replaceContent(Array("\(size) bytes".utf8))
                return .proceed
            }),
            buffer: BodyBuffer([.response], maxBytes: 1 << 20)
        )
        let proxy = await ProxyHarness.start(
            try answering([exchange], in: folder),
            stages: [stage]
        )
        let url = "http://\(proxy.address)/events"
        let output = try await command("curl", ["-sS", "-m", "20", url])
        _ = await proxy.stop()
        #expect(output == "18 bytes")
    }
}
