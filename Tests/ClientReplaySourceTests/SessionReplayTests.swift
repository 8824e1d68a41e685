// SPDX-License-Identifier: MIT

import RedactStage
import Synchronization
import TaplineConfig
import TaplineMatching
import TaplineModel
import TaplineOperations
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import ClientReplaySource

/// Replays against servers that hand out other ids and tokens than the recorded one.
@Suite("Sessions and tokens of client_replay", .timeLimit(.minutes(3)))
struct SessionReplayTests {
    /// A server of the shop on this machine.
    private func target(_ service: ShopService, delay: Int64 = 0) throws -> TestTarget {
        let state = Mutex(service)
        return try TestTarget { text, _ in
            let response = state.withLock { $0.respond(to: Self.request(text)) }
            return .later(max(delay, 1000), Self.text(response))
        }
    }

    private static func request(_ text: String) -> Request {
        let parts = text.split(
            separator: "\r\n\r\n",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let lines = parts[0].split(separator: "\r\n")
        let words = lines[0].split(separator: " ")
        var request = Request(
            method: ByteString(String(words[0])),
            target: ByteString(String(words[1]))
        )
        for line in lines.dropFirst() {
            let field = line.split(separator: ":", maxSplits: 1)
            request.fields.append(
                name: String(field[0]),
                value: String(field[1].drop { $0 == " " })
            )
        }
        request.body = Body(Array((parts.last ?? "").utf8))
        return request
    }

    private static func text(_ response: Response) -> String {
        var text = "HTTP/1.1 \(response.status) X\r\n"
        for position in response.fields.indices {
            let name = String(
                decoding: Array(copying: response.fields.name(at: position)),
                as: UTF8.self
            )
            let value = String(
                decoding: Array(copying: response.fields.value(at: position)),
                as: UTF8.self
            )
            text += "\(name): \(value)\r\n"
        }
        if response.status != 204 { text += "Content-Length: \(response.body.bytes.count)\r\n" }
        return text + "\r\n" + String(decoding: response.body.bytes, as: UTF8.self)
    }

    @Test("thousands of requests of many sessions succeed without configuration")
    func withoutConfiguration() async throws {
        let recording = ShopRecording(users: 200, seed: 1, service: ShopService(seed: 1)).exchanges
        let target = try target(ShopService(seed: 2, offers: 2))
        var settings = settings(target.url)
        settings.concurrency.limit = 64
        let result = try await send(recording, settings)
        #expect(result.figures.counts.sent == recording.count)
        #expect(result.figures.changedStatuses == 0, "\(result.figures.statuses)")
        #expect(result.figures.tokens.missing == 0)
        #expect(result.figures.tokens.bound > recording.count / 2)
        #expect(result.figures.tokens.waited > 0)
        #expect(!result.figures.tokens.bindings.isEmpty)
        let bound = result.exchanges.filter { $0.tags["bound"] != nil }
        #expect(bound.count == result.figures.tokens.bound)
    }

    @Test("each pass of a loop has its own logins, and so has a constant rate")
    func passes() async throws {
        let recording = ShopRecording(users: 10, seed: 3, service: ShopService(seed: 3)).exchanges
        let target = try target(ShopService(seed: 4))
        var settings = settings(target.url)
        settings.loop = .times(3)
        settings.schedule = ReplaySchedule(.constant(2000))
        let result = try await send(recording, settings)
        #expect(result.figures.counts.sent == 3 * recording.count)
        #expect(result.figures.changedStatuses == 0, "\(result.figures.statuses)")
    }

    @Test("without the map, the server refuses recorded tokens")
    func withoutMap() async throws {
        let recording = ShopRecording(users: 10, seed: 5, service: ShopService(seed: 5)).exchanges
        let target = try target(ShopService(seed: 6))
        var settings = settings(target.url)
        settings.sessions.findsTokens = false
        let result = try await send(recording, settings)
        #expect(result.figures.changedStatuses > recording.count / 2)
        #expect(result.figures.tokens.bindings.isEmpty)
    }

    @Test("a map file is written once, and then decides what is replaced")
    func mapFile() async throws {
        let recording = ShopRecording(users: 10, seed: 7, service: ShopService(seed: 7)).exchanges
        let folder = try TemporaryFolder()
        let path = folder.path + "/tokens.yaml"
        var settings = settings(try target(ShopService(seed: 8)).url)
        settings.sessions.newMapFile = path
        _ = try await send(recording, settings)
        var diagnostics = Diagnostics()
        let bindings = try #require(TokenMapFile.read(path, nil, into: &diagnostics))
        #expect(!diagnostics.hasErrors)
        let status = try FileSystem.status(of: path)
        #expect(status?.permissions == 0o600)

        let other = try target(ShopService(seed: 9))
        settings = bound(other.url, bindings)
        #expect(try await send(recording, settings).figures.changedStatuses == 0)

        let less = try target(ShopService(seed: 9))
        settings = bound(less.url, bindings.filter { $0.name != "nonce" })
        let result = try await send(recording, settings)
        // Only the confirmations fail.
        #expect(result.figures.changedStatuses == 10)
        #expect(result.figures.statuses[409] == 10)
    }

    private func bound(_ url: String, _ bindings: [TokenBinding]) -> ClientReplaySettings {
        var result = settings(url)
        result.sessions.bindings = bindings
        return result
    }

    @Test("requests of a connection keep their order while others overtake them")
    func order() async throws {
        let target = try TestTarget { text, _ in
            text.hasPrefix("GET /1 ") ? .later(100_000, TestTarget.ok) : .send(TestTarget.ok)
        }
        var recording = (1...4).map { recorded($0) }
        for index in recording.indices {
            recording[index].connection.client = index == 2 ? "10.0.0.2:1" : "10.0.0.1:1"
        }
        let result = try await send(recording, settings(target.url))
        // The first requests of two connections arrive in any order.
        #expect(target.paths.filter { $0 != "/3" } == ["/1", "/2", "/4"])
        #expect(target.paths.prefix(2).contains("/3"))
        #expect(result.figures.tokens.waited == 2)
    }

    @Test("only requests that were due count as having waited for an answer")
    func limit() async throws {
        let target = try TestTarget()
        var recording = (1...6).map { recorded($0) }
        for index in recording.indices { recording[index].connection.client = "10.0.0.1:1" }
        var settings = settings(target.url)
        settings.limit = 2
        let result = try await send(recording, settings)
        #expect(result.figures.counts.due == 2)
        #expect(result.figures.tokens.waited == 1)
    }

    @Test("a request that was free before it was due is late because of the generator")
    func lateGenerator() async throws {
        let target = try TestTarget { text, _ in
            .later(text.hasPrefix("GET /10 ") ? 400_000 : 300_000, TestTarget.ok)
        }
        var recording = [recorded(0), recorded(10), recorded(700)]
        for index in recording.indices {
            recording[index].connection.client = index == 1 ? "10.0.0.2:1" : "10.0.0.1:1"
        }
        // A hook that blocks the loop, after the first request was answered.
        let slow = ScriptedStage(response: { exchange, _ in
            guard exchange.request.target == "/10" else { return .proceed }
            let end = ContinuousClock.now + .milliseconds(700)
            while ContinuousClock.now < end {}
            return .proceed
        })
        var settings = settings(target.url)
        settings.schedule = ReplaySchedule(.recorded(1))
        let stages = [Topology.Stage(id: "slow", slow)]
        let result = try await send(recording, settings, stages: stages)
        #expect(result.figures.tokens.waited == 1)
        #expect(result.figures.counts.lateByGenerator >= 1)
        #expect(result.figures.counts.lateByTarget == 0)
        #expect(!result.report.isSuccess)
    }

    @Test("a server that is gone fails requests, and no session waits for ever")
    func gone() async throws {
        let recording = ShopRecording(users: 5, seed: 10, service: ShopService(seed: 10)).exchanges
        let target = try TestTarget { _, _ in .reset }
        let result = try await send(recording, settings(target.url))
        #expect(result.figures.counts.due == recording.count)
        #expect(result.figures.errors.values.reduce(0, +) == recording.count)
        #expect(result.figures.tokens.missing > 0)
    }

    @Test("masks are replaced by given values, and reported without them")
    func masks() async throws {
        let target = try TestTarget()
        var masked = recorded(1)
        masked.request.fields.append(name: "Authorization", value: "Bearer [redacted]")
        let refused = try await send([masked, recorded(2)], settings(target.url))
        #expect(refused.figures.obstacles == [.masked: 1])
        #expect(
            refused.figures.tokens.maskedPlaces == [
                .init(text: "request header authorization of GET api.test/{id}", count: 1)
            ]
        )
        var settings = settings(target.url)
        settings.sessions.substitutes = [
            TokenSubstitute(
                place: try TokenPlace(parsing: "request header authorization of POST /login"),
                value: Array("t0ken".utf8)
            )
        ]
        let elsewhere = try await send([masked, recorded(2)], settings)
        #expect(elsewhere.figures.obstacles == [.masked: 1])
        settings.sessions.substitutes = [
            TokenSubstitute(
                place: try TokenPlace(parsing: "request header authorization"),
                value: Array("t0ken".utf8)
            )
        ]
        let sent = try await send([masked, recorded(2)], settings)
        #expect(sent.figures.obstacles.isEmpty)
        #expect(target.requests.contains { $0.contains("\r\nAuthorization: Bearer t0ken\r\n") })
    }

