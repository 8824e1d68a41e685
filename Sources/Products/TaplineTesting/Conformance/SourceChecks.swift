// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
public import TaplinePlugin
internal import TaplineRuntime

extension Conformance {
    /// Checks a source against the requirements for all sources.
    ///
    /// - Parameters:
    ///   - plugin: The plugin.
    ///   - options: Its options as YAML, with paths relative to the folder: `path: in.har`.
    ///   - settings: Further settings; `files` contains the source's input.
    ///   - count: The number of exchanges in the input, if it ends.
    ///   - endless: Options that each make it run until it is cancelled: looping, following.
    ///   - traffic: For a live source, sends those exchanges while it runs.
    /// - Returns: The violations; empty if there are none.
    public static func violations(
        of plugin: SourcePlugin,
        options: String = "",
        settings: ConformanceSettings = ConformanceSettings(),
        count: Int,
        endless: [String] = [],
        traffic: LiveTraffic? = nil
    ) async -> [Violation] {
        let subject = Subject(plugin: .source(plugin), options: options, settings: settings)
        return await run(subject) { findings in
            let checks = SourceChecks(
                subject: subject,
                isLive: plugin.isLive,
                count: count,
                endless: endless,
                traffic: traffic
            )
            try await checks.run(into: &findings)
        }
    }
}

/// The checks of a source: with lanes that check their use, and in a real pipeline.
struct SourceChecks {
    let subject: Subject
    let isLive: Bool
    let count: Int
    let endless: [String]
    let traffic: LiveTraffic?

    /// How soon a source must return in each attempt: on a busy machine, a correct source may
    /// return late.
    private static let tries = [Duration.seconds(1), .seconds(3), .seconds(10)]

    func run(into findings: inout Findings) async throws {
        if !isLive {
            let targets = try await checkEnd(into: &findings)
            try await checkPauses(targets, into: &findings)
            await checkPipeline(targets, into: &findings)
        }
        if let traffic { try await run(traffic, into: &findings) }
        try await checkReturn(
            .pauses(forever: true),
            subject.options,
            "after it was cancelled while sinks were full",
            into: &findings
        )
        for options in endless {
            try await checkReturn(
                .takes,
                options,
                "after it was cancelled, with '\(options)'",
                into: &findings
            )
        }
        if !isLive {
            try await checkReturn(
                .isClosed,
                subject.options,
                "when no records are accepted",
                into: &findings
            )
        }
        await checkSecrets(into: &findings)
    }

    // MARK: Lanes that check their use

    /// Runs the source to the end of its input; returns the targets in order.
    private func checkEnd(into findings: inout Findings) async throws -> [ByteString] {
        let intake = CheckingIntake(.takes, isLive: isLive)
        try await verify(intake, "running to its end", into: &findings)
        findings.expect(
            intake.finished.count == count,
            .counters,
            "\(intake.finished.count) exchanges of the \(count) in the input arrived"
        )
        return intake.finished.map(\.request.target)
    }

    /// Does the same with sinks that are full after each batch.
    private func checkPauses(_ targets: [ByteString], into findings: inout Findings) async throws {
        let intake = CheckingIntake(.pauses(forever: false), isLive: isLive)
        try await verify(intake, "waiting for room", into: &findings)
        let found = intake.finished.map(\.request.target)
        findings.expect(
            found.count == targets.count,
            .admission,
            "\(found.count) of \(targets.count) exchanges arrived when sinks were temporarily full"
        )
        findings.expect(
            found == targets || found.count != targets.count,
            .order,
            "exchanges arrive in another order when sinks are temporarily full"
        )
    }

