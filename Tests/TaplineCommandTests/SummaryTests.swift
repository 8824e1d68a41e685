// SPDX-License-Identifier: MIT

import TaplineJSON
import TaplineModel
import TaplineOperations
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

/// A sink with a count of its own.
private struct CountingSink: SinkFactory {
    var metrics: [Metric] { [Metric("set aside files", of: "traffic", count: 2)] }

    func open(_ context: SinkContext) throws -> any Sink { try RecordingSink().open(context) }
}

@Suite("The summary of a run")
struct SummaryTests {
    @Test("has a note for each source that recorded less than it captured")
    func unrecorded() {
        var counters = SourceCounters()
        counters.received = 1000
        #expect(Summary.unrecorded(of: "proxy", counters) == nil)
        counters.sampledOut = 900
        counters.shedProcessor = 7
        #expect(
            Summary.unrecorded(of: "proxy", counters)
                == "note: 907 of 1000 exchanges of source 'proxy' passed without a record: "
                + "900 by 'sample', 7 shed for lack of processor time"
        )
    }

    @Test("has a note for each sink with records of another run, or refused ones")
    func disk() {
        var counters = SinkCounters()
        #expect(Summary.disk(of: "db", counters) == nil)
        counters.recovered = 12
        counters.kept = 3
        counters.deadLetters = 1
        #expect(
            Summary.disk(of: "db", counters)
                == "note: of the records in the queue of sink 'db', 12 came from an earlier run; "
                + "3 remain for the next run; 1 were refused and set aside"
        )
    }

    @Test("shows the counts of a sink, as the status and the object do")
    func sinkMetrics() async throws {
        let topology = Topology(
            sources: [Topology.Source(id: "in", ScriptedSource([]))],
            sinks: [Topology.Sink(id: "s3", CountingSink())]
        )
        let pipeline = Pipeline(topology, now: { Timestamp(microseconds: 0) })
        let report = await pipeline.run()
        #expect(Summary(report: report).text.contains("\n  s3\n    set aside files  traffic  2"))
        var json = JSONWriter()
        SummaryObject(report: report) { $0 }.write(to: &json)
        let bytes = json.bytes
        let text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        #expect(
            text.contains(
                #""metrics":[{"name":"set aside files","of":"traffic","count":2}]"#
            )
        )
        let sink = try #require(pipeline.status.components.last)
        #expect(sink.metrics == CountingSink().metrics)
        #expect(pipeline.metrics(of: "s3") == CountingSink().metrics)
    }

    @Test("has a note for each sink whose records waited on disk")
    func spill() {
        var counters = SinkCounters()
        #expect(Summary.spill(of: "db", counters) == nil)
        counters.spilled = 1200
        counters.peakSpillBytes = 3_000_000
        let start = "note: 1200 records of sink 'db' waited on disk, at most 3 MiB"
        #expect(Summary.spill(of: "db", counters) == start)
        counters.inSpill = 5
        counters.unspilled = 2
        #expect(
            Summary.spill(of: "db", counters)
                == start + "; 5 are still there; 2 were dropped because there was no room"
        )
    }
}
