// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("tapline stats")
struct StatsCommandTests {
    let folder: TemporaryFolder
    let database: String
    let recording: String

    /// The same eight exchanges in a database and in a recording, ten seconds apart.
    init() async throws {
        let stored = try await StoredTraffic(Self.exchanges)
        (folder, database, recording) = (stored.folder, stored.database, stored.recording)
    }

    private static let exchanges: [Exchange] = {
        let rows: [(method: ByteString, target: ByteString, status: Int, milliseconds: Int64)] = [
            ("GET", "/users/1", 200, 12), ("GET", "/users/2", 200, 12), ("PUT", "/users/1", 404, 8),
            ("GET", "/users/3", 200, 40), ("POST", "/cart?x=1", 500, 900),
            ("GET", "/users/4", 0, 0),
            ("GET", "/=1+2,\"x\"", 200, 3), ("GET", "/a\u{1B}[31m", 200, 3),
        ]
        return rows.enumerated().map { number, row in
            var exchange = Exchange.example(number, status: row.status)
            exchange.started = Timestamp(
                microseconds: 1_795_183_380_000_000 + Int64(number) * 10_000_000
            )
            exchange.request.method = row.method
            exchange.request.target = row.target
            exchange.request.body.size = row.method == "GET" ? nil : 2048
            exchange.connection.client = number < 4 ? "10.0.0.\(number % 2):\(5000 + number)" : ""
            exchange.timing.total = Microseconds(row.milliseconds * 1000)
            if row.status == 0 {
                exchange.response = nil
                exchange.state = .failed
                exchange.error = ExchangeError(code: "reset", message: "")
            }
            return exchange
        }
    }()

    /// The output, which is the same for the database and the recording.
    private func output(_ words: String...) async -> String {
        var outputs: [String] = []
        for store in [database, recording] {
            let outcome = await run(["stats", store] + words)
            #expect(outcome.code == .success, "\(outcome.errors)")
            outputs.append(outcome.output)
        }
        #expect(outputs[0] == outputs[1])
        return outputs[0]
    }

    private func run(_ words: [String], width: Int? = nil) async -> Outcome {
        let output = Mutex<[UInt8]>([])
        let errors = Mutex<[UInt8]>([])
        let console = Console(
            isTerminal: false,
            outputIsTerminal: width != nil,
            outputWidth: width,
            output: { bytes in output.withLock { $0 += bytes } },
            errors: { bytes in errors.withLock { $0 += bytes } }
        )
        let code = await TaplineCommand.program.run(
            words,
            plugins: PluginRegistry(),
            environment: Environment(["NO_COLOR": "1"]),
            console: console
        )
        return Outcome(
            code: code,
            output: String(decoding: output.withLock { $0 }, as: UTF8.self),
            errors: String(decoding: errors.withLock { $0 }, as: UTF8.self)
        )
    }

    @Test("prints a table with totals")
    func table() async {
        let expected = """
            route        status  count    share  errors    rate       up  down      p50      p90      p99      max
            /users/{id}  200         3   37.5 %       0  0.04/s      0 B  33 B  12.0 ms  40.0 ms  40.0 ms  40.0 ms
            /=1+2,"x"    200         1   12.5 %       0  0.01/s      0 B  11 B   3.0 ms   3.0 ms   3.0 ms   3.0 ms
            /a\\x1b[31m   200         1   12.5 %       0  0.01/s      0 B  11 B   3.0 ms   3.0 ms   3.0 ms   3.0 ms
            /cart        500         1   12.5 %       1  0.01/s  2.0 KiB  11 B   900 ms   900 ms   900 ms   900 ms
            /users/{id}  404         1   12.5 %       0  0.01/s  2.0 KiB  11 B   8.0 ms   8.0 ms   8.0 ms   8.0 ms
            /users/{id}  -           1   12.5 %       1  0.01/s      0 B   0 B        -        -        -        -
            total                    8  100.0 %       2  0.11/s  4.0 KiB  77 B  12.0 ms   900 ms   900 ms   900 ms

            """
        #expect(await output("--by", "route,status") == expected)
    }

    @Test("prints the total alone without fields, also of nothing")
    func total() async {
        let expected = """
            count    share  errors    rate       up  down      p50     p90     p99     max
                7  100.0 %       2  0.10/s  4.0 KiB  66 B  12.0 ms  900 ms  900 ms  900 ms

            """
        #expect(await output("not path contains \"=\"") == expected)
        let none = await output("status == 1")
        #expect(none.contains("\n    0  0.0 %       0     -  0 B   0 B    -"), "\(none)")
    }

