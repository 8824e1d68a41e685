// SPDX-License-Identifier: MIT

/// One complete run of the command, or of another program on the same records.
struct PipelineCase {
    let name: String
    /// The goal, as text for the table.
    var goal = ""
    var records: Int
    var words: [String]
}

/// The measured pipelines, each in a separate process.
struct Pipelines {
    let files: WorkFiles
    let command: String
    let count: Int
    /// Only pipelines whose names contain this text run; all if it is empty.
    let only: String

    private static let sixSecrets = "`lua` and `redact` to `ndjson`, six secrets in each record"

    private static let script = """
        function request(ex)
          ex.request.headers["X-Bench"] = "1"
        end

        function response(ex)
          if ex.request.path:sub(1, 7) == "/items/" then ex.response.status = 299 end
        end
        """

    private func pipeline(_ name: String, source: String, stages: String, sinks: String) -> [String]
    {
        var lines = ["version: 1", "sources:", "  - replay: { \(source) }"]
        if !stages.isEmpty { lines += ["stages:", stages] }
        lines += ["sinks:", sinks, ""]
        let file = files.write("\(name).yaml", lines.joined(separator: "\n"))
        return [command, "run", "--quiet", file]
    }

    /// Runs the selected cases, and calls `row` after each one.
    func run(_ row: (PipelineCase, Usage) -> Void) {
        let records = files.records(0..<count)
        _ = files.write("bench.lua", Self.script)
        let both = "  - lua: { script: bench.lua }\n  - redact: { preset: standard }"
        let secrets = files.records(0..<count, .sixSecrets)
        let cases: [(String, String, String, String, String)] = [
            ("replay to nothing, `order: keep`", "≤ 4", "", "", "forget"),
            ("replay to nothing, `order: any`", "≤ 4", "order: any", "", "forget"),
            ("`lua` to nothing", "", "order: any", "  - lua: { script: bench.lua }", "forget"),
            ("`redact` to nothing", "", "order: any", "  - redact: { preset: standard }", "forget"),
            ("replay to `ndjson`", "", "order: any", "", "ndjson: { path: out.ndjson }"),
            (
                "`lua` and `redact` to `ndjson`, `order: any`", "≤ 10", "order: any", both,
                "ndjson: { path: out.ndjson }"
            ),
            (
                "`lua` and `redact` to `ndjson`, `order: keep`", "", "", both,
                "ndjson: { path: out.ndjson }"
            ),
            (Self.sixSecrets, "≤ 8.5", "order: any", both, "ndjson: { path: out.ndjson }"),
            (
                "`redact` to `ndjson`", "", "order: any", "  - redact: { preset: standard }",
                "ndjson: { path: out.ndjson }"
            ),
            (
                // At most 1.3 times as much as the case before.
                "`redact` to `ndjson`, with a queue on disk", "", "order: any",
                "  - redact: { preset: standard }",
                "ndjson: { path: out.ndjson }\n    queue: { disk: out.queue }"
            ),
            ("replay to `stdout`, compact", "", "order: any", "", "stdout: { format: compact }"),
        ]
        for (number, (name, goal, source, stages, sink)) in cases.enumerated() where wants(name) {
            let words = pipeline(
                "case-\(number)",
                source: "path: \(name == Self.sixSecrets ? secrets : records)"
                    + "\(source.isEmpty ? "" : ", ")\(source)",
                stages: stages,
                sinks: "  - \(sink)"
            )
            let run = PipelineCase(name: name, goal: goal, records: count, words: words)
            row(run, least(of: 3, words, removing: sink.contains("out.ndjson")))
        }
        runMemory(records, row)
        if wants("replay to `sqlite`") {
            runDatabase(true, row)
            runDatabase(false, row)
        }
        runPeers(records, row)
    }

    private func wants(_ name: String) -> Bool { only.isEmpty || name.contains(only) }

    private func usage(_ words: [String], output: String = "/dev/null") -> Usage {
        Usage.ofCommand(words, output: output, messages: files.path("messages"))
    }

