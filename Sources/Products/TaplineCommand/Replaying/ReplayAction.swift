// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineInspector
internal import TaplineMatching
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// A replay that a page has started: `tapline replay … --compare`, recorded in a database.
///
/// **Isolation**: any thread.
final class ReplayAction: StartedRun {
    private enum State {
        case running(Pipeline, ReplayComparison)
        /// Both are released, since the comparison has all routes in memory.
        case ended(RunProgress, differences: [UInt8]?)
    }

    /// How many routes a page gets.
    private static let maxRoutes = 500
    /// How many parts of a route a page gets: a server chooses their names.
    private static let maxParts = 100

    private let lines: CollectedLines
    private let state: Mutex<State>

    /// Starts it.
    ///
    /// - Parameters:
    ///   - request: What to send where.
    ///   - context: Where the exchanges are recorded, and what they pass before they are redacted.
    /// - Throws: `ControlError` or `UsageError` if an option is wrong.
    init(_ request: RunRequest, in context: InspectorRunContext) throws {
        lines = CollectedLines()
        var own = Invocation(
            operands: request.stores,
            options: Self.options(request),
            program: context.invocation.program,
            registry: context.invocation.registry,
            // A filter of the page must not find out values of the environment.
            environment: Environment([:]),
            console: lines.console
        )
        let arguments = try ReplayArguments(own)
        guard let comparison = try ReplayComparison(redactedIn: own) else {
            throw ControlError(lines.all.joined(separator: "\n"))
        }
        own.registry = own.registry.adding(PluginRegistry(sinks: [comparison.plugin]))
        var loader = PipelineLoader(
            invocation: own,
            input: .tree(arguments.pipeline(recordingIn: context.database)),
            purpose: .run
        )
        guard var topology = loader.load() else {
            throw ControlError(lines.all.joined(separator: "\n"))
        }
        topology.stages.insert(contentsOf: context.stages, at: 0)
        try comparison.begin(topology.stages)
        let writer = LogWriter(
            format: .text,
            isQuiet: true,
            console: lines.console,
            hidden: loader.values
        )
        let pipeline = Pipeline(topology, log: writer.log, seed: .random(in: 0 ... .max)) {
            Timestamp(microseconds: WallClock.microseconds)
        }
        state = Mutex(.running(pipeline, comparison))
        Task {
            await run(pipeline, comparison)
            context.ended()
        }
    }

    private static func options(_ request: RunRequest) -> [String: [String]] {
        // What is recorded from now on, such as by this replay itself, is not sent.
        let before = "started < now"
        var options = [
            "to": [request.target],
            "filter": [request.filter.isEmpty ? before : "(\(request.filter)) and \(before)"],
        ]
        if let rate = request.rate { options["rate"] = [rate] }
        if let speed = request.speed { options["speed"] = [speed] }
        if request.isUnsafe { options["unsafe"] = [""] }
        return options
    }

    private func run(_ pipeline: Pipeline, _ comparison: ReplayComparison) async {
        let report = await pipeline.run()
        var progress = RunProgress()
        progress.isRunning = false
        progress.lines = Self.lines(of: report) + lines.all
        if !report.isSuccess { progress.failure = "the replay failed" }
        var differences: [UInt8]?
        do {
            let (compared, warnings) = try comparison.result()
            progress.compared = (compared.pairs, compared.differing)
            differences = ComparisonJSON.bytes(
                compared,
                maxRoutes: Self.maxRoutes,
                maxParts: Self.maxParts
            )
            if compared.routes.count > Self.maxRoutes {
                progress.lines.append(
                    "the first \(Self.maxRoutes) of \(compared.routes.count) routes are shown"
                )
            }
            progress.lines += warnings
        } catch {
            progress.failure = "the answers cannot be compared: \(error)"
        }
        state.withLock { $0 = .ended(progress, differences: differences) }
    }

    private static func lines(of report: RunReport) -> [String] {
        ReplayText.text(of: report.replays).split(separator: "\n").map(String.init)
    }

    /// The pipeline; `nil` when it has ended.
    var pipeline: Pipeline? {
        state.withLock { state -> Pipeline? in
            if case .running(let pipeline, _) = state { pipeline } else { nil }
        }
    }

    var progress: RunProgress {
        // Read first: it may end meanwhile.
        let pipeline = pipeline
        let ended = state.withLock { state -> RunProgress? in
            if case .ended(let progress, _) = state { progress } else { nil }
        }
        if let ended { return ended }
        var progress = RunProgress()
        let replays = pipeline?.report().replays ?? []
        progress.lines = (replays.isEmpty ? [] : [ReplayText.line(of: replays)]) + lines.all
        return progress
    }

    var differences: [UInt8]? {
        state.withLock { state in
            if case .ended(_, let differences) = state { differences } else { nil }
        }
    }

    func stop() { pipeline?.stop() }
}
