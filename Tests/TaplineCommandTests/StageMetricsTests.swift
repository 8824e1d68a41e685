// SPDX-License-Identifier: MIT

import TaplinePlugin
import TaplineStatistics
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite struct StageMetricsTests {
    @Test func countsAndTimesAreShownExceptZeroCounts() {
        let histogram = DurationHistogram()
        for time in [800, 900, 2_000_000] { histogram.add(nanoseconds: time) }
        let lines = StageMetrics(
            id: "lua",
            metrics: [
                Metric("calls", of: "request", count: 152),
                Metric("errors", of: "request", count: 0),
                Metric("time", of: "request", durations: histogram.distribution),
            ]
        ).lines
        #expect(
            lines == [
                "",
                "  lua",
                "    calls  request                                     152",
                "    time  request   median 903 ns, 99 % 2 ms, longest 2 ms",
            ]
        )
    }

    @Test func aStageWithoutCountsHasNoLines() {
        let metrics = [Metric("calls", of: "request", count: 0)]
        #expect(StageMetrics(id: "lua", metrics: metrics).lines.isEmpty)
    }

    @Test func onlyTheFirstOfManyMetricsAreShown() {
        let metrics = (0..<100).map { Metric("redactions", of: "rule \($0)", count: 1) }
        let lines = StageMetrics(id: "redact", metrics: metrics).lines
        #expect(lines.count == 43)
        #expect(lines.last == "    and 60 more")
    }

    @Test(arguments: [
        (0, "0 ns"), (999, "999 ns"), (1000, "1.0 us"), (12_345, "12.3 us"), (999_999, "999.9 us"),
        (1_000_000, "1 ms"), (2_500_000_000, "2500 ms"),
    ])
    func timesAreWrittenWithASuitableUnit(_ nanoseconds: Int, _ text: String) {
        #expect(StageMetrics.text(nanoseconds) == text)
    }
}