    @Test("groups by time and shows the first rows")
    func time() async {
        let text = await output("--by=method", "--every=1m", "--top=1")
        let lines = text.split(separator: "\n").map { $0.prefix(36) }
        #expect(
            lines == [
                "time (UTC)           method  count  ", "2026-11-20 14:03:00  GET         4  ",
                "2026-11-20 14:04:00  GET         2  ", "and 2 more rows",
                "total                            8  ",
            ]
        )
    }

    @Test("fits a terminal and draws bars there")
    func terminal() async {
        for width in [180, 120, 80, 50, 30] {
            let outcome = await run(["stats", database, "--by=route,status"], width: width)
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count == 8)
            #expect(lines.allSatisfy { $0.unicodeScalars.count <= width }, "\(outcome.output)")
            #expect(outcome.output.contains("  ██████████\n") == (width >= 80))
            #expect(lines[0].contains("count") && lines[0].contains("p50"))
            #expect(!outcome.output.contains("\u{1B}"))
        }
    }

    @Test(
        "and other commands show control characters in CSV on a terminal",
        arguments: [
            ["stats", "--by=path"], ["query", "--columns=path", "--no-pager"], ["export"],
        ]
    )
    func controls(words: [String]) async {
        let format = words[0] == "export" ? "--to=csv" : "--format=csv"
        var command = words + [format]
        command.insert(database, at: 1)
        let shown = await run(command, width: 80).output
        #expect(shown.contains(#"/a\x1b[31m"#), "\(shown)")
        #expect(!shown.utf8.contains { $0 < 0x20 && $0 != 0x0A })
        let piped = await run(command).output
        #expect(piped.contains("/a\u{1B}[31m"))
    }

    @Test("prints CSV without formulas")
    func csv() async {
        let text = await output("--by=path,error", "--format=csv", "--sort=key")
        let lines = text.split(separator: "\r\n")
        #expect(
            lines[0] == "path,error,count,share,errors,rate_per_second,bytes_up,bytes_down,"
                + "p50_ms,p90_ms,p99_ms,max_ms"
        )
        #expect(lines[1].hasPrefix("\"/=1+2,\"\"x\"\"\",,1,0.125,0,0.01429,0,11,3.000,3.000,"))
        #expect(lines.last == "/users/4,reset,1,0.125,1,0.01429,0,0,,,,")
        let methods = await output(#"request.header["x-formula"] exists"#, "--format=csv")
        #expect(methods.split(separator: "\r\n").count == 1)
    }

    @Test("prints JSON")
    func json() async {
        let text = await output("route == \"/users/{id}\"", "--by=status,duration", "--top=2")
        #expect(text.contains("12.000 ms"))
        let json = await output(
            "route == \"/users/{id}\"",
            "--by=status,duration",
            "--top=2",
            "--format=json"
        )
        #expect(
            json == """
                {"from":"2026-11-20T14:03:00.000000Z","to":"2026-11-20T14:03:50.000000Z","total":\
                {"count":5,"share":1,"errors":1,"rate_per_second":0.1,"bytes_up":2048,\
                "bytes_down":44,"p50_ms":12.058,"p90_ms":40,"p99_ms":40,"max_ms":40},"rows":[\
                {"status":200,"duration_ms":12,"count":2,"share":0.4,"errors":0,\
                "rate_per_second":0.04,"bytes_up":0,"bytes_down":22,"p50_ms":12,"p90_ms":12,\
                "p99_ms":12,"max_ms":12},{"status":200,"duration_ms":40,"count":1,"share":0.2,\
                "errors":0,"rate_per_second":0.02,"bytes_up":0,"bytes_down":11,"p50_ms":40,\
                "p90_ms":40,"p99_ms":40,"max_ms":40}],"hidden_rows":2}

                """
        )
    }

    @Test("shows small rates, which are not zero")
    func smallRates() {
        let daily = 1.0 / 86_400
        #expect(StatsReport.rounded(daily) == 1.157e-5)
        #expect(StatsReport.rounded(0) == 0)
        #expect(StatsReport.rounded(2) == 2)
        #expect(StatsReport.rounded(123.45678) == 123.457)
        #expect(StatsReport.rate(daily) == "<0.01/s")
        #expect(StatsReport.rate(0) == "0.00/s")
        #expect(StatsReport.rate(0.005) == "0.01/s")
        #expect(StatsReport.rate(nil) == "-")
    }

    @Test("describes the routes")
    func apis() async {
        let text = await output("--apis", "--top=1")
        #expect(
            text == """
                shop.test/users/{id}
                  5 exchanges, 62.5 %, 1 error, 0.07/s
                  methods    GET 4, PUT 1
                  statuses   200 3, 404 1, none 1
                  requests   p50 2.0 KiB, p99 2.0 KiB, max 2.0 KiB, total 2.0 KiB
                  responses  p50 11 B, p99 11 B, max 11 B, total 44 B
                  latency    p50 12.0 ms, p90 40.0 ms, p99 40.0 ms, max 40.0 ms
                  callers    10.0.0.0 2, 10.0.0.1 2, script 1

                and 3 more routes
                4 routes, 8 exchanges, 2 errors

                """
        )
        let json = await output("--apis", "--format=json", "status == 500")
        #expect(
            json.contains(
                #""routes":[{"host":"shop.test","route":"/cart","count":1,"share":1,"errors":1,"#
            )
        )
        #expect(
            json.contains(
                #""response_bytes":{"total":11,"p50":11,"p90":11,"p99":11,"max":11},"#
                    + #""methods":[{"method":"POST","count":1}],"#
                    + #""statuses":[{"status":500,"count":1}],"#
                    + #""callers":[{"caller":"script","count":1}]"#
            ),
            "\(json)"
        )
    }

    @Test("reads several stores as one")
    func several() async {
        let question = ["stats", database, recording, "status == 200", "--by=status"]
        let outcome = await run(question + ["--each-copy"])
        #expect(outcome.code == .success)
        #expect(outcome.output.contains("\n200        10  100.0 %"), "\(outcome.output)")
        let once = await run(question)
        #expect(once.output.contains("\n200         5  100.0 %"), "\(once.output)")
    }

    @Test(
        "rejects wrong arguments",
        arguments: [
            (["--by=sttus"], "wrong value of '--by': unknown field 'sttus' (column 1)"),
            (["--by=status,"], "(column 8)"), (["--every=0s"], "wrong value of '--every'"),
            (["--every=x"], "expected a time such as 1m"), (["--top=-1"], "wrong value of '--top'"),
            (["--sort=size"], "unknown value 'size' of '--sort'"),
            (["--apis", "--by=host"], "excludes '--by'"),
            (["--apis", "--format=csv"], "table and json only"),
            (["stats == 1"], "filter: unknown field 'stats'"),
        ]
    )
    func wrong(words: [String], message: String) async {
        let outcome = await run(["stats", database] + words)
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
}
