// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineMatching
import TaplineModel
import TaplineNet
import TaplineOperations
import TaplinePlugin
import TaplineQuery
import TaplineRuntime
import TaplineSystem
import TaplineTLS
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

/// A recording in a folder of its own, from which a source answers.
final class Mock {
    let folder: TemporaryFolder
    var settings = ProxySettings()

    /// Writes a recording of exchanges: method, URL, body of the request and of the response.
    init(_ exchanges: [String]) throws {
        folder = try TemporaryFolder()
        var answers = AnswerSettings()
        answers.paths = [folder("rec.ndjson")]
        answers.reloadInterval = .milliseconds(20)
        settings.answers = answers
        try write(exchanges)
    }

    func write(_ exchanges: [String]) throws {
        // Replaced in one step, so that the source never reads a part of it.
        _ = try folder.write(exchanges.joined(separator: "\n") + "\n", to: "new.ndjson")
        try FileSystem.move(folder("new.ndjson"), to: folder("rec.ndjson"))
    }

    /// Starts with one thread, so that records come in the order of their exchanges.
    func start(stages: [Topology.Stage] = []) async -> ProxyHarness {
        var settings = settings
        settings.threads = settings.threads ?? 1
        return await ProxyHarness.start(settings, stages: stages)
    }

    static func exchange(
        _ method: String,
        _ url: String,
        _ text: String,
        body: String? = nil,
        waits: Double = 0,
        headers: String = #"["Content-Type","text/plain"]"#,
        status: Int = 200,
        state: String = "completed"
    ) -> String {
        let content =
            body.map {
                #","headers":[["Content-Type","application/json"]],"body":{"text":"\#($0)"}"#
            } ?? ""
        return #"{"v":1,"source":"proxy","state":"\#(state)","started":"2026-11-20T14:03:00Z","#
            + #""timing":{"wait_ms":\#(waits)},"#
            + #""request":{"method":"\#(method)","url":"\#(url)"\#(content)},"#
            + #""response":{"status":\#(status),"headers":[\#(headers)],"body":{"text":"\#(text)"}}}"#
    }
}

extension ProxyHarness {
    /// Runs curl against the source itself, and returns body, status and content type.
    func get(_ path: String, _ arguments: String...) async throws -> String {
        try await command(
            "curl",
            ["-sS", "-m", "20", "-w", "|%{http_code}|%{content_type}"] + arguments
                + ["http://\(address)\(path)"]
        )
    }
}

