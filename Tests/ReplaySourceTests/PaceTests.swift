// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import ReplaySource

@Suite("The pace of a replay")
struct PaceTests {
    private static let start: Int64 = 1_795_183_380_000_000

    /// When records that began at these milliseconds are due, in milliseconds.
    private func due(_ starts: [Int64], factor: Double = 1, maxGap: Int64 = 3_600_000) -> [Int64] {
        var pace = Pace(factor: factor, maxGap: Microseconds(maxGap * 1000))
        return starts.map {
            pace.due(Timestamp(microseconds: Self.start + $0 * 1000), now: 5000).time / 1000
        }
    }

    @Test("keeps the recorded spacing, relative to the first record")
    func spacing() {
        #expect(due([0, 10, 10, 35]) == [5, 15, 15, 40])
        #expect(due([0, 10, 10, 35], factor: 2) == [5, 10, 10, 22])
        #expect(due([0, 10], factor: 0.5) == [5, 25])
    }

    @Test("never waits for a record that began before an earlier one")
    func unordered() {
        #expect(due([100, 0, 50, 110]) == [5, 5, 5, 15])
    }

    @Test("shortens long pauses")
    func gaps() {
        #expect(due([0, 1_000_000, 1_000_010], maxGap: 1000) == [5, 1005, 1015])
    }

    @Test("accepts every possible start time", arguments: [0.001, 1, 1_000_000])
    func extremes(factor: Double) {
        var pace = Pace(factor: factor, maxGap: Microseconds(.max))
        for start in [Int64.min, -1, 0, 1, .max, .min, 5, .max] {
            let (time, _) = pace.due(Timestamp(microseconds: start), now: 7)
            #expect(time >= 7)
        }
    }

    @Test("passes records without a start time at once and ignores them")
    func unknown() {
        var pace = Pace(factor: 1, maxGap: Microseconds(1_000_000))
        let nothing = Timestamp(microseconds: 0)
        #expect(pace.due(nothing, now: 3).time == 3)
        #expect(pace.due(Timestamp(microseconds: Self.start), now: 4).time == 4)
        #expect(pace.due(Timestamp(microseconds: Self.start + 10), now: 4).time == 14)
        #expect(pace.due(nothing, now: 20).time == 14)
    }
}
