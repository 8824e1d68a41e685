// SPDX-License-Identifier: MIT

import Testing

@testable import ClientReplaySource

@Suite struct ReplayScheduleTests {
    @Test(
        "a constant rate spaces requests evenly, without adding up rounding",
        arguments: [
            (500.0, 0, 0), (500, 1, 2000), (500, 1_000_000, 2_000_000_000), (3, 1, 333_333),
            (3, 3, 1_000_000), (30_000, 30_000_000, 1_000_000_000), (0.5, 1, 2_000_000),
        ] as [(Double, Int, Int64)]
    )
    func constant(rate: Double, number: Int, due: Int64) {
        #expect(ReplaySchedule(.constant(rate)).due(number, offset: 99) == due)
    }

    @Test(
        "a ramp sends as many requests as its mean rate would, and continues at its last rate",
        arguments: [
            (0, 0), (1, 95_445), (150, 10_000_000), (170, 11_000_000), (350, 20_000_000),
        ] as [(Int, Int64)]
    )
    func ramp(number: Int, due: Int64) {
        // 10/s to 20/s over 10 s are 150 requests.
        let schedule = ReplaySchedule(.ramp(from: 10, to: 20, over: 10))
        #expect(abs((schedule.due(number, offset: 0) ?? -1) - due) <= 5000)
    }

    @Test(
        "a ramp from or to another rate never goes back in time",
        arguments: [
            (0.0, 100.0), (100, 1), (50, 50),
        ] as [(Double, Double)]
    )
    func monotonic(from: Double, to: Double) {
        let schedule = ReplaySchedule(.ramp(from: from, to: to, over: 3))
        let times = (0..<2000).compactMap { schedule.due($0, offset: 0) }
        #expect(times.count == 2000 && times == times.sorted())
    }

    @Test(
        "the recorded spacing is divided by the factor",
        arguments: [
            (1.0, 1_500_000, 1_500_000), (2, 1_500_000, 750_000), (0.5, 10, 20), (2, -5, 0),
            (0.001, .max, 4_000_000_000_000_000),
        ] as [(Double, Int64, Int64)]
    )
    func recorded(factor: Double, offset: Int64, due: Int64) {
        #expect(ReplaySchedule(.recorded(factor)).due(7, offset: offset) == due)
    }

    @Test("the maximum speed has no due times, and the wanted rate is that of the due times")
    func others() {
        #expect(ReplaySchedule(.max).due(7, offset: 1) == nil)
        #expect(ReplaySchedule(.max).rate(of: 9, until: 1) == nil)
        #expect(ReplaySchedule(.constant(3)).rate(of: 1, until: 0) == 3)
        for schedule in [
            ReplaySchedule(.ramp(from: 1, to: 2, over: 3)), ReplaySchedule(.recorded(1)),
        ] {
            #expect(schedule.rate(of: 1, until: 0) == nil)
            #expect(schedule.rate(of: 3, until: 500_000) == 4)
        }
    }
}
