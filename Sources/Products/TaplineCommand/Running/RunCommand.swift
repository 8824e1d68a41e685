// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplineRuntime
internal import TaplineSystem

/// `tapline run FILE`.
enum RunCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        var limit: Duration?
        if let text = invocation.value("for") {
            guard let time = DurationArgument.parse(text) else {
                invocation.console.note(
                    "tapline: error: wrong value of '--for'; found '\(text)', expected a time such as 10s"
                )
                return .usage
            }
            limit = time
        }
        var loader = PipelineLoader(invocation: invocation, purpose: .run)
        guard let topology = loader.load() else { return .configuration }
        let isQuiet = invocation.has("quiet")
        let console = invocation.console
        let writer = LogWriter(
            format: invocation.logFormat,
            isQuiet: isQuiet,
            console: console,
            hidden: loader.values
        )
        let pipeline = Pipeline(topology, log: writer.log, seed: .random(in: 0 ... .max)) {
            Timestamp(microseconds: WallClock.microseconds)
        }
        let signals = Signals(
            stop: { pipeline.stop() },
            reopen: { pipeline.reopen() },
            report: { writer.write(pipeline.report()) }
        )
        let showsProgress = !isQuiet && writer.format == .text
        let report = await withCompanions(pipeline, limit, console, showsProgress: showsProgress)
        withExtendedLifetime(signals) {}
        if !isQuiet { writer.write(report) }
        return report.isSuccess ? .success : .failure
    }

    /// Runs the pipeline together with its time limit and its progress line.
    private static func withCompanions(
        _ pipeline: Pipeline,
        _ limit: Duration?,
        _ console: Console,
        showsProgress: Bool
    ) async -> RunReport {
        await withTaskGroup(of: Void.self) { group in
            if let limit {
                group.addTask {
                    guard (try? await Task.sleep(for: limit)) != nil else { return }
                    pipeline.stop()
                }
            }
            if showsProgress, console.isTerminal {
                group.addTask {
                    while (try? await Task.sleep(for: .milliseconds(500))) != nil {
                        console.showProgress(ProgressLine(report: pipeline.report()).text)
                    }
                }
            }
            let report = await pipeline.run()
            group.cancelAll()
            await group.waitForAll()
            console.showProgress("")
            return report
        }
    }
}

/// A duration on the command line, written as in configuration files.
enum DurationArgument {
    static func parse(_ text: String) -> Duration? {
        let source = ConfigSource(name: "--for", text: text)
        let node = ConfigNode(.scalar(text, isPlain: true), at: source.location(at: 0))
        var context = OptionContext()
        let value = OptionType<Duration>.duration.decode(node, &context)
        return context.diagnostics.hasErrors ? nil : value
    }
}
