// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineReplay
import TaplineSystem
import TestSupport
import Testing

/// A recording of a shop: two products and an order, then the first product with another price.
private let shop = """
    {"v":1,"id":"01900000-0000-7000-8000-000000000001","started":"2026-11-20T14:03:00.000000Z",\
    "request":{"method":"GET","url":"http://shop.test/products/1","headers":[]},\
    "response":{"status":200,"headers":[["Content-Type","application/json"]],"body":{"text":"{\\"price\\":1}"}}}
    {"v":1,"id":"01900000-0000-7000-8000-000000000002","started":"2026-11-20T14:20:00.000000Z",\
    "request":{"method":"GET","url":"http://shop.test/products/9","headers":[]},\
    "response":{"status":404,"headers":[],"body":{"text":"none"}}}
    {"v":1,"id":"01900000-0000-7000-8000-000000000003","started":"2026-11-20T14:40:00.000000Z",\
    "request":{"method":"POST","url":"http://shop.test/orders","headers":[["Content-Type","application/json"]],\
    "body":{"text":"{\\"product\\":1}"}},\
    "response":{"status":201,"headers":[],"body":{"text":"ordered"}}}
    {"v":1,"id":"01900000-0000-7000-8000-000000000004","started":"2026-11-20T14:53:00.000000Z",\
    "request":{"method":"GET","url":"http://shop.test/products/1","headers":[]},\
    "response":{"status":200,"headers":[["Content-Type","application/json"]],"body":{"text":"{\\"price\\":2}"}}}

    """

@Suite("Replay and mock server in tests", .timeLimit(.minutes(2)))
struct ReplayTests {
    private func recorded(
        _ body: (String, String) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/shop.ndjson"
            try write(Array(shop.utf8), to: path)
            try await body(folder, path)
        }
    }

    @Test("a replay to a mock of the same recording gets the recorded responses")
    func roundTrip() async throws {
        try await recorded { _, path in
            let server = MockServer(path)
            let url = try await server.start()
            #expect(server.url == url)
            var replay = Replay(path)
            replay.concurrency = 1
            let clock = ContinuousClock()
            let begun = clock.now
            let result = try await replay.send(to: url)
            // The recording spans 3,000 s.
            #expect(clock.now - begun < .seconds(60))
            let report = await server.stop()
            #expect(result.due == 4 && result.sent == 4 && result.failed == 0)
            #expect(result.statuses == [200: 2, 404: 1, 201: 1])
            #expect(result.changedStatuses == 0)
            let answers = result.exchanges.map { $0.response?.body.bytes ?? [] }
            #expect(
                answers.map { String(decoding: $0, as: UTF8.self) }
                    == [#"{"price":1}"#, "none", "ordered", #"{"price":2}"#]
            )
            #expect(result.exchanges.compactMap(\.recordedID).count == 4)
            #expect(report.hits == 4 && report.misses.isEmpty && report.unused.isEmpty)
            #expect(report.exchanges.count == 4)
            #expect(server.url.isEmpty)
        }
    }

    @Test("a mock server repeats values of requests, and answers each session in order")
    func mockOptions() async throws {
        let lines = (1...2).map { number in
            #"{"v":1,"id":"01900000-0000-7000-8000-00000000000\#(number)","#
                + #""started":"2026-11-20T14:03:0\#(number)Z","request":{"method":"GET","#
                + #""url":"http://shop.test/items/4711"},"response":{"status":200,"headers":"#
                + #"[["Content-Type","application/json"]],"body":{"text":"{\"id\":4711,"#
                + #"\"n\":\#(number)}"}}}"# + "\n"
        }
        try await withTemporaryFolder { folder in
            try write(Array(lines.joined().utf8), to: folder + "/items.ndjson")
            let server = MockServer(
                folder + "/items.ndjson",
                options: .init(match: ["method"], session: "header X-User", hasTemplates: true)
            )
            let url = try await server.start() + "/items/98765"
            var answers: [String] = []
            for user in ["ana", "ben", "ana"] {
                answers.append(try await command("curl", ["-sS", "-H", "X-User: \(user)", url]))
            }
            await server.stop()
            let first = #"{"id":98765,"n":1}"#
            #expect(answers == [first, first, #"{"id":98765,"n":2}"#])
        }
    }

    @Test("a filter chooses what is sent and what answers; a miss is explained")
    func filters() async throws {
        try await recorded { _, path in
            let server = MockServer(path, options: .init(filter: #"method == "GET""#))
            let url = try await server.start()
            var replay = Replay(path)
            replay.filter = #"path == "/orders""#
            let result = try await replay.send(to: url)
            let report = await server.stop()
            #expect(result.sent == 1 && result.changedStatuses == 1)
            #expect(result.statuses == [404: 1])
            #expect(report.hits == 0 && report.misses.count == 1)
            #expect(try #require(report.misses.first).contains("/orders"))
            #expect(report.unused.count == 3)
        }
    }

    @Test(
        "rules change what a mock server answers, as a text and as a file",
        arguments: [true, false]
    )
    func rules(isText: Bool) async throws {
        let text = """
            version: 1
            rules:
              - when: path == "/orders"
                actions: [respond: { status: 503 }]
              - when: path == "/new"
                actions: [respond: { status: 418 }]
            """
        try await recorded { folder, path in
            try write(Array(text.utf8), to: folder + "/rules.yaml")
            let rules: MockServer.Rules = isText ? .text(text) : .file(folder + "/rules.yaml")
            let server = MockServer(path, options: .init(rules: rules))
            let url = try await server.start()
            let result = try await Replay(path).send(to: url)
            let new = try await command(
                "curl",
                ["-sS", "-o", "/dev/null", "-w", "%{http_code}", url + "/new"]
            )
            await server.stop()
            #expect(result.statuses == [200: 2, 404: 1, 503: 1] && new == "418")
            #expect(try FileSystem.status(of: folder + "/rules.yaml") != nil)
        }
    }

    @Test("wrong rules are an error at the start")
    func wrongRules() async throws {
        try await recorded { _, path in
            let server = MockServer(path, options: .init(rules: .text("version: 1\nrulez: []\n")))
            await #expect {
                try await server.start()
            } throws: {
                "\($0)".contains("rules.yaml:2:1") && "\($0)".contains("'rulez'")
            }
        }
    }

    @Test("a replay of which nothing can be sent fails")
    func hosts() async throws {
        try await recorded { _, path in
            await #expect {
                try await Replay(path).send(to: ["other.test": "http://127.0.0.1:9"])
            } throws: {
                "\($0)".contains("none of the 4 recorded requests can be sent")
            }
        }
    }

    @Test("an error names what is wrong")
    func errors() async throws {
        try await recorded { folder, path in
            await #expect {
                try await Replay(folder + "/none").send(to: "http://127.0.0.1:9")
            } throws: {
                "\($0)".contains("none")
            }
            await #expect {
                try await Replay(path).send(to: "shop")
            } throws: {
                "\($0)".contains("shop")
            }
            let server = MockServer(folder + "/none")
            await #expect {
                try await server.start()
            } throws: {
                "\($0)".contains("none")
            }
        }
    }

    @Test("a server starts once")
    func startsOnce() async throws {
        try await recorded { _, path in
            let server = MockServer(path)
            try await server.start()
            await #expect(throws: ReplayError.self) { try await server.start() }
            await server.stop()
        }
    }
}