    @Test("each pass counts the masks of what is not sent, whether it is read or kept")
    func masksOfPasses() async throws {
        let target = try TestTarget()
        var masked = recorded(1)
        masked.request.fields.append(name: "Authorization", value: "Bearer [redacted]")
        var settings = settings(target.url)
        settings.loop = .times(3)
        // Without a plan, the first pass is kept.
        settings.sessions.findsTokens = false
        settings.sessions.key = .off
        let result = try await send([masked, recorded(2)], settings)
        #expect(result.figures.counts.sent == 3)
        #expect(result.figures.obstacles == [.masked: 3])
        #expect(result.figures.tokens.maskedPlaces.map(\.count) == [3])
    }

    @Test("masked cookies are not sent, and counted", arguments: [true, false])
    func maskedCookies(findsTokens: Bool) async throws {
        let target = try TestTarget()
        var masked = recorded(1)
        masked.request.fields.append(name: "Cookie", value: "a=1; sid=[redacted]")
        var settings = settings(target.url)
        settings.sessions.findsTokens = findsTokens
        if !findsTokens { settings.sessions.key = .off }
        let sent = try await send([masked], settings)
        #expect(sent.figures.tokens.masked == 1)
        #expect(target.requests.allSatisfy { $0.contains("\r\nCookie: a=1\r\n") })
    }

