// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineDetectors
import TaplineModel
import TaplineOperations
import TaplinePlugin
import TaplineProxy
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("tapline replay", .timeLimit(.minutes(3)))
struct ReplayCommandTests {
    /// Four exchanges of two hosts, one of them with a masked value.
    private static let lines = """
        {"v":1,"id":"01930000-0000-7000-8000-000000000001","started":"2026-11-20T14:03:00Z",\
        "request":{"method":"GET","url":"http://api.test/a",\
        "headers":[["Authorization","Bearer SeCrEt77x"]]},"response":{"status":200}}
        {"v":1,"started":"2026-11-20T14:03:01Z",\
        "request":{"method":"GET","url":"http://api.test/missing"},"response":{"status":200}}
        {"v":1,"started":"2026-11-20T14:03:02Z",\
        "request":{"method":"GET","url":"http://img.test/b"},"response":{"status":200}}
        {"v":1,"started":"2026-11-20T14:03:03Z",\
        "request":{"method":"GET","url":"http://api.test/c?key=%5Bredacted%5D"}}

        """

    private func recording() throws -> TemporaryFolder {
        try TemporaryFolder(["r.ndjson": Self.lines])
    }

    private func replay(_ words: String...) async -> Outcome {
        await tapline(words: ["replay"] + words, plugins: .detectors.adding(.proxy))
    }

    @Test("names the missing product if there is no source client_replay")
    func noSource() async {
        let outcome = await tapline("replay", "a", "--to", "http://127.0.0.1")
        #expect(outcome.code == .configuration)
        #expect(outcome.errors.contains("needs the product 'TaplineProxy'"))
    }

    @Test(
        "refuses options without effect, and files of an unknown kind",
        arguments: [
            (["--report", "html"], "'--report' needs '--compare'"),
            (["--report-out", "new.html"], "'--report-out' needs '--compare'"),
            (["--max-differences", "1"], "'--max-differences' needs '--compare'"),
            (["--out", "r1.txt"], "expected a file '.ndjson', '.jsonl', '.db' or '.sqlite'"),
        ]
    )
    func withoutEffect(_ options: [String], _ message: String) async throws {
        let folder = try recording()
        let words = ["replay", folder("r.ndjson"), "--to", "http://127.0.0.1:9"] + options
        let outcome = await tapline(words: words, plugins: .detectors.adding(.proxy))
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test(
        "reports a wrong value by its option, with the value",
        arguments: [
            (["--rate", "5/x"], "--rate: error: invalid rate; found '5/x'", "5/x"),
            (["--speed", "fast"], "--speed: error: invalid speed; found 'fast'", "fast"),
            (["--concurrency", "0"], "--concurrency: error: the number is out of range", "0"),
            (["--for", "soon"], "--for: error: this is not a quantity; found 'soon'", "soon"),
            (["--loop", "0"], "--loop: error: wrong type of value; found '0'", "0"),
            (["--limit", "0"], "--limit: error: the number is out of range; found 0", "0"),
            (["--sessions", "cookie"], "--sessions: error: unknown field 'cookie'", "cookie"),
            (["--map-file", "/"], "--map-file: error: cannot open '/'; is a directory", "/"),
            (["--auth", "request=X"], "--auth: error: unexpected end", "request=X"),
            (["--to", "a.test=b"], "--to: error: this is not a server; found 'b'", "a.test=b"),
            (
                ["--and", "ftp://x", "--dry-run"],
                "--and: error: this is not a server; found 'ftp://x'", "ftp://x"
            ),
            (
                ["--rate", "5/s", "--speed", "2x"],
                "--speed: error: 'rate' and 'speed' exclude each other", "2x"
            ),
        ] as [([String], String, String)]
    )
    func wrongValues(_ options: [String], _ message: String, _ value: String) async throws {
        let folder = try recording()
        let target = options[0] == "--to" ? [] : ["--to", "http://127.0.0.1:9"]
        let words = ["replay", folder("r.ndjson")] + target + options
        let outcome = await tapline(words: words, plugins: .detectors.adding(.proxy))
        #expect(outcome.code == .configuration)
        #expect(outcome.errors.hasPrefix(message), "\(outcome.errors)")
        #expect(outcome.errors.contains("\n      | \(value)\n"), "\(outcome.errors)")
    }

    @Test("sends a recording, records what came, and prints the figures")
    func sends() async throws {
        let target = try PythonServer("replay_target")
        let folder = try recording()
        let out = folder("out.ndjson")
        let outcome = await replay(
            folder("r.ndjson"),
            "--to",
            target.url,
            "--speed",
            "max",
            "--out",
            out
        )
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.output.contains("3 of 3 requests sent"))
        #expect(outcome.output.contains("status 404  1\n"))
        #expect(outcome.output.contains("1 have a different status from the recorded one\n"))
        #expect(outcome.output.contains("service, from sending"))
        #expect(outcome.output.contains("; 1 more cannot be sent, see below\n"))
        #expect(outcome.output.contains("1 recorded request cannot be sent:"))
        #expect(outcome.output.contains("a value was masked, so it is not known  1"))
        let records = try folder.read("out.ndjson").split(separator: "\n")
        #expect(records.count == 3)
        let of = #""of":"01930000-0000-7000-8000-000000000001""#
        #expect(records.filter { $0.contains(of) && $0.contains(#""status":200}"#) }.count == 1)
        // Sent as recorded, or the server would answer with 401, and redacted in the new recording.
        #expect(outcome.output.contains("status 200  2\n"))
        #expect(!records.contains { $0.contains("SeCrEt77x") })
        let again = await replay(folder("r.ndjson"), "--to", target.url, "--out", out)
        #expect(again.code == .usage && again.errors.contains("exists"))
    }

