// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime

/// One run of a pipeline around the plugin under test, with its results.
struct PipelineRun {
    /// The exchanges that went in, in one lane.
    let given: [Exchange]
    /// The records that came out after the stages.
    let records: [Exchange]
    /// The report of the runtime; `nil` if the pipeline was not built or did not end.
    let report: RunReport?
    /// The messages that the plugin logged.
    let transcript: Transcript

    private let violations: [Violation]

    /// Runs a stage, between a source and a recording sink.
    init(
        _ subject: Subject,
        _ source: LanesSource,
        _ watch: WireWatch,
        options: String? = nil,
        before stages: [any StageFactory] = []
    ) async {
        var source = source
        source.watch = watch
        let sink = RecordingSink(wantsActive: source.isLive)
        let outcome = await PipelineRun.run(subject) { folder, diagnostics in
            subject.build(
                in: folder,
                options: options,
                source: source,
                stages: stages,
                sink: sink,
                into: &diagnostics
            )
        }
        given = source.exchanges
        records = sink.log.exchanges
        report = outcome.report
        transcript = outcome.transcript
        var violations = outcome.violations + watch.violations
        if source.isLive, outcome.report != nil, Set(sink.log.ended).count != given.count {
            violations.append(
                Violation(
                    check: .oneEnd,
                    text: "\(given.count) exchanges began, \(Set(sink.log.ended).count) ended"
                )
            )
        }
        self.violations = violations
    }

    /// Records violations that apply to every kind of plugin.
    func check(with what: String, into findings: inout Findings) {
        for violation in violations { findings.note(violation.check, violation.text) }
        guard let report else { return }
        findings.expect(
            report.failures.isEmpty,
            .run,
            "with \(what), the run fails: \(report.failures.joined(separator: "; "))"
        )
        findings.expect(
            report.isBalanced,
            .counters,
            "with \(what), the counters do not add up: \(report.stages) \(report.sinks)"
        )
    }

    /// The last error that was logged.
    var lastError: String {
        transcript.entries.last { $0.level >= .warning }?.message ?? "without a message"
    }
}

extension PipelineRun {
    /// The result of running a pipeline.
    struct Outcome {
        var report: RunReport?
        var transcript = Transcript()
        var violations: [Violation] = []
    }

    /// Builds a pipeline in a folder and runs it to its end, or until traffic has been sent.
    static func run(
        _ subject: Subject,
        in existing: TestFolder? = nil,
        during traffic: LiveTraffic? = nil,
        build: (TestFolder, inout Diagnostics) -> Topology?
    ) async -> Outcome {
        var outcome = Outcome()
        let folder: TestFolder
        do {
            folder = try existing ?? TestFolder(subject.settings.files)
        } catch {
            outcome.violations.append(Violation(check: .run, text: "no folder: \(error)"))
            return outcome
        }
        var diagnostics = Diagnostics()
        guard let topology = build(folder, &diagnostics) else {
            outcome.transcript.add(diagnostics.rendered)
            return outcome
        }
        let log = outcome.transcript.log
        let limit = subject.settings.patience
        let ended = await within(limit) { () -> (report: RunReport, error: String?) in
            let point = Once<ListeningPoint>()
            let pipeline = Pipeline(
                topology,
                log: log,
                seed: 7,
                listening: { _, found in point.settle(found) },
                now: clock
            )
            guard let traffic, let source = topology.sources.first?.source else {
                return (await pipeline.run(), nil)
            }
            traffic.prepare(source)
            async let report = pipeline.run()
            var failure: String?
            do {
                try await traffic.send(source) { await point.value() }
            } catch {
                failure = "\(error)"
            }
            pipeline.stop()
            return (await report, failure)
        }
        outcome.report = ended?.report
        if let error = ended?.error {
            outcome.violations.append(Violation(check: .run, text: "the traffic fails: \(error)"))
        }
        if outcome.report == nil {
            outcome.violations.append(
                Violation(check: .run, text: "a run does not end within \(limit)")
            )
        }
        for failure in outcome.report?.failures ?? [] { outcome.transcript.add(failure) }
        return outcome
    }

    /// A wall clock that stands still, so that runs are comparable.
    static let clock: @Sendable () -> Timestamp = {
        Timestamp(microseconds: 1_795_183_400_000_000)
    }
}
