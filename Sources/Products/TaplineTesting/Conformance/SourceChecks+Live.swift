// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime

/// The checks of a live source, which captures what a test sends while it runs.
extension SourceChecks {
    /// Runs all of the checks.
    func run(_ traffic: LiveTraffic, into findings: inout Findings) async throws {
        let targets = try await checkCapture(
            .takes,
            traffic,
            "capturing the traffic",
            into: &findings
        )
        let paused = try await checkCapture(
            .pauses(forever: false),
            traffic,
            "capturing while sinks are temporarily full",
            into: &findings
        )
        // A live source may drop exchanges that are not accepted, and counts them; the rest stays
        // in order.
        findings.expect(
            isPart(paused, of: targets),
            .order,
            "exchanges arrive in another order when sinks are temporarily full"
        )
        await checkPipeline(traffic, targets, into: &findings)
    }

    /// Lets the source capture the traffic and cancels it; returns the targets in order.
    private func checkCapture(
        _ mode: CheckingIntake.Mode,
        _ traffic: LiveTraffic,
        _ action: String,
        into findings: inout Findings
    ) async throws -> [ByteString] {
        guard let (source, folder) = try build(subject.options, into: &findings) else { return [] }
        traffic.prepare(source)
        let intake = CheckingIntake(mode, isLive: true)
        let task = Task { try await source.run(intake) }
        let limit = subject.settings.patience
        let sent = await within(limit) {
            await result { try await traffic.send(source) { await intake.point.value() } }
        }
        switch sent {
        case .success?: break
        case .failure(let error)?: findings.note(.run, "\(action), the traffic fails: \(error)")
        case nil: findings.note(.run, "\(action), the traffic does not end within \(limit)")
        }
        // Ended exchanges reach the sinks a little later.
        let end = ContinuousClock.now + .seconds(5)
        while intake.finished.count + intake.droppedCount < count, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(5))
        }
        task.cancel()
        let returned = await within(limit) { await task.result }
        if returned == nil {
            findings.note(.ending, "\(action), it does not return within \(limit)")
        }
        if case .failure(let error)? = returned, !(error is CancellationError) {
            findings.note(.run, "\(action), it fails: \(error)")
        }
        for violation in intake.verdict(hasReturned: returned != nil) {
            findings.note(violation.check, "\(action), \(violation.text)")
        }
        findings.expect(
            intake.finished.count + intake.droppedCount == count
                && (mode != .takes || intake.droppedCount == 0),
            .counters,
            "\(action), \(intake.finished.count) exchanges of \(count) arrived, and "
                + "\(intake.droppedCount) were dropped"
        )
        withExtendedLifetime(folder) {}
        return intake.finished.map(\.request.target)
    }

    /// Does the same in a pipeline, which is stopped when everything has been sent.
    private func checkPipeline(
        _ traffic: LiveTraffic,
        _ targets: [ByteString],
        into findings: inout Findings
    ) async {
        let sink = RecordingSink(wantsActive: true, batchLimit: 8)
        let outcome = await run(subject.options, sink, traffic)
        for violation in outcome.violations { findings.note(violation.check, violation.text) }
        outcome.transcript.search(
            for: PlantedSecrets(),
            and: subject.settings.secrets,
            while: "capturing in a pipeline",
            into: &findings
        )
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
            "in a pipeline, exchanges arrive at the sink in another order or not completely"
        )
        findings.expect(
            Set(sink.log.ended) == Set(sink.log.opened.map(\.id)),
            .oneEnd,
            "in a pipeline, a sink is notified of exchanges that begin and do not end"
        )
    }

    /// Whether one list is a subsequence of the other.
    private func isPart(_ part: [ByteString], of whole: [ByteString]) -> Bool {
        var rest = whole[...]
        for element in part {
            guard let place = rest.firstIndex(of: element) else { return false }
            rest = rest[(place + 1)...]
        }
        return true
    }
}

/// Returns the result of an asynchronous call.
private func result(_ call: () async throws -> Void) async -> Result<Void, any Error> {
    do {
        return .success(try await call())
    } catch {
        return .failure(error)
    }
}