    @Test("takes paths as they are, also with '$'")
    func literalPaths() async throws {
        let target = try PythonServer("replay_target")
        let folder = try TemporaryFolder(["$$r.ndjson": Self.lines])
        let outcome = await replay(
            folder("$$r.ndjson"),
            "--to",
            target.url,
            "--speed",
            "max",
            "--out",
            folder("$$out.ndjson")
        )
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(try folder.read("$$out.ndjson").split(separator: "\n").count == 3)
    }

    @Test("prints the figures as JSON, for the hosts that have a server")
    func json() async throws {
        let target = try PythonServer("replay_target")
        let folder = try recording()
        let outcome = await replay(
            folder("r.ndjson"),
            "--to",
            "api.test=\(target.url)",
            "--rate",
            "200/s",
            "--filter",
            #"path != "/missing""#,
            "--json"
        )
        #expect(outcome.code == .success, "\(outcome.errors)")
        for part in [
            #""due":1,"sent":1,"skipped":0,"failed":0"#, #""wanted_rate":200"#,
            #""statuses":{"200":1}"#, #""not_sent":{"masked":1,"no_target":1}"#,
            #""hosts_without_target":{"img.test":1}"#,
        ] { #expect(outcome.output.contains(part), "\(part) in \(outcome.output)") }
    }

    @Test("a dry run prints what would be sent where, and sends nothing")
    func dryRun() async throws {
        let folder = try recording()
        let outcome = await replay(
            folder("r.ndjson"),
            "--to",
            "api.test=http://192.0.2.1",
            "--dry-run"
        )
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("2 requests would be sent, with 0 bytes in bodies\n"))
        #expect(outcome.output.contains("  http://192.0.2.1  2\n"))
        #expect(outcome.output.contains("no '--to' for img.test: 1"))
    }

    @Test("the stages and sinks of a file get what is sent")
    func config() async throws {
        let target = try PythonServer("replay_target")
        let folder = try recording()
        let file = try folder.write(
            """
            version: 1
            sources: [{ replay: { path: nowhere.har } }]
            stages: [{ limit_body: { max_bytes: 1B } }]
            sinks: [{ ndjson: { path: kept.ndjson } }]
            """,
            to: "p.yaml"
        )
        let outcome = await replay(
            folder("r.ndjson"),
            "--to",
            target.url,
            "--speed",
            "max",
            "--config",
            file,
            "--set",
            "client_replay.limit=2"
        )
        #expect(outcome.code == .success, "\(outcome.errors)")
        let records = try folder.read("kept.ndjson").split(separator: "\n")
        #expect(records.count == 2 && records.allSatisfy { $0.contains(#""truncated":true"#) })
    }

