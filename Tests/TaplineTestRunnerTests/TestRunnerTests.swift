// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import Testing

@testable import TaplineTestRunner

@Suite("The test runner")
struct TestRunnerTests {
    private static let line =
        "{\"v\":1,\"request\":{\"method\":\"GET\",\"url\":\"http://a/1\",\"headers\":[]},"
        + "\"response\":{\"status\":200,\"headers\":[]}}\n"
    private static let recording = Array((line + line.replacing("a/1", with: "a/2")).utf8)
    private static let har = Array(
        """
        {"log":{"version":"1.2","creator":{"name":"a","version":"1"},"entries":[
        {"startedDateTime":"2026-01-01T00:00:00Z","time":1,"request":{"method":"GET","url":"http://a/1",
        "httpVersion":"HTTP/1.1","headers":[],"queryString":[],"cookies":[],"headersSize":-1,"bodySize":0},
        "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","headers":[],"cookies":[],
        "content":{"size":0,"mimeType":""},"redirectURL":"","headersSize":-1,"bodySize":0},
        "cache":{},"timings":{"send":0,"wait":1,"receive":0}}]}}
        """.utf8
    )

    private static func encoded(_ bytes: [UInt8], _ coding: ContentCoding) throws -> [UInt8] {
        let encoder = try ContentEncoder(coding)
        var output: [UInt8] = []
        try encoder.encode(bytes.span, appendingTo: &output)
        try encoder.finish(appendingTo: &output)
        return output
    }

    @Test("reads recordings of every format, compressed or not")
    func formats() throws {
        let files = [
            "a.ndjson": Self.recording, "a.har": Self.har,
            "a.ndjson.gz": try Self.encoded(Self.recording, .gzip),
            "a.har.gz": try Self.encoded(Self.har, .gzip),
            "a.ndjson.zst": try Self.encoded(Self.recording, .zstd),
            "a.har.zst": try Self.encoded(Self.har, .zstd),
        ]
        for name in files.keys {
            let ran = try run(
                """
                pipeline: pipeline.yaml
                tests:
                  - name: it
                    exchange: { file: \(name), where: path == "/1" }
                    expect: { server: { path: /1, headers: { x-seen: 1 } }, client: { status: 200 } }
                """,
                pipeline("function request(ex) ex.request.headers['X-Seen'] = 1 end"),
                files: files
            )
            #expect(ran.isPassed, "\(name): \(ran.diagnostics)\(ran.text)")
        }
    }

    /// Selections from a recording of two exchanges, with an expectation and whether it is met.
    static let choices = [
        ("index: 0", "{ server: { path: /1 } }", true),
        ("index: 1", "{ server: { path: /2 } }", true),
        ("index: 1", "{ server: { path: /1 } }", false),
        ("index: 2", "{ failed: false }", false),
        ("where: path == \"/2\", index: 0", "{ server: { path: /2 } }", true),
        ("where: path == \"/2\", index: 1", "{ failed: false }", false),
        ("where: path == \"/3\"", "{ failed: false }", false),
        ("where: status == 200", "{ client: { status: 200 } }", true),
        ("where: status == 200", "{ server: { path: /1 } }", false),
    ]

    @Test("runs all exchanges of a recording, some, or one; none is a failure", arguments: choices)
    func choice(choice: String, expectation: String, holds: Bool) throws {
        let ran = try run(
            """
            pipeline: pipeline.yaml
            tests: [{ name: it, exchange: { file: a.ndjson, \(choice) }, expect: \(expectation) }]
            """,
            pipeline("function request(ex) end"),
            files: ["a.ndjson": Self.recording]
        )
        #expect(ran.results.count == 1, "\(ran.diagnostics)")
        #expect(ran.isPassed == holds, "\(ran.text)")
    }

    @Test("reads long recordings whose exchanges log many lines")
    func long() throws {
        let count = 5000
        let ran = try run(
            """
            pipeline: pipeline.yaml
            tests:
              - name: it
                exchange: { file: a.ndjson }
                expect: { log: "seen /1", client: { status: 200 } }
            """,
            pipeline("function request(ex) log('seen', ex.request.path) end")
                .replacing("lua:\n", with: "lua:\n      max_log: 0\n"),
            files: ["a.ndjson": Array(String(repeating: Self.line, count: count).utf8)]
        )
        #expect(ran.isPassed, "\(ran.diagnostics)\(ran.text)")
        #expect(ran.usage.scripts.first?.lines.values.contains { $0 >= count } == true)
        #expect((ran.results.first?.log.count ?? 0) <= 2000)
    }

    @Test("fails if a recording is broken")
    func broken() throws {
        let ran = try run(
            """
            pipeline: pipeline.yaml
            tests: [{ name: it, exchange: { file: a.ndjson }, expect: { failed: false } }]
            """,
            pipeline("function request(ex) end"),
            files: ["a.ndjson": Self.recording + Array("{\"v\":1}\n".utf8)]
        )
        #expect(ran.text.contains("the recording cannot be read"), "\(ran.text)")
        #expect(ran.text.contains("a.ndjson:3: missing key 'request'"), "\(ran.text)")
    }

