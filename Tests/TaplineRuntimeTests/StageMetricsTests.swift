// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import Testing

/// A stage that counts its exchanges by the lane's clock.
private struct CountingFactory: StageFactory {
    private final class Made: RecordStage {
        private let tally: CounterBank
        private let clock: @Sendable () -> Timestamp

        init(_ tally: CounterBank, _ clock: @escaping @Sendable () -> Timestamp) {
            self.tally = tally
            self.clock = clock
        }

        func record(
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> RecordVerdict {
            tally.add(to: clock() == Timestamp(microseconds: 0) ? 0 : 1)
            return .keep
        }
    }

    let tally = CounterBank(count: 2)
    var hooks: Hooks { .record }
    var metrics: [Metric] {
        zip(["epoch", "other"], tally.counts).map { Metric("exchanges", of: $0, count: $1) }
    }

    func makeStage(_ context: StageContext) throws -> any Stage { Made(tally, context.clock) }
}

@Suite struct StageMetricsTests {
    @Test func theReportHasTheMetricsOfStagesThatUseThePipelinesClock() async {
        let report = await run(
            ScriptedSource(Exchange.examples(30)),
            [Topology.Stage(id: "counting", CountingFactory())],
            [Topology.Sink(id: "a", RecordingSink())]
        )
        #expect(
            report.stages.first?.metrics == [
                Metric("exchanges", of: "epoch", count: 30),
                Metric("exchanges", of: "other", count: 0),
            ]
        )
    }
}
