// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import ClientReplaySource

@Suite struct RecordedClockTests {
    private func offsets(_ times: [Int64], maxGap: Int64 = .max) -> [Int64] {
        var clock = RecordedClock(maxGap: maxGap)
        return times.map { clock.offset(of: Timestamp(microseconds: $0)) }
    }

    @Test(
        "offsets count from the first request, and never go back",
        arguments: [
            ([100, 150, 150, 400], [0, 50, 50, 300]), ([100, 50, 120], [0, 0, 20]),
            ([0, 100, 0, 130], [0, 0, 0, 30]), ([1, .max], [0, .max - 1]),
        ] as [([Int64], [Int64])]
    )
    func recorded(times: [Int64], expected: [Int64]) { #expect(offsets(times) == expected) }

    @Test("long pauses are shortened")
    func gaps() { #expect(offsets([10, 5000, 5005], maxGap: 100) == [0, 100, 105]) }

    @Test("a further pass continues where the one before ended")
    func passes() {
        var clock = RecordedClock(maxGap: .max)
        _ = clock.offset(of: Timestamp(microseconds: 10))
        #expect(clock.offset(of: Timestamp(microseconds: 30)) == 20)
        clock.beginPass()
        #expect(clock.offset(of: Timestamp(microseconds: 10)) == 20)
        #expect(clock.offset(of: Timestamp(microseconds: 30)) == 40)
    }
}