    @Test("uses the same clock, ids and random numbers in every run, and others on request")
    func repeats() throws {
        let script = """
            function request(ex)
              log(time.iso8601(), ex.id, math.random(1 << 40), uuid.v4(), uuid.v7())
            end
            """
        func logged(_ more: String = "") throws -> String {
            let test = "exchange: { request: GET http://a/ }, expect: { failed: false }\(more)"
            let ran = try run(
                "pipeline: pipeline.yaml\ntests: [{ name: it, \(test) }]",
                pipeline(script)
            )
            return try #require(ran.results.first?.log.last?.message, "\(ran.diagnostics)")
        }
        let first = try logged()
        let start = "2026-01-01T00:00:00Z 019b76da-a800-7000-8000-000000000000 "
        #expect(first.hasPrefix(start), "\(first)")
        for _ in 1...5 { #expect(try logged() == first) }
        #expect(try logged(", seed: 1") == first)
        let other = try logged(", seed: 2")
        #expect(other != first && other.hasPrefix(start))
        let later = try logged(", clock: 2026-02-03T04:05:06Z")
        #expect(later.hasPrefix("2026-02-03T04:05:06Z "), "\(later)")
    }

    @Test("starts each test with new state, and keeps state from step to step")
    func fresh() throws {
        let script = """
            local count = 0
            function request(ex) count = count + 1 ex.tags.count = count end
            """
        let one = "exchange: { request: GET http://a/ }, expect: { tags: { count: 1 } }"
        let two = "exchange: { request: GET http://a/ }, expect: { tags: { count: 2 } }"
        let ran = try run(
            """
            pipeline: pipeline.yaml
            tests:
              - { name: a, \(one) }
              - { name: b, \(one) }
              - { name: c, steps: [{ \(one) }, { \(two) }] }
            """,
            pipeline(script)
        )
        #expect(ran.isPassed, "\(ran.diagnostics)\(ran.text)")
    }

    @Test("runs only the named stages, with the given options and variables")
    func environment() throws {
        let script =
            "local c function start(config) c = config end "
            + "function request(ex) ex.tags.a, ex.tags.b = c.a, c.b end"
        let pipeline = pipeline(script, more: "  - redact: { json: [email] }")
            .replacing("lua:\n", with: "lua:\n      config: { a: \"${A}\", b: 1 }\n")
        let exchange = "exchange: { request: GET http://a/, response: { json: { email: x } } }"
        let ran = try run(
            """
            pipeline: pipeline.yaml
            env: { A: file, HOME: none }
            set: { lua.config.b: 2 }
            tests:
              - { name: a, \(exchange), expect: { tags: { a: file, b: 2 }, response: { json: { email: "[redacted]" } } } }
              - { name: b, \(exchange), env: { A: own }, set: { lua.config.b: 3 }, stages: lua,
                  expect: { tags: { a: own, b: 3 }, response: { json: { email: x } } } }
              - { name: c, \(exchange), stages: redact, expect: { absent: [tags.a], response: { json: { email: "[redacted]" } } } }
            """,
            pipeline
        )
        #expect(ran.isPassed, "\(ran.diagnostics)\(ran.text)")
        let without = try run(
            "pipeline: pipeline.yaml\ntests: [{ name: a, \(exchange), expect: { failed: false } }]",
            pipeline
        )
        #expect(without.diagnostics.contains("'A' is not set"), "\(without.diagnostics)")
        #expect(
            without.diagnostics.contains("set it in 'env' of the test or its file, or give"),
            "\(without.diagnostics)"
        )
    }

    @Test("fails a test whose stages do not start, or fail while they stop")
    func startAndStop() throws {
        let start = try expecting(
            "{ failed: false }",
            after: "function start() error('no') end "
                + "function request(ex) end"
        )
        #expect(start.text.contains("a stage did not start"), "\(start.text)")
        let stop = try expecting(
            "{ failed: false }",
            after: "function stop() error('no') end "
                + "function request(ex) end"
        )
        #expect(stop.text.contains("a stage failed while it stopped"), "\(stop.text)")
    }

    @Test("passes bodies of live traffic to wire hooks only if a stage asks for them")
    func buffer() throws {
        let plugins = PluginRegistry(sources: [
            SourcePlugin(name: "live", summary: "Never.", options: .init(), isLive: true) { _, _ in
                ScriptedSource([])
            }
        ])
        let script = "function request(ex) ex.tags.body = ex.request.body end"
        let tests = """
            pipeline: pipeline.yaml
            tests:
              - name: it
                exchange: { request: { url: "http://a/", body: hello } }
                expect: { tags: { body: hello } }
            """
        let live = pipeline(script).replacing("[{ replay: { path: nowhere.har } }]", with: "[live]")
        let without = try run(tests, live, plugins: plugins)
        #expect(without.text.contains("buffer"), "\(without.diagnostics)\(without.text)")
        let asked = live.replacing("  - lua:\n", with: "  - buffer: [request]\n    lua:\n")
        let with = try run(tests, asked, plugins: plugins)
        #expect(with.isPassed, "\(with.diagnostics)\(with.text)")
        #expect(try run(tests, pipeline(script)).isPassed)
    }

    @Test("checks the results of other plugins, too")
    func plugins() throws {
        let plugins = PluginRegistry(stages: [
            StagePlugin(name: "own", summary: "Answers.", options: .init(), hasWireHooks: true) {
                _,
                _ in
                ScriptedStage(request: { exchange, _ in
                    .respond(Response(status: 418)).delayed(by: Microseconds(1500))
                })
            }
        ])
        let ran = try run(
            """
            pipeline: pipeline.yaml
            tests:
              - { name: it, exchange: { request: GET http://a/ }, expect: { responded: { status: 418 }, delayed: 1.5ms } }
            """,
            "version: 1\nsources: [{ replay: { path: no.har } }]\nstages: [own]\nsinks: [stdout]\n",
            plugins: plugins
        )
        #expect(ran.isPassed, "\(ran.diagnostics)\(ran.text)")
    }
}