    /// Reports the run with the least processor time, since other programs can only add to it.
    private func least(of tries: Int, _ words: [String], removing: Bool) -> Usage {
        var best: Usage?
        for _ in 0..<tries {
            if removing { files.remove("out.ndjson") }
            let found = usage(words)
            if best.map({ found.processor < $0.processor }) ?? true { best = found }
        }
        return best ?? usage(words)
    }

    private func measure(_ run: PipelineCase, _ row: (PipelineCase, Usage) -> Void) {
        row(run, usage(run.words))
    }

    /// Replays the same records five times: memory must not grow.
    private func runMemory(_ records: String, _ row: (PipelineCase, Usage) -> Void) {
        let words = pipeline(
            "memory",
            source: "path: \(records), order: any, loop: 5",
            stages: "  - lua: { script: bench.lua }\n  - redact: { preset: standard }",
            sinks: "  - forget"
        )
        let name = "`lua` and `redact` to nothing, five times as many"
        guard wants(name) else { return }
        measure(PipelineCase(name: name, records: 5 * count, words: words), row)
    }

    /// Measures a new database, and then the last fifth of five times as many rows.
    ///
    /// Rows with request ids are measured separately, since the keys of their index are in random
    /// order.
    private func runDatabase(_ hasRequestIDs: Bool, _ row: (PipelineCase, Usage) -> Void) {
        files.remove("out.db", "out.db-wal", "out.db-shm")
        func run(_ numbers: Range<Int>) -> PipelineCase {
            let records = files.records(numbers, hasRequestIDs ? .requestIDs : .plain)
            let words = pipeline(
                "database",
                source: "path: \(records), order: any",
                stages: "",
                sinks: "  - sqlite: { path: out.db }"
            )
            let ids = hasRequestIDs ? ", each with a request id" : ""
            return PipelineCase(
                name: "replay to `sqlite`, rows \(numbers.lowerBound + 1) to "
                    + "\(numbers.upperBound)\(ids)",
                goal: "≤ 16",
                records: numbers.count,
                words: words
            )
        }
        measure(run(0..<count), row)
        _ = usage(run(count..<4 * count).words)
        measure(run(4 * count..<5 * count), row)
        if hasRequestIDs, isInstalled("sqlite3") { runLookups(row) }
    }

    /// Looks up a thousand request ids from all parts of the database in another process, each with
    /// a separate statement.
    private func runLookups(_ row: (PipelineCase, Usage) -> Void) {
        let database = files.path("out.db")
        let statements = files.path("find.sql")
        let step = max(1, count / 200)
        let query = """
            SELECT 'SELECT seq FROM traffic WHERE correlation = ' || quote(correlation) || ';'
              FROM exchanges WHERE seq % \(step) = 0
            """
        _ = usage(["sqlite3", "-readonly", database, query], output: statements)
        let run = PipelineCase(
            name: "find a request id among \(5 * count) rows with `sqlite3`",
            goal: "≤ 1000",
            records: 5 * count / step,
            words: ["sqlite3", "-readonly", database, ".read \(statements)"]
        )
        measure(run, row)
    }

    /// Other programs with a similar function, if they are installed.
    private func runPeers(_ records: String, _ row: (PipelineCase, Usage) -> Void) {
        let filter = """
            .request.headers += [["X-Bench","1"]]
            | if (.request.url | contains("/items/")) then .response.status = 299 else . end
            | .request.headers |= map(if (.[0] | ascii_downcase) as $n
                | ($n == "authorization" or $n == "cookie") then [.[0], "[redacted]"] else . end)
            """
        let miller = [
            "mlr", "--ijsonl", "--ojsonl", "cat", "then", "put",
            "$request.bench = 1; if ($request.url =~ \"/items/\") { $response.status = 299 }",
            records,
        ]
        for words in [["jq", "-c", filter, records], miller] where isInstalled(words[0]) {
            let name = "for comparison: \(words[0]), a similar edit to a file"
            guard wants(name) else { continue }
            let run = PipelineCase(name: name, records: count, words: words)
            row(run, usage(words, output: files.path("peer.ndjson")))
        }
    }
}
