// SPDX-License-Identifier: MIT

import TaplineFormats
import Testing

@Suite struct LossReportTests {
    @Test func countsByFieldInTheOrderOfTheFirstLoss() {
        var report = LossReport()
        #expect(report.isEmpty)
        report.count("b")
        report.count("a")
        report.count("b")
        var other = LossReport()
        other.count("c")
        other.count("a")
        report.add(other)
        #expect(report.losses.map(\.field) == ["b", "a", "c"])
        #expect(report.losses.map(\.count) == [2, 2, 1])
    }
}
