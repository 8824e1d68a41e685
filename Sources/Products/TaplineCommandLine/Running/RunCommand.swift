// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// `tapline run FILE`.
enum RunCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        do throws(UsageError) {
            let limit = try invocation.timeLimit()
            let inspection = try PipelineInspection(invocation)
            return await run(invocation, for: limit, inspecting: inspection)
        } catch {
            return invocation.report(error)
        }
    }

    /// Runs the pipeline of a file.
    ///
    /// - Parameters:
    ///   - invocation: Names the file.
    ///   - limit: When to stop; `nil` for no limit.
    ///   - inspection: How it is shown while it runs; `nil` if it is not.
    /// - Returns: The exit code of the run.
    static func run(
        _ invocation: Invocation,
        for limit: Duration?,
        inspecting inspection: PipelineInspection?
    ) async -> ExitCode {
        var loader = PipelineLoader(invocation: invocation, purpose: .run)
        guard var topology = loader.load() else { return .configuration }
        let isQuiet = invocation.has("quiet")
        let console = invocation.console
        let writer = LogWriter(
            format: invocation.logFormat,
            isQuiet: isQuiet,
            console: console,
            hidden: loader.values
        )
        let prepared = PreparedInspection(inspection, in: &topology, writer, invocation)
        defer { prepared?.removeTemporaryDatabase() }
        let service = ServiceSession(invocation.service, writer)
        let pipeline = Pipeline(
            topology,
            log: writer.log,
            seed: .random(in: 0 ... .max),
            ready: { [topology] in service.becameReady(topology) },
            sockets: service.sockets,
            now: { Timestamp(microseconds: WallClock.microseconds) }
        )
        let unannounced = reloader(of: pipeline, loader, prepared, writer)
        defer { unannounced.end() }
        let reloader = AnnouncedReloader(unannounced, service)
        let operations: RunOperations
        do {
            operations = try RunOperations(of: pipeline, topology, loader, reloader, writer)
        } catch {
            writer.log.of("control").error("\(error)")
            return .failure
        }
        defer { operations.stop() }
        service.watch(pipeline)
        let inspector = PipelineInspector(prepared, pipeline, writer, invocation)
        let interrupts = Interrupts()
        let signals = signals(for: pipeline, reloader, service, interrupts, writer)
        let showsProgress = !isQuiet && writer.format == .text
        let report = await withCompanions(pipeline, limit, console, showsProgress: showsProgress)
        service.end()
        if !isQuiet { writer.write(report) }
        if inspector != nil, report.isSuccess, console.isTerminal, !interrupts.hasCome {
            writer.say("inspector", "the pipeline has ended; the page stays until control-C")
            await interrupts.waitForNote()
        }
        withExtendedLifetime(signals) {}
        inspector?.stop()
        return report.isSuccess ? .success : .failure
    }

    /// What the signals of the system do.
    private static func signals(
        for pipeline: Pipeline,
        _ reloader: any PipelineReloading,
        _ service: ServiceSession,
        _ interrupts: Interrupts,
        _ writer: LogWriter
    ) -> Signals {
        Signals(
            stop: {
                service.stopBegan()
                pipeline.stop()
                interrupts.note()
            },
            reopen: {
                pipeline.reopen()
                reloader.reload { _ in }
            },
            report: { writer.write(pipeline.report()) }
        )
    }

    /// What reloads the pipeline from its file, with what the command line adds to it.
    private static func reloader(
        of pipeline: Pipeline,
        _ loader: PipelineLoader,
        _ inspection: PreparedInspection?,
        _ writer: LogWriter
    ) -> PipelineReloader {
        let now: @Sendable () -> Timestamp = { Timestamp(microseconds: WallClock.microseconds) }
        return PipelineReloader(pipeline, log: writer.log, now: now) {
            () throws(ReloadError) -> Topology in
            var loader = loader
            // Also if it fails, since the log says why.
            defer { writer.hidden.add(loader.values) }
            var topology = try loader.reload()
            if let added = inspection?.database.addedSink { topology.sinks.append(added) }
            return topology
        }
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
