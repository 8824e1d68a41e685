// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineRuntime

@Suite("Record hooks that do not answer")
struct ParkingEndTests {
    /// A stage whose first verdict is this one, and how often its hook was called.
    private final class Asked: Sendable {
        let count = Atomic<Int>(0)
        let first: PendingVerdict

        init(_ first: PendingVerdict) { self.first = first }

        var number: Int { count.load(ordering: .acquiring) }

        func stage(_ others: @escaping @Sendable () -> RecordVerdict) -> Topology.Stage {
            let script = ScriptedStage(record: { _, _ in
                let number = self.count.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
                return number == 1 ? .pending(self.first) : others()
            })
            return Topology.Stage(id: "late", script)
        }
    }

    private func topology(
        _ stage: Topology.Stage,
        _ sink: RecordingSink,
        isLive: Bool,
        drainTimeout: Int64 = 10_000_000
    ) -> Topology {
        let source = ScriptedSource(Exchange.examples(3), staysOpen: true)
        return Topology(
            sources: [Topology.Source(id: "in", source, isLive: isLive)],
            stages: [stage],
            sinks: [Topology.Sink(id: "out", sink)],
            drainTimeout: Microseconds(drainTimeout)
        )
    }

    @Test(
        "after a stop, they fail at drain_timeout, and their records count as errors",
        arguments: [true, false]
    )
    func stop(isLive: Bool) async {
        let (asked, sink) = (Asked(PendingVerdict()), RecordingSink())
        let stage = asked.stage { .pending(PendingVerdict()) }
        let topology = topology(stage, sink, isLive: isLive, drainTimeout: 30_000)
        let pipeline = Pipeline(topology) { Timestamp(microseconds: 0) }
        let run = Task { await pipeline.run() }
        await wait(for: "all calls of the hook") { asked.number == 3 }
        pipeline.stop()
        let report = await run.value
        #expect(report.isBalanced)
        #expect(report.stages[0].counters.errors == 3)
        #expect(sink.log.records.isEmpty)
    }

    @Test("records that wait, those after them and what their stage keeps count as held memory")
    func memory() async {
        let (asked, sink) = (Asked(PendingVerdict(memory: 100_000)), RecordingSink())
        let stage = asked.stage { .keep }
        let pipeline = Pipeline(topology(stage, sink, isLive: true)) { Timestamp(microseconds: 0) }
        let run = Task { await pipeline.run() }
        await wait(for: "all calls of the hook") { asked.number == 3 }
        let exchanges = Exchange.examples(3).reduce(0) { $0 + $1.memory }
        await wait(for: "the memory of all records", within: .seconds(10)) {
            pipeline.budget.current >= 100_000 + exchanges
        }
        asked.first.settle(.verdict(.keep))
        pipeline.stop()
        let report = await run.value
        #expect(report.isBalanced && sink.log.records.count == 3)
        #expect(pipeline.budget.current == 0)
    }
}
