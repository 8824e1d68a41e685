// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineStatistics
import TaplineTesting
import Testing

/// A stage that counts its exchanges by the lane's clock.
private struct CountingFactory: StageFactory {
    private final class Made: RecordStage {
        private let bank: CounterBank
        private let clock: @Sendable () -> Timestamp

        init(_ bank: CounterBank, _ clock: @escaping @Sendable () -> Timestamp) {
            self.bank = bank
            self.clock = clock
        }

        func record(
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> RecordVerdict {
            bank.add(to: clock() == Timestamp(microseconds: 0) ? 0 : 1)
            return .keep
        }
    }

    let bank = CounterBank(count: 2)
    var hooks: Hooks { .record }
    var metrics: [Metric] {
        zip(["epoch", "other"], bank.counts).map { Metric("exchanges", of: $0, count: $1) }
    }

    func makeStage(_ context: StageContext) throws -> any Stage { Made(bank, context.clock) }
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
