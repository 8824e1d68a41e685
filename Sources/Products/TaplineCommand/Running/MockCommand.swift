// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// `tapline mock REC...`.
enum MockCommand {
    /// The pipeline without a file: requests are redacted and shown, and not stored.
    static let pipeline = """
        version: 1
        sources: [{ server_replay: { path: recording } }]
        stages: [{ redact: { preset: standard, detectors: standard } }]
        sinks: [{ stdout: { stream: stderr } }]
        """
    /// How many misses and unused recordings are listed at the end.
    private static let listed = 10

    static func run(_ invocation: Invocation) async -> ExitCode {
        let plugins = invocation.registry.sources.map(\.description.name)
        guard plugins.contains("server_replay") else {
            invocation.console.note(
                "tapline: error: 'mock' needs the product 'TaplineProxy', which is not linked"
            )
            return .configuration
        }
        let limit: Duration?
        do throws(UsageError) {
            limit = try RunCommand.limit(invocation)
        } catch {
            return invocation.report(error)
        }
        let input = invocation.value("config").map { PipelineLoader.Input.file($0) }
        var loader = PipelineLoader(
            invocation: invocation,
            input: input ?? .text(Self.pipeline, name: "mock"),
            purpose: .run,
            adjusting: { MockOptions(invocation).assignments($0, $1, &$2) }
        )
        guard let topology = loader.load() else { return .configuration }
        let writer = LogWriter(
            format: invocation.logFormat,
            isQuiet: invocation.has("quiet") || invocation.has("exec"),
            console: invocation.console,
            hidden: loader.values
        )
        let code =
            invocation.has("exec")
            ? await ExecCommand.run(invocation.command, through: topology, nil, writer, invocation)
            : await serve(topology, for: limit, writer, invocation)
        for source in topology.sources {
            let report = (source.source as? any AnsweringSource)?.report(limit: listed)
            if let report { lines(of: report).forEach { invocation.console.note($0) } }
        }
        return code
    }

    /// Answers until a signal comes, or for a time.
    private static func serve(
        _ topology: Topology,
        for limit: Duration?,
        _ writer: LogWriter,
        _ invocation: Invocation
    ) async -> ExitCode {
        let console = invocation.console
        let pipeline = Pipeline(
            topology,
            log: writer.log,
            seed: .random(in: 0 ... .max),
            listening: { _, point in
                for address in point.addresses { console.print("http://\(address)") }
            },
            now: { Timestamp(microseconds: WallClock.microseconds) }
        )
        let signals = Signals(
            stop: { pipeline.stop() },
            reopen: { pipeline.reopen() },
            report: { writer.write(pipeline.report()) }
        )
        let timer = limit.map { limit in
            Task {
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                pipeline.stop()
            }
        }
        let report = await pipeline.run()
        timer?.cancel()
        withExtendedLifetime(signals) {}
        return report.isSuccess ? .success : .failure
    }

    /// What was answered, and what was not, without values of requests: standard error may be the
    /// log of a build.
    static func lines(of report: AnswerReport) -> [String] {
        var lines = [
            "tapline: \(Counted.text(report.hits, "request")) answered, \(report.misses) without a "
                + "recording; \(report.unused) of \(Counted.text(report.recordings, "recording")) "
                + "unused"
        ]
        if !report.lastMissSummaries.isEmpty { lines.append("the last of these requests:") }
        lines += counted(report.lastMissSummaries).map { "  \($0)" }
        if !report.firstUnusedRoutes.isEmpty { lines.append("unused recordings:") }
        lines += counted(report.firstUnusedRoutes).map { "  \($0)" }
        let more = report.unused - report.firstUnusedRoutes.count
        if more > 0, !report.firstUnusedRoutes.isEmpty { lines.append("  and \(more) more") }
        return lines.map { $0.showingControls([:]) }
    }

    /// The different texts in the order in which they come first, each with its number.
    private static func counted(_ texts: [String]) -> [String] {
        var counts: [String: Int] = [:]
        for text in texts { counts[text, default: 0] += 1 }
        return texts.compactMap { text in
            counts.removeValue(forKey: text).map { $0 == 1 ? text : "\(text) (\($0) times)" }
        }
    }
}

/// The options of `tapline mock` as options of its source.
private struct MockOptions {
    let invocation: Invocation

    init(_ invocation: Invocation) { self.invocation = invocation }

    /// Returns what the command line sets of the source `server_replay` of a pipeline.
    func assignments(
        _ builder: TopologyBuilder,
        _ root: ConfigNode,
        _ diagnostics: inout Diagnostics
    ) -> [OptionAssignment] {
        let ids = builder.sources(of: "server_replay", in: root)
        guard ids.count == 1, let id = ids.first else {
            diagnostics.error(
                at: root["sources"]?.location ?? root.location,
                "'mock' needs exactly one source 'server_replay'; found \(ids.count)"
            )
            return []
        }
        func isSet(_ name: String) -> Bool {
            builder.isSet(name, ofSource: id, in: root)
                || invocation.values("set").contains { $0.hasPrefix("\(id).\(name)=") }
        }
        var texts = ["path=\(Self.list(invocation.operands))"]
        for name in ["filter", "latency", "on-miss", "upstream", "session", "repeat"] {
            guard let value = invocation.value(name) else { continue }
            texts.append("\(name.replacing("-", with: "_"))=\(Self.quoted(value))")
        }
        for name in ["match", "ignore"] where invocation.has(name) {
            texts.append("\(name)=\(Self.list(invocation.values(name)))")
        }
        let runsCommand = invocation.has("exec")
        if let address = invocation.value("listen") {
            texts.append("listen=\(Self.quoted(address))")
        } else if runsCommand || !isSet("listen") {
            texts.append("listen='127.0.0.1:0'")
        }
        if runsCommand {
            if !isSet("intercept") { texts.append("intercept=true") }
            if !isSet("allow_users") { texts.append("allow_users=same") }
        }
        return texts.compactMap { OptionAssignment("\(id).\($0)", into: &diagnostics) }
    }

    /// A list of texts as YAML.
    private static func list(_ texts: [String]) -> String {
        "[" + texts.map(quoted).joined(separator: ", ") + "]"
    }

    /// A text as YAML: a string of JSON is one in double quotes.
    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: Array(copying: writer.bytes), as: UTF8.self)
    }
}
