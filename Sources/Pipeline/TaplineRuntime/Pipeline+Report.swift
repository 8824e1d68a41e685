// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin

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
            report.sources.append(sourceReport(of: source, counters))
        }
        for stage in generation.topology.stages {
            let counters = totals.stages.removeValue(forKey: stage.id) ?? StageCounters()
            report.stages.append(
                RunReport.Stage(id: stage.id, counters: counters, metrics: stage.factory.metrics)
            )
        }
        addSinks(generation, retired, totals, to: &report)
        // Components that a reload has removed.
        for (id, counters) in totals.sources.sorted(by: { $0.key < $1.key })
        where counters != SourceCounters() {
            report.sources.append(
                RunReport.Source(id: id, counters: counters, done: 0, whole: nil, replay: nil)
            )
        }
        for (id, counters) in totals.stages.sorted(by: { $0.key < $1.key })
        where counters != StageCounters() {
            report.stages.append(RunReport.Stage(id: id, counters: counters, metrics: []))
        }
        report.elapsed = Microseconds(elapsed)
        report.peakMemory = budget.peak
        report.isRedacted = generation.topology.redacts
        report.failures = failures
        return report
    }

    private func sourceReport(
        of source: SourceRunner,
        _ counters: SourceCounters
    ) -> RunReport.Source {
        RunReport.Source(
            id: source.id,
            counters: counters,
            done: source.progress.done,
            whole: source.progress.whole,
            replay: source.replay,
            metrics: source.source.source.metrics
        )
    }

    private func addSinks(
        _ generation: Generation,
        _ retired: RetiredComponents,
        _ totals: FlowLedger.Totals,
        to report: inout RunReport
    ) {
        var sinks = retired.ended
        var isConnected = totals.isConnected
        for runner in retired.sinks.map(\.runner) + generation.sinks {
            let counters = runner.queue.counters
            sinks[runner.id, default: SinkCounters()] += counters
            let passed = totals.passed[ObjectIdentifier(runner)] ?? 0
            if counters.received != passed { isConnected = false }
        }
        for runner in generation.sinks {
            let counters = sinks.removeValue(forKey: runner.id) ?? SinkCounters()
            report.sinks.append(RunReport.Sink(id: runner.id, counters: counters))
        }
        for (id, counters) in sinks.sorted(by: { $0.key < $1.key }) where counters.received > 0 {
            report.sinks.append(RunReport.Sink(id: id, counters: counters))
        }
        report.isConnected = isConnected
    }
}
