// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineModel
internal import TaplineOperations
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
        let output: MockOutput?
        do throws(UsageError) {
            limit = try invocation.timeLimit()
            output = try MockOutput(invocation)
        } catch {
            return invocation.report(error)
        }
        let input = invocation.value("config").map { PipelineLoader.Input.file($0) }
        var loader = PipelineLoader(
            invocation: invocation,
            input: input ?? .text(Self.pipeline, name: "mock"),
            purpose: .run,
            adjusting: { MockOptions(invocation).assignments($0, $1, &$2) },
            adapting: { output?.adapt($0) ?? $0 }
        )
        guard let topology = loader.load() else { return .configuration }
        if output != nil, !topology.redacts {
            invocation.console.note("tapline: error: '--record-to' needs a stage 'redact'")
            return .configuration
        }
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
