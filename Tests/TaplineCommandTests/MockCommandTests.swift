// SPDX-License-Identifier: MIT

import Synchronization
import TaplineDetectors
import TaplineOperations
import TaplinePlugin
import TaplineProxy
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("tapline mock", .timeLimit(.minutes(3)))
struct MockCommandTests {
    private let folder: TemporaryFolder
    private var environment: [String: String] {
        ["PATH": "/usr/bin:/bin", "XDG_DATA_HOME": folder("data"), "HOME": folder.path]
    }

    init() throws {
        folder = try TemporaryFolder([
            "rec.ndjson": ["a", "b"].map { name in
                #"{"v":1,"state":"completed","started":"2026-11-20T14:03:00Z","#
                    + #""request":{"method":"GET","url":"https://api.test/\#(name)"},"#
                    + #""response":{"status":200,"headers":[["Content-Type","text/plain"]],"#
                    + #""body":{"text":"answer \#(name)"}}}"# + "\n"
            }.joined()
        ])
    }

    private func mock(_ words: String...) async -> Outcome {
        await tapline(
            words: ["mock"] + words,
            plugins: .detectors.adding(.proxy),
            environment: environment
        )
    }

    @Test(
        "answers a command over HTTPS, and ends with its exit code",
        arguments: ["rec.ndjson", "rec.har", "rec.db"]
    )
    func exec(name: String) async throws {
        if name != "rec.ndjson" {
            let words = ["import", folder("rec.ndjson"), "--out", folder(name)]
            let made = await tapline(words: words, environment: environment)
            #expect(made.code == .success, "\(made.errors)")
        }
        let script = """
            curl -sS -m 20 https://api.test/a > "$0/a"
            curl -sS -m 20 https://api.test/c > "$0/c"
            exit 3
            """
        let outcome = await mock(
            folder(name),
            "--exec",
            "--",
            "sh",
            "-c",
            script,
            folder.path
        )
        #expect(outcome.code.rawValue == 3, "\(outcome.errors)")
        #expect(try folder.read("a") == "answer a")
        #expect(try folder.read("c").contains("path segment 1: recorded 'a', now 'c'"))
        #expect(
            outcome.errors.contains(
                "tapline: 1 request answered, 1 without a recording; 1 of 2 recordings unused\n"
            ),
            "\(outcome.errors)"
        )
        #expect(
            outcome.errors.contains(
                "no recording answers a request; the nearest one differs in path segment 1\n"
            )
        )
        #expect(outcome.errors.contains("unused recordings:\n  GET api.test/b\n"))
    }

    @Test("takes the path of the recording as it is, also with '$'")
    func literalPath() async throws {
        let path = try folder.write(try folder.read("rec.ndjson"), to: "$$rec.ndjson")
        let outcome = await mock(path, "--exec", "--", "true")
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.errors.contains("2 of 2 recordings unused"), "\(outcome.errors)")
    }

    @Test(
        "reports a wrong value by its option, with the value",
        arguments: [
            ("--listen", "here", "--listen: error: this is not an address to listen on", "^~~~"),
            ("--filter", "x == 1", "--filter: error: unknown field 'x'", "^"),
            ("--match", "mood", "--match: error: unknown part of a request; found 'mood'", "^~~~"),
            (
                "--match", "path == \"x\" => method, mood",
                "--match: error: unknown part of a request; found 'mood'",
                "                       ^~~~"
            ),
            ("--match", "x == 1 => method", "--match: error: unknown field 'x'", "^"),
            ("--ignore", "mood", "--ignore: error: this cannot be ignored; found 'mood'", "^~~~"),
            ("--session", "cookie", "--session: error: unknown field 'cookie'", "^~~~~~"),
            ("--latency", "soon", "--latency: error: invalid latency; found 'soon'", "^~~~"),
            ("--upstream", "shop", "--upstream: error: this is not a server", "^~~~"),
        ]
    )
    func wrongValues(
        _ option: String,
        _ value: String,
        _ message: String,
        _ mark: String
    ) async {
        let outcome = await mock(folder("rec.ndjson"), option, value)
        #expect(outcome.code == .configuration)
        #expect(outcome.errors.hasPrefix(message), "\(outcome.errors)")
        let excerpt = "\n      | \(value)\n      | \(mark)\n"
        #expect(outcome.errors.contains(excerpt), "\(outcome.errors)")
    }

    @Test("reports a recording that does not exist")
    func noRecording() async {
        let outcome = await mock(folder("none.ndjson"))
        #expect(outcome.code == .configuration)
        #expect(outcome.errors.hasPrefix("REC: error: there is no file"), "\(outcome.errors)")
    }

    @Test("prints no values of requests")
    func prints() async throws {
        let script = """
            curl -sS -m 20 'https://api.test/planted-path?planted-name&page=planted-value' > "$0/c"
            """
        let outcome = await mock(
            folder("rec.ndjson"),
            "--exec",
            "--",
            "sh",
            "-c",
            script,
            folder.path
        )
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(try folder.read("c").contains("now 'planted-path'"))
        #expect(
            outcome.errors.contains("differs in path segment 1, another query item\n"),
            "\(outcome.errors)"
        )
        #expect(!outcome.errors.contains("now 'planted"), "\(outcome.errors)")
        var report = AnswerReport()
        report.misses = 3
        report.lastMisses = ["planted-path"]
        report.lastMissSummaries = ["one", "other", "one"]
        report.firstUnused = ["planted-path"]
        report.firstUnusedRoutes = ["GET api.test/{id}"]
        report.unused = 2
        let lines = MockCommand.lines(of: report)
        #expect(
            lines.dropFirst() == [
                "the last of these requests:", "  one (2 times)", "  other", "unused recordings:",
                "  GET api.test/{id}", "  and 1 more",
            ]
        )
    }

    @Test("serves at an address that it prints, for a time")
    func serves() async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let console = Console(
            isTerminal: false,
            output: { continuation.yield(String(decoding: $0, as: UTF8.self)) },
            errors: { _ in }
        )
        let words = ["mock", folder("rec.ndjson"), "--filter", "path == \"/a\"", "--for", "3s"]
        let environment = environment
        async let code = TaplineCommand.program.run(
            words,
            plugins: .detectors.adding(.proxy),
            environment: Environment(environment),
            console: console
        )
        var iterator = lines.makeAsyncIterator()
        let url = try #require(await iterator.next()?.split(separator: "\n").first)
        #expect(url.hasPrefix("http://127.0.0.1:"))
        #expect(try await command("curl", ["-sS", "-m", "20", "\(url)/a"]) == "answer a")
        let miss = try await command("curl", ["-sS", "-m", "20", "\(url)/b"])
        #expect(miss.contains("path segment 1: recorded 'a', now 'b'"))
        #expect(await code == .success)
    }

    @Test("uses the pipeline of a file")
    func file() async throws {
        _ = try folder.write(
            """
            version: 1
            sources: [{ server_replay: { path: none.har } }]
            stages: [{ lua: { code: "function response(ex) ex.response.status = 202 end" } }]
            sinks: [{ ndjson: { path: out.ndjson } }]
            """,
            to: "p.yaml"
        )
        let outcome = await mock(
            folder("rec.ndjson"),
            "--config",
            folder("p.yaml"),
            "--exec",
            "--",
            "sh",
            "-c",
            "curl -sS -m 20 -w '%{http_code}' https://api.test/a > \"$0/a\"",
            folder.path
        )
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(try folder.read("a") == "answer a202")
        #expect(try folder.read("out.ndjson").contains(#""status":202"#))
    }

    @Test(
        "appends what a server answers, redacted",
        arguments: ["new.ndjson", "new.db", "rec.ndjson"]
    )
    func recordsTo(name: String) async throws {
        let server = try PythonServer("numbering_server")
        // The recording may be read again at any time.
        let script = """
            for i in 1 2; do curl -sS -m 20 \(server.url)/new?token=secret; sleep 0.3; done > "$0/a"
            """
        let words = [
            folder("rec.ndjson"), "--record-to", folder(name), "--exec", "--", "sh", "-c", script,
            folder.path,
        ]
        let outcome = await tapline(
            words: ["mock"] + words,
            plugins: .detectors.adding(.proxy),
            environment: environment
        )
        #expect(outcome.code == .success, "\(outcome.errors)")
        let answer = #"{"number":1,"access_token":"planted-token-1234"}"#
        #expect(try folder.read("a") == answer + answer)
        let query = await tapline(
            words: ["query", folder(name), #"path == "/new""#, "--format", "ndjson"],
            environment: environment
        )
        let lines = query.output.split(separator: "\n")
        #expect(lines.count == 1, "\(query.output)\(query.errors)")
        #expect(lines.first?.contains("planted-token") == false)
        #expect(lines.first?.contains("token=secret") == false)
        // Masks match anything, so that another run needs no server.
        let again = await mock(
            folder(name),
            "--exec",
            "--",
            "sh",
            "-c",
            "curl -sS -m 20 \(server.url)/new?token=other > \"$0/b\"",
            folder.path
        )
        #expect(again.code == .success, "\(again.errors)")
        #expect(try folder.read("b").contains(#""number":1"#))
    }

    @Test("compares recordings that match a filter by parts of their own")
    func matchRule() async throws {
        let outcome = await mock(
            folder("rec.ndjson"),
            "--match",
            #"path == "/a" => path, query["y"], ignore query x"#,
            "--templates",
            "--session",
            "query id",
            "--exec",
            "--",
            "sh",
            "-c",
            "curl -sS -m 20 -d x 'http://other.test/a?x=1' > \"$0/a\"; "
                + "curl -sS -m 20 'https://other.test/b' > \"$0/b\"",
            folder.path
        )
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(try folder.read("a") == "answer a")
        #expect(try folder.read("b").contains("host: recorded 'api.test', now 'other.test'"))
    }

    @Test("reports what is wrong with its options and recordings")
    func wrong() async {
        let missing = await mock(folder("none.har"))
        #expect(missing.code == .configuration)
        #expect(missing.errors.contains("there is no file '\(folder("none.har"))'"))
        let rec = folder("rec.ndjson")
        let part = await mock(rec, "--match", "pathh")
        #expect(part.code == .configuration && part.errors.contains("did you mean 'path'?"))
        let ignored = await mock(rec, "--ignore", "ts")
        #expect(ignored.code == .configuration && ignored.errors.contains("cannot be ignored"))
        let latency = await mock(rec, "--latency", "fast")
        #expect(latency.code == .configuration && latency.errors.contains("invalid latency"))
        let session = await mock(rec, "--session", "cookies")
        #expect(
            session.code == .configuration && session.errors.contains("unknown field 'cookies'")
        )
        let tokens = await mock(rec, "--session", "auto")
        #expect(tokens.code == .configuration && tokens.errors.contains("for recordings only"))
        let rule = await mock(rec, "--match", #"pathh == "/a" => method, pathh"#)
        #expect(rule.code == .configuration)
        #expect(rule.errors.contains("unknown field 'pathh'"), "\(rule.errors)")
        #expect(rule.errors.contains("unknown part of a request; found 'pathh'") == false)
        let value = await mock(rec, "--match", "status.x")
        #expect(value.code == .configuration, "\(value.errors)")
        let late = await mock(rec, "--match", #"response.header["x"]"#)
        #expect(late.code == .configuration && late.errors.contains("not one value of a request"))
        let empty = await mock(rec, "--match", #"path == "/a" =>"#)
        #expect(empty.code == .configuration && empty.errors.contains("the list is empty"))
        #expect(await mock(rec, "--record-to", folder("x.har")).code == .usage)
        let policy = await mock(rec, "--record-to", folder("x.db"), "--on-miss", "pass")
        #expect(policy.code == .usage && policy.errors.contains("cannot be combined"))
        #expect(await mock(rec, "--exec").code == .usage)
        #expect(await mock(rec, "--on-miss", "500").code == .usage)
        let none = await tapline("mock", rec)
        #expect(none.code == .configuration && none.errors.contains("TaplineProxy"))
        let unusable = await mock(rec, "--filter", "status == 500")
        #expect(unusable.code == .failure, "\(unusable.errors)")
        #expect(unusable.errors.contains("the recordings have no exchanges that match"))
    }
}
