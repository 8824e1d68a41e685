// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineStatistics
internal import TaplineSystem

extension Pipeline {
    /// Returns the counters so far, over all generations.
    package func report() -> RunReport {
        var report = RunReport()
        let (generation, sources, retired, failures) = state.withLock {
            ($0.generation, $0.sources, $0.retired, $0.failures)
        }
        var totals = ledger.totals
        for source in sources + retired.sources {
            totals.sources[source.id, default: SourceCounters()] += source.ownCounters
        }
        for source in sources {
            let counters = totals.sources.removeValue(forKey: source.id) ?? SourceCounters()
            report.sources.append(
                sourceReport(of: source, counters, totals.durations[source.id])
            )
        }
        for stage in generation.topology.stages {
            let counters = totals.stages.removeValue(forKey: stage.id) ?? StageCounters()
            let metrics = stage.factory.metrics
            report.stages.append(stageReport(of: stage.id, counters, metrics, totals))
        }
        addSinks(generation, retired, totals, to: &report)
        // Components that a reload has removed.
        for (id, counters) in totals.sources.sorted(by: { $0.key < $1.key })
        where counters != SourceCounters() {
            var source = RunReport.Source(
                id: id,
                counters: counters,
                done: 0,
                whole: nil,
                replay: nil
            )
            source.activity.state = .ended
            source.durations = totals.durations[id] ?? Distribution()
            report.sources.append(source)
        }
        for (id, counters) in totals.stages.sorted(by: { $0.key < $1.key })
        where counters != StageCounters() {
            report.stages.append(stageReport(of: id, counters, [], totals))
        }
        report.memory = (budget.current, budget.limit)
        report.elapsed = Microseconds(elapsed)
        report.peakMemory = budget.peak
        report.isRedacted = generation.topology.redacts
        report.failures = failures
        return report
    }

    private func sourceReport(
        of source: SourceRunner,
        _ counters: SourceCounters,
        _ durations: Distribution?
    ) -> RunReport.Source {
        let activity = source.activity
        return RunReport.Source(
            id: source.id,
            counters: counters,
            done: source.progress.done,
            whole: source.progress.whole,
            replay: source.replay,
            metrics: source.source.source.metrics,
            activity: (activity.state, activity.since),
            waiting: activity.waiting.map {
                Microseconds(max(SteadyClock.microseconds &- $0, 0))
            },
            durations: durations ?? Distribution()
        )
    }

    private func stageReport(
        of id: String,
        _ counters: StageCounters,
        _ metrics: [Metric],
        _ totals: FlowLedger.Totals
    ) -> RunReport.Stage {
        var report = RunReport.Stage(id: id, counters: counters, metrics: metrics)
        report.waiting = totals.waits[id].map {
            Microseconds(max(SteadyClock.microseconds &- $0, 0))
        }
        return report
    }

    private func addSinks(
        _ generation: Generation,
        _ retired: RetiredComponents,
        _ totals: FlowLedger.Totals,
        to report: inout RunReport
    ) {
        var former = retired.ended
        var isConnected = totals.isConnected
        func state(of runner: SinkRunner) -> SinkState {
            var state = runner.state
            let passed = totals.passed[ObjectIdentifier(runner)] ?? 0
            if state.counters.received != passed { isConnected = false }
            state.reason = state.reason.map(loggedStages.all.cleaned)
            return state
        }
        for runner in retired.sinks.map(\.runner) {
            former[runner.id, default: .ended].add(retired: state(of: runner))
        }
        for runner in generation.sinks {
            var state = state(of: runner)
            if let retired = former.removeValue(forKey: runner.id) {
                let own = state.state
                state.add(retired: retired)
                if state.state != own { state.note("replaced") }
            }
            report.sinks.append(
                RunReport.Sink(
                    id: runner.id,
                    counters: state.counters,
                    state: state,
                    metrics: runner.metrics
                )
            )
        }
        for (id, var state) in former.sorted(by: { $0.key < $1.key })
        where state.state != .ended || state.counters != SinkCounters() {
            state.note("removed")
            report.sinks.append(RunReport.Sink(id: id, counters: state.counters, state: state))
        }
        report.isConnected = isConnected
    }
}
