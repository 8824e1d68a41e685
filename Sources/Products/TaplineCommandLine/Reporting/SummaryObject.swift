// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineStatistics

/// The report of a run as a JSON object, with the same counters as the table of `Summary`.
struct SummaryObject {
    let report: RunReport
    /// Hides secret values in a text.
    let shown: (String) -> String

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("exchanges")
        writer.integer(report.exchanges)
        writer.key("elapsed_ms")
        writer.thousandths(report.elapsed.count)
        writer.key("peak_bytes")
        writer.integer(report.peakMemory)
        writer.key("redacted")
        writer.bool(report.isRedacted)
        writer.key("balanced")
        writer.bool(report.isBalanced)
        writer.key("sources")
        writer.beginArray()
        for source in report.sources { write(source, to: &writer) }
        writer.endArray()
        writer.key("stages")
        writer.beginArray()
        for stage in report.stages { write(stage, to: &writer) }
        writer.endArray()
        writer.key("sinks")
        writer.beginArray()
        for sink in report.sinks { write(sink, to: &writer) }
        writer.endArray()
        writer.key("failures")
        writer.beginArray()
        for failure in report.failures { writer.string(shown(failure)) }
        writer.endArray()
        writer.endObject()
    }

    private func write(_ source: RunReport.Source, to writer: inout JSONWriter) {
        let counters = source.counters
        begin(source.id, in: counters.received, out: counters.sent, counters.dropped, &writer)
        count("filtered", counters.filtered, &writer)
        count("rejected", counters.rejected, &writer)
        if counters.unrecorded > 0 { writeUnrecorded(counters, to: &writer) }
        writeIfAny(source.metrics, to: &writer)
        if let replay = source.replay {
            writer.key("replay")
            ReplayObject(replay).write(to: &writer)
        }
        writer.endObject()
    }

    /// Writes the exchanges that passed without a record, by reason.
    private func writeUnrecorded(_ counters: SourceCounters, to writer: inout JSONWriter) {
        writer.key("unrecorded")
        writer.beginObject()
        count("sampled", counters.sampledOut, &writer)
        count("in_flight", counters.overLimit, &writer)
        count("shed_memory", counters.shedMemory, &writer)
        count("shed_processor", counters.shedProcessor, &writer)
        writer.endObject()
    }

    /// Writes the metrics of a source or sink; most have none.
    private func writeIfAny(_ metrics: [Metric], to writer: inout JSONWriter) {
        let metrics = metrics.filter { $0.count > 0 }
        if !metrics.isEmpty { write(metrics, to: &writer) }
    }

    private func write(_ metrics: [Metric], to writer: inout JSONWriter) {
        writer.key("metrics")
        writer.beginArray()
        for metric in metrics { write(metric, to: &writer) }
        writer.endArray()
    }

    private func write(_ stage: RunReport.Stage, to writer: inout JSONWriter) {
        let counters = stage.counters
        begin(stage.id, in: counters.received, out: counters.sent, counters.dropped, &writer)
        count("errors", counters.errors + counters.hookErrors, &writer)
        count("skipped", counters.skipped, &writer)
        write(stage.metrics.filter { $0.count > 0 }, to: &writer)
        writer.endObject()
    }

    private func write(_ sink: RunReport.Sink, to writer: inout JSONWriter) {
        let counters = sink.counters
        begin(sink.id, in: counters.received, out: counters.written, counters.dropped, &writer)
        count("errors", counters.errors, &writer)
        count("filtered", counters.filtered, &writer)
        count("duplicates", counters.duplicates, &writer)
        writer.key("degraded")
        writer.bool(counters.isDegraded)
        count("spilled", counters.spilled, &writer)
        count("in_spill", counters.inSpill, &writer)
        count("spill_bytes", counters.spillBytes, &writer)
        if counters.recovered > 0 { count("recovered", counters.recovered, &writer) }
        if counters.takenOver > 0 { count("taken_over", counters.takenOver, &writer) }
        if counters.handedOver > 0 { count("handed_over", counters.handedOver, &writer) }
        if counters.repeated > 0 { count("repeated", counters.repeated, &writer) }
        if counters.kept > 0 { count("kept", counters.kept, &writer) }
        if counters.deadLetters > 0 { count("dead_letters", counters.deadLetters, &writer) }
        writeIfAny(sink.metrics, to: &writer)
        writer.endObject()
    }

    private func write(_ metric: Metric, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("name")
        writer.string(metric.name)
        writer.key("of")
        writer.string(metric.subject)
        count("count", metric.count, &writer)
        if let times = metric.durations {
            count("median_ns", times.quantile(0.5), &writer)
            count("p99_ns", times.quantile(0.99), &writer)
            count("max_ns", times.maximum, &writer)
        }
        writer.endObject()
    }

    private func begin(
        _ id: String,
        in received: Int,
        out sent: Int,
        _ dropped: Int,
        _ writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.key("id")
        writer.string(id)
        count("in", received, &writer)
        count("out", sent, &writer)
        count("dropped", dropped, &writer)
    }

    private func count(_ name: StaticString, _ value: Int, _ writer: inout JSONWriter) {
        writer.key(name)
        writer.integer(value)
    }
}