    @Test("a recording with pseudonyms succeeds like the original one")
    func pseudonyms() async throws {
        let stage = try StagePlugin.redact.stage(
            "{ preset: standard, action: pseudonym, key_env: KEY }",
            environment: ["KEY": "0123456789abcdef0123456789abcdef"]
        )
        let redact = try #require(stage as? any RecordStage)
        var chain = RecordChain([RecordChain.Link(stage: redact, redacts: true)])
        let original = ShopRecording(users: 20, seed: 11, service: ShopService(seed: 11)).exchanges
        let recording = original.compactMap { exchange in
            if case .sealed(let record) = chain.seal(exchange) { record.exchange } else { nil }
        }
        let tokens = Set(original.compactMap { $0.request.fields.first("Authorization") })
        #expect(recording.count == original.count && tokens.count == 20)
        #expect(
            recording.allSatisfy { exchange in
                exchange.request.fields.first("Authorization").map { !tokens.contains($0) } ?? true
            }
        )
        let result = try await send(recording, settings(try target(ShopService(seed: 12)).url))
        #expect(result.figures.counts.sent == recording.count)
        #expect(result.figures.changedStatuses == 0, "\(result.figures.statuses)")
    }

    @Test("a map file that is too large is refused, and not cut")
    func largeMapFile() throws {
        let folder = try TemporaryFolder()
        let comment = [UInt8](repeating: UInt8(ascii: "#"), count: (16 << 20) + 1)
        let path = try folder.write(comment, to: "tokens.yaml")
        var diagnostics = Diagnostics()
        #expect(TokenMapFile.read(path, nil, into: &diagnostics) == nil)
        #expect(diagnostics.hasErrors)
    }

    @Test("errors of a map file have a position")
    func mapFileErrors() {
        var diagnostics = Diagnostics()
        let text = """
            - bind: a
              from: 'response json a of POST /login'
              to: [response header x]
              too: x
            - bind: a
              from: 'response json $.a of POST /login'
            """
        #expect(
            TokenMapFile.parse(
                ConfigSource(name: "tokens.yaml", bytes: Array(text.utf8)),
                into: &diagnostics
            ) == nil
        )
        let found = diagnostics.sorted.map { "\($0.location.map { "\($0)" } ?? ""): \($0.message)" }
        #expect(
            found == [
                "tokens.yaml:2:24: unexpected 'a'; expected a path, such as '$.id'",
                "tokens.yaml:3:8: found 'response', expected 'request' or 'message'",
                "tokens.yaml:4:3: unknown key 'too'",
                "tokens.yaml:5:3: 'to' is missing",
            ]
        )
    }
}
