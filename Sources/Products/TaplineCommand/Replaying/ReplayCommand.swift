// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineStore
internal import TaplineSystem

/// `tapline replay REC... --to URL`.
enum ReplayCommand {
    static func run(_ given: Invocation) async -> ExitCode {
        guard given.registry.sources.contains(where: { $0.description.name == "client_replay" })
        else {
            given.console.note(
                "tapline: error: 'replay' needs the product 'TaplineProxy', which is not linked"
            )
            return .configuration
        }
        StoreSet.prepareProgram()
        var comparison: ReplayComparison?
        let arguments: ReplayArguments
        do {
            arguments = try ReplayArguments(given)
            if arguments.compares {
                comparison = try ReplayComparison(given)
                guard comparison != nil else { return .configuration }
            }
        } catch let error as WrongRules {
            given.console.note("\(error)")
            return .configuration
        } catch {
            return given.report(error)
        }
        let invocation = given.adding([DiscardingSink.plugin, comparison?.plugin])
        var loader = loader(arguments, invocation)
        guard let topology = loader.load() else { return .configuration }
        do {
            try comparison?.begin(topology.stages)
        } catch {
            return invocation.report(error)
        }
        let writer = LogWriter(
            format: .text,
            isQuiet: true,
            console: invocation.console,
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
        let report = await withLiveLine(pipeline, invocation.console)
        withExtendedLifetime(signals) {}
        let replays = report.replays
        show(replays, invocation)
        let code: ExitCode = report.isSuccess ? .success : .failure
        guard let comparison, !invocation.has("dry-run") else { return code }
        return invocation.reportErrors {
            let compared = try comparison.finish(replays.map(ReplayText.targets))
            return code == .success ? compared : code
        }
    }

    private static func show(_ replays: [ReplayReport], _ invocation: Invocation) {
        guard !replays.isEmpty else { return }
        let isJSON = invocation.has("json")
        let text = isJSON ? ReplayObject.text(of: replays) : ReplayText.text(of: replays)
        invocation.console.print(text)
    }

    private static func loader(
        _ arguments: ReplayArguments,
        _ invocation: Invocation
    ) -> PipelineLoader {
        guard let file = invocation.value("config") else {
            return PipelineLoader(
                invocation: invocation,
                input: .tree(arguments.pipeline),
                purpose: .run
            )
        }
        return PipelineLoader(
            invocation: invocation,
            input: .file(file),
            purpose: .run,
            adapting: { arguments.adapt($0) }
        )
    }

    /// Runs the pipeline, and shows its figures on a terminal.
    private static func withLiveLine(_ pipeline: Pipeline, _ console: Console) async -> RunReport {
        await withTaskGroup(of: Void.self) { group in
            if console.isTerminal {
                group.addTask {
                    while (try? await Task.sleep(for: .milliseconds(500))) != nil {
                        let replays = pipeline.report().replays
                        if replays.isEmpty { continue }
                        console.showProgress(ReplayText.line(of: replays))
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

extension RunReport {
    /// The figures of the sources that send recorded requests.
    var replays: [ReplayReport] { sources.compactMap(\.replay) }
}

extension Invocation {
    /// Returns the command line with further sinks.
    fileprivate func adding(_ sinks: [SinkPlugin?]) -> Invocation {
        var invocation = self
        invocation.registry = registry.adding(PluginRegistry(sinks: sinks.compactMap(\.self)))
        return invocation
    }
}