    @Test("two servers get all requests, and their answers are compared with each other")
    func twoTargets() async throws {
        let old = try PythonServer("replay_target")
        let new = try PythonServer("replay_target", arguments: ["?"])
        let folder = try recording()
        func replay(_ words: String...) async -> Outcome {
            await tapline(
                words: ["replay", folder("r.ndjson"), "--to", old.url, "--and"] + words
                    + ["--speed", "max"],
                plugins: .detectors.adding(.proxy)
            )
        }
        let same = await replay(old.url, "--compare", "--loop", "2")
        #expect(same.code == .success, "\(same.output)\(same.errors)")
        #expect(same.output.contains("6 pairs compared, no differences\n"))

        let different = await replay(new.url, "--compare", "--report", "json", "--json")
        #expect(different.code == .failure)
        let counts = #""due":3,"sent":3,"skipped":0,"failed":0"#
        for part in [
            #"{"to":{\#(counts)"#, #"},"and":{\#(counts)"#, #""pairs":3,"differing":3"#,
            ##""recorded":"\"/b\"","found":"\"/b?\"""##,
        ] { #expect(different.output.contains(part), "\(part) in \(different.output)") }

        let rules = folder("noise.txt")
        let learned = await replay(new.url, "--learn", rules)
        #expect(learned.code == .success && learned.errors.contains("3 rules written to"))
        #expect(learned.output.contains("\(old.url):\n3 of 3 requests sent"))
        let covered = await replay(new.url, "--compare", "--noise", rules)
        #expect(covered.code == .success, "\(covered.output)")
        #expect(covered.output.contains("3 pairs compared, no differences, 3 ignored by rules"))
    }

    @Test("a comparison shows nothing that the stages of a file mask")
    func comparedThroughStages() async throws {
        let target = try PythonServer("replay_target", arguments: ["?city=Rome"])
        let line = #"""
            {"v":1,"started":"2026-11-20T14:03:02Z",\#
            "request":{"method":"GET","url":"http://img.test/b"},\#
            "response":{"status":200,"headers":[["X-City","Bonn"],["Location","/Bonn"]],\#
            "body":{"text":"/b?city=Bonn"}}}

            """#
        let folder = try TemporaryFolder(["r.ndjson": line])
        let file = try folder.write(
            "version: 1\nsources: [stdin]\nstages: [{ redact: { patterns: [{ name: city, regex: 'Bonn|Rome' }] } }]\n",
            to: "p.yaml"
        )
        let words = ["replay", folder("r.ndjson"), "--to", target.url, "--compare"]
        let plain = await tapline(words: words, plugins: .detectors.adding(.proxy))
        #expect(plain.output.contains("Bonn"))
        let masked = await tapline(
            words: words + ["--config", file],
            plugins: .detectors.adding(.proxy)
        )
        #expect(masked.code == .failure, "\(masked.errors)")
        #expect(masked.output.contains("header.location is missing, 1 time"), "\(masked.output)")
        for part in ["Bonn", "Rome", "text changed"] { #expect(!masked.output.contains(part)) }
    }

    @Test(
        "a wrong command line is refused",
        arguments: [
            ([], ExitCode.usage, "'replay' needs '--to'"),
            (["--to", "a=http://h", "--to", "http://h"], .usage, "expected HOST=URL for each"),
            (
                ["--to", "http://h", "--and", "http://b", "--and", "http://c", "--compare"], .usage,
                "wrong value of '--and'; found 'http://b' beside others"
            ),
            (["--to", "http://h", "--and", "http://h"], .usage, "needs '--compare'"),
            (
                ["--to", "http://h", "--and", "http://h", "--compare", "--out", "o.db"], .usage,
                "excludes '--out'"
            ),
            (["--to", "http://h", "--learn", "x", "--compare"], .usage, "excludes '--compare'"),
            (["--to", "http://h", "--loop", "x"], .usage, "wrong value of '--loop'"),
            (["--to", "http://h", "--limit", "x"], .usage, "wrong value of '--limit'"),
            (["--to", "http://h", "--filter", "nope"], .usage, "filter"),
            (["--to", "ftp://h"], .configuration, "this is not a server"),
            (["--to", "http://${X:-h}:1"], .configuration, "found 'http://${X:-h}:1'"),
            (
                ["--to", "http://h", "--sessions", "host path"], .configuration,
                "'header NAME', 'query NAME', 'json $.PATH'"
            ),
            (["--to", "http://h", "--rate", "5"], .configuration, "invalid rate"),
            (["--to", "http://h", "--rate", "5/s -> 0/s over 1s"], .configuration, "invalid rate"),
            (
                ["--to", "http://h", "--rate", "5/s", "--speed", "2x"], .configuration,
                "exclude each"
            ),
            (["--to", "http://h", "--speed", "0x"], .configuration, "invalid speed"),
            (["--to", "http://h", "--for", "5"], .configuration, "the unit is missing"),
        ] as [([String], ExitCode, String)]
    )
    func wrong(words: [String], code: ExitCode, message: String) async throws {
        let folder = try recording()
        let outcome = await tapline(
            words: ["replay", folder("r.ndjson")] + words,
            plugins: .proxy
        )
        #expect(outcome.code == code)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("recordings that do not exist fail the run")
    func missing() async {
        let outcome = await replay("/nowhere/r.ndjson", "--to", "http://127.0.0.1:1")
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("/nowhere/r.ndjson"))
    }
}

@Suite struct ReplayTextTests {
    @Test(
        arguments: [
            (0, "0 us"), (45_400, "45 us"), (999_600, "1.00 ms"), (1_234_000, "1.23 ms"),
            (4_500_000_000, "4.50 s"),
        ] as [(Int, String)]
    )
    func times(nanoseconds: Int, text: String) {
        #expect(ReplayText.time(nanoseconds) == text)
    }

    @Test(
        "the generator is blamed only if more than one in a hundred was late because of it",
        arguments: [
            (1000, 10, 500, false), (1000, 11, 0, true), (5, 1, 0, true), (0, 0, 0, false),
        ] as [(Int, Int, Int, Bool)]
    )
    func blame(due: Int, generator: Int, target: Int, fails: Bool) {
        var report = ReplayReport()
        report.counts.due = due
        report.counts.lateByGenerator = generator
        report.counts.lateByTarget = target
        report.concurrency = 7
        #expect((report.generatorFailure != nil) == fails)
    }
}