    private func verify(
        _ intake: CheckingIntake,
        _ action: String,
        into findings: inout Findings
    ) async throws {
        guard let (source, folder) = try build(subject.options, into: &findings) else { return }
        let limit = subject.settings.patience
        let result = await within(limit) { () -> Result<Void, any Error> in
            do {
                try await source.run(intake)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success?: break
        case .failure(let error)?: findings.note(.run, "\(action), it fails: \(error)")
        case nil: findings.note(.ending, "\(action), it does not return within \(limit)")
        }
        for violation in intake.verdict(hasReturned: result != nil) {
            findings.note(violation.check, "\(action), \(violation.text)")
        }
        withExtendedLifetime(folder) {}
    }

    /// Checks that the source returns soon after it was cancelled or the intake was closed.
    private func checkReturn(
        _ mode: CheckingIntake.Mode,
        _ options: String,
        _ moment: String,
        into findings: inout Findings
    ) async throws {
        for (turn, limit) in SourceChecks.tries.enumerated() {
            guard let (source, folder) = try build(options, into: &findings) else { return }
            traffic?.prepare(source)
            let intake = CheckingIntake(mode, isLive: isLive)
            let task = Task { try await source.run(intake) }
            if mode == .isClosed {
                _ = await within(.seconds(5)) { await intake.firstAnswer.value() }
            } else {
                // By then, the source waits, works or sleeps.
                _ = await within(.milliseconds(300)) { await intake.firstAnswer.value() }
                try await Task.sleep(for: .milliseconds(20))
                task.cancel()
            }
            let end = await within(limit) { await task.result }
            task.cancel()
            for violation in intake.verdict(hasReturned: end != nil) {
                findings.note(violation.check, "\(moment), \(violation.text)")
            }
            if case .failure(let error)? = end, !(error is CancellationError) {
                findings.note(.run, "\(moment), it fails: \(error)")
            }
            withExtendedLifetime(folder) {}
            if end != nil { return }
            if turn == SourceChecks.tries.count - 1 {
                let check: Violation.Check = mode == .isClosed ? .admission : .ending
                findings.note(check, "it does not return within \(limit) \(moment)")
            }
        }
    }

    func build(
        _ options: String,
        into findings: inout Findings
    ) throws -> (any Source, TestFolder)? {
        let folder = try TestFolder(subject.settings.files)
        var diagnostics = Diagnostics()
        let topology = subject.build(in: folder, options: options, into: &diagnostics)
        guard let source = topology?.sources.first?.source else {
            findings.note(.builds, "it does not build with '\(options)':\n\(diagnostics.rendered)")
            return nil
        }
        return (source, folder)
    }

    // MARK: Pipelines

    private func checkPipeline(_ targets: [ByteString], into findings: inout Findings) async {
        let sink = RecordingSink(batchLimit: 8)
        let outcome = await run(subject.options, sink)
        for violation in outcome.violations { findings.note(violation.check, violation.text) }
        guard let report = outcome.report else { return }
        findings.expect(
            report.isSuccess,
            .run,
            "in a pipeline, the run fails: \(report.failures.joined(separator: "; "))"
        )
        findings.expect(
            report.isBalanced && report.exchanges == sink.log.records.count,
            .counters,
            "in a pipeline, \(report.exchanges) exchanges were captured and "
                + "\(sink.log.records.count) arrived at the sink"
        )
        findings.expect(
            sink.log.exchanges.map(\.request.target) == targets,
            .order,
            "in a pipeline, exchanges arrive at the sink in another order"
        )
    }

    private func checkSecrets(into findings: inout Findings) async {
        // The log of a live source is searched by the check that captures traffic.
        let working = isLive ? [] : [subject.options]
        for options in working + subject.settings.failing {
            let outcome = await run(options, RecordingSink())
            outcome.transcript.search(
                for: PlantedSecrets(),
                and: subject.settings.secrets,
                while: "running with '\(options)'",
                into: &findings
            )
            let isQuiet = isLive || outcome.transcript.entries.isEmpty
            let isWell = outcome.report?.isSuccess == true && isQuiet
            findings.expect(
                options == subject.options || !isWell,
                .run,
                "it is declared to fail with '\(options)', but does not"
            )
        }
    }

    func run(
        _ options: String,
        _ sink: RecordingSink,
        _ traffic: LiveTraffic? = nil
    ) async -> PipelineRun.Outcome {
        await PipelineRun.run(subject, during: traffic) { folder, diagnostics in
            subject.build(in: folder, options: options, sink: sink, into: &diagnostics)
        }
    }
}
