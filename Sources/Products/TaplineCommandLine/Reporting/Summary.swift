// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime

/// The report of a run as a table for people.
struct Summary {
    let report: RunReport

    /// The counters of all components, followed by notes and failures.
    var text: String {
        var lines = Columns.table(sourceRows + stageRows + sinkRows)
        lines += report.sources.flatMap { StageMetrics(id: $0.id, metrics: $0.metrics).lines }
        lines += report.stages.flatMap { StageMetrics(id: $0.id, metrics: $0.metrics).lines }
        lines += report.sinks.flatMap { StageMetrics(id: $0.id, metrics: $0.metrics).lines }
        for source in report.sources {
            guard let replay = source.replay else { continue }
            lines += ["", "\(source.id):", ReplayText(replay).text]
        }
        lines.append("")
        lines.append(closing)
        if !report.isRedacted {
            lines.append("note: no stage redacts; secrets in the traffic are in the output")
        }
        if !report.isBalanced {
            lines.append("note: the counters do not add up; please report this")
        }
        lines += report.sources.compactMap { Summary.unrecorded(of: $0.id, $0.counters) }
        lines += report.sinks.compactMap { Summary.spill(of: $0.id, $0.counters) }
        lines += report.sinks.compactMap { Summary.disk(of: $0.id, $0.counters) }
        lines += report.failures.map { "failed: \($0)" }
        return lines.joined(separator: "\n")
    }

    private var sourceRows: [[String]] {
        [["source", "in", "out", "dropped", "filtered", "rejected"]]
            + report.sources.map {
                let counters = $0.counters
                return [
                    "  \($0.id)", "\(counters.received)", "\(counters.sent)",
                    "\(counters.dropped)", "\(counters.filtered)", "\(counters.rejected)",
                ]
            }
    }

    private var stageRows: [[String]] {
        guard !report.stages.isEmpty else { return [] }
        return [["stage", "in", "out", "dropped", "errors", "skipped"]]
            + report.stages.map {
                let counters = $0.counters
                return [
                    "  \($0.id)", "\(counters.received)", "\(counters.sent)",
                    "\(counters.dropped)", "\(counters.errors + counters.hookErrors)",
                    "\(counters.skipped)",
                ]
            }
    }

    private var sinkRows: [[String]] {
        [["sink", "in", "out", "dropped", "errors", "filtered", "duplicates"]]
            + report.sinks.map {
                let counters = $0.counters
                let name = counters.isDegraded ? "\($0.id) (degraded)" : $0.id
                return [
                    "  \(name)", "\(counters.received)", "\(counters.written)",
                    "\(counters.dropped)", "\(counters.errors)", "\(counters.filtered)",
                    "\(counters.duplicates)",
                ]
            }
    }

    /// A note about exchanges of a source that passed without a record; `nil` if there were none.
    static func unrecorded(of id: String, _ counters: SourceCounters) -> String? {
        guard counters.unrecorded > 0 else { return nil }
        let reasons = [
            (counters.sampledOut, "by 'sample'"),
            (counters.overLimit, "over 'max_exchanges_in_flight'"),
            (counters.shedMemory, "shed for lack of memory"),
            (counters.shedProcessor, "shed for lack of processor time"),
        ]
        let parts = reasons.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return "note: \(counters.unrecorded) of \(Counted.text(counters.received, "exchange")) of "
            + "source '\(id)' passed without a record: " + parts.joined(separator: ", ")
    }

    /// A note about records in the spill of a sink; `nil` if there were none.
    static func spill(of id: String, _ counters: SinkCounters) -> String? {
        guard counters.spilled > 0 || counters.unspilled > 0 else { return nil }
        var parts = [
            "\(Counted.text(counters.spilled, "record")) of sink '\(id)' waited on disk, "
                + "at most \((counters.peakSpillBytes + (1 << 20) - 1) >> 20) MiB"
        ]
        if counters.inSpill > 0 { parts.append("\(counters.inSpill) are still there") }
        if counters.unspilled > 0 {
            parts.append("\(counters.unspilled) were dropped because there was no room")
        }
        return "note: " + parts.joined(separator: "; ")
    }

    /// A note about records that came from another run, that remain for the next one, or that are
    /// set aside; `nil` if there are none.
    static func disk(of id: String, _ counters: SinkCounters) -> String? {
        var parts: [String] = []
        if counters.recovered > 0 { parts.append("\(counters.recovered) came from an earlier run") }
        if counters.repeated > 0 {
            parts.append("\(counters.repeated) were written again after a failed flush")
        }
        if counters.kept > 0 { parts.append("\(counters.kept) remain for the next run") }
        if counters.deadLetters > 0 {
            parts.append("\(counters.deadLetters) were refused and set aside")
        }
        guard !parts.isEmpty else { return nil }
        return "note: of the records in the queue of sink '\(id)', " + parts.joined(separator: "; ")
    }

    /// The totals, in one line.
    var closing: String {
        let seconds = Double(max(report.elapsed.count, 1)) / 1_000_000
        let rate = Int(Double(report.exchanges) / seconds)
        let peak = (report.peakMemory + (1 << 20) - 1) >> 20
        return "\(Counted.text(report.exchanges, "exchange")) in \(Summary.time(report.elapsed)), "
            + "\(rate) a second, at most \(peak) MiB held"
    }

    /// A time for people: `250 ms`, `1.2 s`, `3 min 5 s`.
    static func time(_ time: Microseconds) -> String {
        let milliseconds = time.count / 1000
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        let tenths = milliseconds / 100
        if tenths < 600 { return "\(tenths / 10).\(tenths % 10) s" }
        return "\(tenths / 600) min \(tenths / 10 % 60) s"
    }
}

/// The line that shows the progress of a run on a terminal.
struct ProgressLine {
    let report: RunReport

    /// The total, the rate, the losses, and the time left if it can be estimated.
    var text: String {
        let seconds = max(Double(report.elapsed.count) / 1_000_000, 0.001)
        let lost =
            report.sinks.reduce(0) { $0 + $1.counters.dropped + $1.counters.errors }
            + report.stages.reduce(0) { $0 + $1.counters.errors }
        var parts = [
            Counted.text(report.exchanges, "exchange"),
            "\(Int(Double(report.exchanges) / seconds))/s",
            "\(lost) lost",
        ]
        let unrecorded = report.sources.reduce(0) { $0 + $1.counters.unrecorded }
        if unrecorded > 0 { parts.append("\(unrecorded) not recorded") }
        let done = report.sources.reduce(0) { $0 + Double($1.done) }
        let whole = report.sources.reduce(0.0) { $0 + Double($1.whole ?? 0) }
        if report.sources.allSatisfy({ $0.whole != nil }), done > 0, whole >= done {
            let left = min(seconds * (whole - done) / done, 1_000_000_000)
            parts.append("\(Int(100 * done / whole)) %")
            parts.append("\(Summary.time(Microseconds(Int64(left * 1_000_000)))) left")
        }
        return parts.joined(separator: ", ")
    }
}
