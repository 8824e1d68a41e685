// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineCommandLine
internal import TaplineInspector
internal import TaplineJSON
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// A mock that a page has started: `tapline mock` on a free port of this machine, for programs of
/// the same user.
///
/// **Isolation**: any thread.
final class MockAction: StartedRun {
    private enum State {
        case starting
        case running(Pipeline, (any AnsweringSource)?)
        /// The pipeline, which has the recording in memory, is released.
        case ended(RunProgress)
    }

    /// How many misses and unused recordings are listed.
    private static let listed = 10

    private let lines: CollectedLines
    private let shared: Shared

    /// What the callbacks of the pipeline change.
    private final class Shared: Sendable {
        let state = Mutex(State.starting)
        let url = Mutex<String?>(nil)
    }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - request: What is answered.
    ///   - context: The plugins, and what to call at the end.
    /// - Throws: `ControlError` if an option is wrong.
    init(_ request: RunRequest, in context: InspectorRunContext) throws {
        let (lines, shared) = (CollectedLines(), Shared())
        self.lines = lines
        self.shared = shared
        let own = Invocation(
            program: context.invocation.program,
            registry: context.invocation.registry.adding(
                PluginRegistry(sinks: [DiscardingSink.plugin])
            ),
            // A filter of the page must not find out values of the environment.
            environment: Environment([:]),
            console: lines.console
        )
        var loader = PipelineLoader(
            invocation: own,
            input: .text(Self.pipeline(request), name: "mock"),
            purpose: .run
        )
        guard let topology = loader.load() else {
            throw ControlError(lines.all.joined(separator: "\n"))
        }
        let writer = LogWriter(
            format: .text,
            isQuiet: true,
            console: lines.console,
            hidden: loader.values
        )
        let source = topology.sources.lazy.compactMap { $0.source as? any AnsweringSource }.first
        let pipeline = Pipeline(
            topology,
            log: writer.log,
            seed: .random(in: 0 ... .max),
            listening: { _, point in
                guard let address = point.addresses.first else { return }
                shared.url.withLock { $0 = "http://\(address)" }
            },
            now: { Timestamp(microseconds: WallClock.microseconds) }
        )
        shared.state.withLock { $0 = .running(pipeline, source) }
        Task {
            let report = await pipeline.run()
            let last = Self.progress(of: source, lines, ended: report)
            shared.state.withLock { $0 = .ended(last) }
            context.ended()
        }
    }

    /// The pipeline of a mock.
    static func pipeline(_ request: RunRequest) -> String {
        var json = JSONWriter()
        json.array { json in
            json.object { json in
                json.key("server_replay")
                json.object { json in
                    json.key("path")
                    json.array { json in
                        for path in request.stores { json.string(path.literalOptionValue) }
                    }
                    if !request.filter.isEmpty { json.member("filter", request.filter) }
                    json.member("listen", "127.0.0.1:0")
                    // Stores may have secrets, and grow while they are shown.
                    json.member("allow_users", "same")
                    json.member("reload", false)
                    // A name of a web page may lead here.
                    json.member("hosts", "known")
                }
            }
        }
        return """
            version: 1
            sources: \(String(decoding: Array(copying: json.bytes), as: UTF8.self))
            sinks: [{ \(DiscardingSink.name): {} }]
            """
    }

    /// The source that answers; `nil` when it has ended.
    var source: (any AnsweringSource)? {
        shared.state.withLock { state -> (any AnsweringSource)? in
            if case .running(_, let source) = state { source } else { nil }
        }
    }

    var progress: RunProgress {
        // Read first: it may end meanwhile.
        let source = source
        let ended = shared.state.withLock { state -> RunProgress? in
            if case .ended(let progress) = state { progress } else { nil }
        }
        var progress = ended ?? Self.progress(of: source, lines)
        progress.url = shared.url.withLock { $0 }
        return progress
    }

    /// Returns what a source has done.
    private static func progress(
        of source: (any AnsweringSource)?,
        _ lines: CollectedLines,
        ended run: RunReport? = nil
    ) -> RunProgress {
        var progress = RunProgress()
        progress.isRunning = run == nil
        if run?.isSuccess == false { progress.failure = "the mock failed" }
        let report = source?.report(limit: listed)
        progress.lines = (report.map(MockCommand.lines) ?? []) + lines.all
        let prefix = "tapline: "
        if let first = progress.lines.first, first.hasPrefix(prefix) {
            progress.lines[0] = String(first.dropFirst(prefix.count))
        }
        return progress
    }

    var differences: [UInt8]? { nil }

    func stop() {
        let pipeline = shared.state.withLock { state -> Pipeline? in
            if case .running(let pipeline, _) = state { pipeline } else { nil }
        }
        pipeline?.stop()
    }
}