@Suite("A source that answers from a recording", .timeLimit(.minutes(3)))
struct AnsweringTests {
    @Test("answers as the server did, and records that")
    func answers() async throws {
        let mock = try Mock([
            Mock.exchange("GET", "https://api.test/a?x=1&y=2", "first"),
            Mock.exchange("POST", "https://api.test/a", "made", status: 201),
        ])
        let proxy = await mock.start()
        #expect(try await proxy.get("/a?y=2&x=1") == "first|200|text/plain")
        #expect(try await proxy.get("/a", "-d", "anything") == "made|201|text/plain")
        let (report, exchanges) = await proxy.stop()
        #expect(exchanges.map(\.state) == [.completed, .completed])
        #expect(exchanges.first?.request.url == ByteString("http://\(proxy.address)/a?y=2&x=1"))
        #expect(exchanges.first?.response?.body.bytes == Array("first".utf8))
        #expect(exchanges.first?.extra?.replay != nil)
        #expect(exchanges.last?.request.body.bytes == Array("anything".utf8))
        #expect(report.failures.isEmpty && report.isBalanced)
        let metrics = report.sources.first?.metrics ?? []
        #expect(
            metrics.map { "\($0.name) \($0.count)" }.prefix(4) == [
                "hits 2", "misses 0", "used 2", "unused 0",
            ]
        )
    }

    @Test("keeps the client's connection, also after a body")
    func keepsAlive() async throws {
        let mock = try Mock([Mock.exchange("POST", "http://api.test/a", "made")])
        let proxy = await mock.start()
        let url = "http://\(proxy.address)/a"
        let output = try await command(
            "curl",
            ["-sS", "-m", "20", "-w", "%{num_connects}", "-d", "x", url, url]
        )
        _ = await proxy.stop()
        #expect(output == "made1made0")
    }

    @Test("lets hooks change answers")
    func hooks() async throws {
        let mock = try Mock([Mock.exchange("GET", "http://api.test/a", "first")])
        let stage = Topology.Stage(
            id: "s",
            ScriptedStage(
                request: { exchange, _ in
                    exchange.request.target = "/a"
                    return .proceed
                },
                response: { exchange, _ in
                    exchange.response?.replaceContent(Array("changed".utf8))
                    return .proceed
                }
            )
        )
        let proxy = await mock.start(stages: [stage])
        #expect(try await proxy.get("/other") == "changed|200|text/plain")
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.first?.response?.body.bytes == Array("changed".utf8))
    }

    @Test("serves clients that use it as their proxy, by the host that they name")
    func forward() async throws {
        let mock = try Mock([
            Mock.exchange("GET", "http://one.test/", "one"),
            Mock.exchange("GET", "http://two.test/", "two"),
        ])
        let proxy = await mock.start()
        #expect(try await proxy.curl("http://two.test/") == "two")
        #expect(try await proxy.curl("http://one.test:80/") == "one")
        #expect(try await proxy.curl("http://three.test/").contains("host: recorded"))
        #expect(try await proxy.get("/") == "one|200|text/plain")
        _ = await proxy.stop()
    }

    @Test("answers HTTPS without a server if it is intercepted")
    func intercepted() async throws {
        let mock = try Mock([Mock.exchange("GET", "https://api.test/a", "secret")])
        mock.settings.interception = InterceptionRules(
            hosts: [Glob("*", ignoringCase: true)],
            passthrough: []
        )
        mock.settings.authority = AuthorityStore(folder: mock.folder("ca"))
        let proxy = await mock.start()
        let root = mock.folder("ca/root.pem")
        #expect(try await proxy.curl("--cacert", root, "https://api.test/a") == "secret")
        #expect(
            try await proxy.curl("--cacert", root, "https://api.test/b").contains("path segment")
        )
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.map { $0.request.url } == ["https://api.test/a", "https://api.test/b"])
        #expect(exchanges.first?.connection.server == "")
    }

    @Test("opens no tunnel that is not read")
    func tunnel() async throws {
        let mock = try Mock([Mock.exchange("GET", "https://api.test/a", "secret")])
        let proxy = await mock.start()
        let code = try await proxy.curl("-w", "%{http_connect} %{exitcode}", "https://api.test/a")
        let (_, exchanges) = await proxy.stop()
        #expect(code == "405 56")
        #expect(exchanges.first?.error?.code == "method_not_allowed")
    }

    @Test("explains a request without a recording to the client, and without values in the log")
    func miss() async throws {
        let mock = try Mock([Mock.exchange("GET", "http://api.test/users/7?page=1", "first")])
        let proxy = await mock.start()
        let text = try await proxy.get("/users/secret?page=1")
        #expect(text.hasPrefix("no recording answers this request:"))
        #expect(text.contains("path segment 2: recorded '7', now 'secret'"))
        #expect(text.hasSuffix("|404|text/plain; charset=utf-8"))
        let json = try await proxy.get("/users/7", "-H", "Accept: application/json")
        #expect(
            json.hasPrefix(#"{"error":"no_recording""#) && json.hasSuffix("|404|application/json")
        )
        let head = try await proxy.get("/nothing", "-I")
        #expect(head.hasSuffix("|404|text/plain; charset=utf-8"))
        let (report, exchanges) = await proxy.stop()
        #expect(exchanges.map { $0.tags["tapline.answer"] } == ["miss", "miss", "miss"])
        #expect(exchanges.map { $0.response?.status } == [404, 404, 404])
        let metrics = report.sources.first?.metrics ?? []
        #expect(metrics.first { $0.name == "misses" }?.count == 3)
        let answered = try #require(mock.settings.answers).journal.report(limit: 2)
        #expect(answered.lastMisses.count == 2 && answered.lastMissSummaries.count == 2)
        #expect(answered.firstUnused == ["GET api.test/users/7"])
        #expect(answered.firstUnusedRoutes == ["GET api.test/users/{id}"])
    }

    @Test("gives each session its own sequence of answers")
    func sessions() async throws {
        let mock = try Mock(["one", "two"].map { Mock.exchange("GET", "http://api.test/n", $0) })
        mock.settings.answers?.session = .key(try SessionKey(parsing: "cookie sid"))
        let proxy = await mock.start()
        var texts: [String] = []
        for sid in ["a", "a", "b", "a", "b"] {
            texts.append(String(try await proxy.get("/n", "-b", "x=1; sid=\(sid)").prefix(3)))
        }
        _ = await proxy.stop()
        #expect(texts == ["one", "two", "one", "two", "two"])
    }

    @Test("keeps the state of each key, such as that of a job")
    func keys() async throws {
        let mock = try Mock(
            ["new", "done"].map { Mock.exchange("GET", "http://api.test/jobs?id=1", $0) }
        )
        mock.settings.answers?.session = .key(try SessionKey(parsing: "query id"))
        mock.settings.answers?.rules.ignoredQueryItems = ["id"]
        let proxy = await mock.start()
        var texts: [String] = []
        for id in [1, 1, 2, 2, 1] {
            texts.append(String(try await proxy.get("/jobs?id=\(id)").prefix { $0 != "|" }))
        }
        let (report, _) = await proxy.stop()
        #expect(texts == ["new", "done", "new", "done", "done"])
        let metrics = report.sources.first?.metrics ?? []
        #expect(metrics.first { $0.name == "forgotten" }?.count == 0)
    }

    @Test("repeats values of the request in the place of recorded ones")
    func templates() async throws {
        let mock = try Mock([
            Mock.exchange(
                "GET",
                "http://api.test/users/1234?page=1",
                #"{\"id\":1234,\"page\":1,\"n\":1}"#,
                headers: #"["Content-Type","application/json"],["Content-Length","26"]"#
            )
        ])
        mock.settings.answers?.rules.parts = [.method]
        let recorded = #"{"id":1234,"page":1,"n":1}"#
        let plain = await mock.start()
        #expect(try await plain.get("/users/98765?page=2").hasPrefix(recorded))
        _ = await plain.stop()
        mock.settings.answers?.hasTemplates = true
        let proxy = await mock.start()
        let live = #"{"id":98765,"page":2,"n":1}"#
        #expect(
            try await proxy.get("/users/98765?page=2", "-w", "|%{size_download}")
                == "\(live)|\(live.utf8.count)"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.first?.response?.body.bytes == Array(live.utf8))
    }

    @Test("says that all recordings of a request have been used")
    func usedUp() async throws {
        let mock = try Mock([Mock.exchange("GET", "http://api.test/n", "one")])
        mock.settings.answers?.repeats = .miss
        let proxy = await mock.start()
        #expect(try await proxy.get("/n") == "one|200|text/plain")
        #expect(try await proxy.get("/n").hasPrefix("this request was recorded once"))
        _ = await proxy.stop()
    }

    @Test("waits as long as the recorded server, times a factor")
    func latency() async throws {
        let mock = try Mock([Mock.exchange("GET", "http://api.test/n", "one", waits: 200)])
        mock.settings.answers?.latency = 2
        let proxy = await mock.start()
        let begun = ContinuousClock.now
        #expect(try await proxy.get("/n") == "one|200|text/plain")
        let elapsed = ContinuousClock.now - begun
        let (_, exchanges) = await proxy.stop()
        #expect(elapsed >= .milliseconds(400))
        #expect(exchanges.first?.timing.total ?? Microseconds(0) >= Microseconds(399_000))
    }

    @Test("compares bodies where recordings differ in nothing else")
    func bodies() async throws {
        let mock = try Mock([
            Mock.exchange("POST", "http://api.test/q", "one", body: #"{\"n\":1}"#),
            Mock.exchange("POST", "http://api.test/q", "two", body: #"{\"n\":2,\"t\":5}"#),
        ])
        let proxy = await mock.start()
        let type = ["-H", "Content-Type: application/json"]
        #expect(
            try await proxy.get("/q", type[0], type[1], "-d", #"{"t": 5, "n": 2}"#).hasPrefix("two")
        )
        let miss = try await proxy.get("/q", type[0], type[1], "-d", #"{"n": 3}"#)
        #expect(miss.contains("body $.n: recorded 1, now 3"))
        _ = await proxy.stop()
    }

    @Test("sends what has no recording to the server")
    func passes() async throws {
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nreal")
        }
        let mock = try Mock([Mock.exchange("GET", "http://api.test/a", "recorded")])
        mock.settings.answers?.onMiss = .pass
        mock.settings.upstream = Origin(authority: "\(server.address)".utf8.span, isSecure: false)
        let proxy = await mock.start()
        #expect(try await proxy.get("/a").hasPrefix("recorded|200"))
        #expect(try await proxy.get("/b", "-d", "x").hasPrefix("real|200"))
        #expect(try await proxy.get("/b", "-d", "x").hasPrefix("real|200"))
        _ = await proxy.stop()
        #expect(server.seen.requests.count == 2)
        #expect(server.seen.requests.first?.hasSuffix("\r\n\r\nx") == true)
    }

    @Test("records what the server answers, and answers the same from then on")
    func records() async throws {
        let server = try ScriptedServer { _, number in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nreal\(number)")
        }
        let mock = try Mock([Mock.exchange("GET", "http://api.test/a", "recorded")])
        mock.settings.answers?.onMiss = .record
        mock.settings.upstream = Origin(authority: "\(server.address)".utf8.span, isSecure: false)
        let proxy = await mock.start()
        #expect(try await proxy.get("/b").hasPrefix("real0|200"))
        #expect(try await proxy.get("/b").hasPrefix("real0|200"))
        #expect(try await proxy.get("/c").hasPrefix("real1|200"))
        let (_, exchanges) = await proxy.stop()
        #expect(server.seen.requests.count == 2)
        #expect(exchanges.map { $0.tags["tapline.answer"] } == ["recorded", nil, "recorded"])
    }

    @Test("shows nothing of what it has recorded itself on the page for a miss")
    func missBesideRecorded() async throws {
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nreal")
        }
        let mock = try Mock([Mock.exchange("GET", "http://api.test/a", "recorded")])
        mock.settings.answers?.onMiss = .record
        let proxy = await mock.start()
        #expect(try await proxy.curl("http://\(server.address)/x?token=secret") == "real")
        // This client names no server, so it gets the page.
        let page = try await proxy.get("/x?token=other")
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.map { $0.tags["tapline.answer"] } == ["recorded", "miss"])
        #expect(page.contains("GET http://api.test/a") && !page.contains("secret"))
    }

    @Test("reads a changed recording again, and keeps the former one if it cannot be read")
    func reloads() async throws {
        let mock = try Mock([Mock.exchange("GET", "http://api.test/a", "one")])
        let proxy = await mock.start()
        #expect(try await proxy.get("/a").hasPrefix("one"))
        try mock.write([Mock.exchange("GET", "http://api.test/a", "another")])
        await wait(for: "the new answer") {
            (try? await proxy.get("/a").hasPrefix("another")) == true
        }
        try mock.write(["{"])
        #expect(try await proxy.get("/a").hasPrefix("another"))
        _ = await proxy.stop()
    }

    /// The exchange of a line of a recording.
    private func exchange(_ id: Int, _ url: String, _ text: String) -> String {
        let digits = String(id)
        let end = String(repeating: "0", count: 12 - digits.count) + digits
        return Mock.exchange("GET", url, text)
            .replacing(#"{"v":1,"#, with: #"{"v":1,"id":"01931234-5678-7abc-8def-\#(end)","#)
    }

    @Test("a recording that is read again keeps what was used and added")
    func continues() throws {
        let lines = [
            exchange(1, "http://api.test/a", "a"), exchange(2, "http://api.test/b", "b"),
        ]
        let mock = try Mock(lines)
        let settings = try #require(mock.settings.answers)
        let first = try AnswerLibrary.load(settings, .none)
        let added = try Mock([exchange(3, "http://api.test/c", "added")])
        let other = try AnswerLibrary.load(try #require(added.settings.answers), .none)
        guard case .kept(let answer) = other.place(0) else {
            Issue.record("a line is not in memory")
            return
        }
        #expect(first.add(answer))
        first.answers.markUsed([1, 2])
        // A sink has added the exchange to the recording.
        try mock.write([exchange(3, "http://api.test/c", "redacted")] + lines)
        let second = try AnswerLibrary.load(settings, .none, after: first)
        #expect(second.answers.count == 3)
        #expect(second.answers.used == [1, 2])
        #expect(second.recorded.map(\.id) == [answer.id])
        // What is added before the new version is in use is not lost.
        let late = try Mock([exchange(4, "http://api.test/d", "late")])
        let others = try AnswerLibrary.load(try #require(late.settings.answers), .none)
        guard case .kept(let next) = others.place(0) else {
            Issue.record("a line is not in memory")
            return
        }
        #expect(first.add(next))
        #expect(second.answers.count == 4 && second.recorded.map(\.id) == [answer.id, next.id])
        // It is in the recording and in memory, but once among the answers.
        try mock.write(
            lines + [exchange(3, "http://api.test/c", "redacted")]
                + [exchange(4, "http://api.test/d", "redacted")]
        )
        let third = try AnswerLibrary.load(settings, .none, after: second)
        #expect(third.answers.count == 4 && third.answers.used == [1, 2])
        withExtendedLifetime((mock, added)) {}
    }

    @Test("compares chosen recordings by rules of their own")
    func specialRules() throws {
        let mock = try Mock([
            Mock.exchange("POST", "http://api.test/graphql", "one", body: #"{\"q\":1}"#),
            Mock.exchange("POST", "http://api.test/graphql", "two", body: #"{\"q\":2}"#),
            Mock.exchange("GET", "http://api.test/any?x=1", "any"),
        ])
        var settings = try #require(mock.settings.answers)
        settings.specialRules = [
            AnswerSettings.SpecialRules(
                filter: try Filter(#"path == "/any" and response.body contains "any""#),
                rules: RequestRules([.path], comparingHost: false)
            )
        ]
        settings.rules = RequestRules([.method, .path, .body])
        let library = try AnswerLibrary.load(settings, .none)
        let reader = AnswerReader(library)
        func answer(_ method: ByteString, _ target: ByteString, _ body: String) -> Int? {
            var request = Request(method: method, target: target, authority: "b.test")
            request.fields.append(name: "Content-Type", value: "application/json")
            request.body = Body(Array(body.utf8))
            let answer = library.answers.answer(request, .init(comparesHost: false)) {
                reader.request($0)
            }
            if case .recording(let number) = answer { return number }
            return nil
        }
        #expect(answer("PUT", "/any?y=2", "text") == 2)
        #expect(answer("POST", "/graphql", #"{ "q": 2 }"#) == 1)
        #expect(answer("POST", "/graphql", #"{ "q": 3 }"#) == nil)
        withExtendedLifetime(mock) {}
    }

    @Test("adds recordings as long as there is room for them")
    func full() throws {
        let mock = try Mock([exchange(1, "http://api.test/a", "a")])
        let loaded = try AnswerLibrary.load(try #require(mock.settings.answers), .none)
        guard case .kept(let answer) = loaded.place(0) else {
            Issue.record("a line is not in memory")
            return
        }
        let answers = RecordedAnswers(loaded.answers.rules)
        let library = AnswerLibrary(answers, [], files: [], maxAdded: answer.memory)
        #expect(library.add(answer))
        #expect(!library.add(answer))
        #expect(answers.count == 1 && library.recorded.count == 1)
        withExtendedLifetime(mock) {}
    }

    @Test("closes the connection where the recorded server failed")
    func failures() async throws {
        let failed =
            #"{"v":1,"state":"failed","started":"2026-11-20T14:03:00Z","request":{"method":"GET","#
            + #""url":"http://api.test/a"},"error":{"code":"reset","message":"gone"}}"#
        let mock = try Mock([failed, Mock.exchange("GET", "http://api.test/a", "one")])
        let proxy = await mock.start()
        let url = "http://\(proxy.address)/a"
        let output = try await command(
            "sh",
            ["-c", "curl -s -m 20 $0 || echo $?; curl -s -m 20 $0", url]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "56\none" || output == "52\none")
        #expect(exchanges.map { $0.error?.code } == ["reset", nil])
    }

    @Test("does not start without a usable recording")
    func unusable() async throws {
        let mock = try Mock([
            Mock.exchange("GET", "http://api.test/a", "one", state: "cancelled"),
            Mock.exchange("CONNECT", "http://api.test/a", "one"),
        ])
        let answers = try #require(mock.settings.answers)
        #expect(throws: AnswerError.self) { try AnswerLibrary.load(answers, .none) }
    }
}
