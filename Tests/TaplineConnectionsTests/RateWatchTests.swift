// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineConnections

@Suite("The rate watch of a body")
struct RateWatchTests {
    /// A check: the time in seconds, the bytes that have passed, whether a body is in progress.
    struct Look: Sendable {
        let second: Double
        let passed: UInt64
        var isUnderWay = true

        init(_ second: Double, _ passed: UInt64, isUnderWay: Bool = true) {
            self.second = second
            self.passed = passed
            self.isUnderWay = isUnderWay
        }
    }

    /// The results of a limit of 100 bytes a second over 60 s: seconds until the next check, `nil`
    /// if too slow.
    private static let rows: [(name: String, looks: [Look], verdicts: [Double?])] = [
        ("the first check begins a window", [Look(50, 9)], [60]),
        ("a check within a window returns the rest of it", [Look(0, 0), Look(20, 1)], [60, 40]),
        ("exactly the minimum rate is fast enough", [Look(0, 0), Look(60, 6000)], [60, 60]),
        ("a byte less is too slow", [Look(0, 0), Look(60, 5999)], [60, nil]),
        ("a late check covers the whole time", [Look(0, 0), Look(90, 6000)], [60, nil]),
        ("silence is ignored", [Look(0, 7), Look(60, 7), Look(120, 7)], [60, 60, 60]),
        (
            "one byte after a silent window is too slow",
            [Look(0, 0), Look(60, 0), Look(120, 1)], [60, 60, nil]
        ),
        (
            "a fast window does not make up for a slow one",
            [Look(0, 0), Look(60, 1 << 30), Look(120, 1 << 30 + 1)], [60, 60, nil]
        ),
        (
            "a window without a body in progress is ignored",
            [Look(0, 0), Look(30, 1, isUnderWay: false), Look(60, 2), Look(120, 3)],
            [60, 60, 60, nil]
        ),
        ("counters may wrap", [Look(0, .max - 10), Look(60, 5)], [60, nil]),
    ]

    @Test("returns when to check again, or that the body is too slow", arguments: rows.indices)
    func verdicts(row: Int) {
        let (name, looks, expected) = Self.rows[row]
        var watch = RateWatch()
        for (look, seconds) in zip(looks, expected) {
            let verdict = watch.look(
                look.passed,
                isUnderWay: look.isUnderWay,
                now: Int64(look.second * 1_000_000),
                RateWatch.Limit()
            )
            let wanted = seconds.map { Microseconds(Int64($0 * 1_000_000)) }
            let place = "\(name), second \(look.second)"
            #expect(verdict == wanted.map { .lookAgain($0) } ?? .tooSlow, "\(place)")
        }
    }

    @Test("a limit that overflows is still a limit")
    func huge() {
        var watch = RateWatch()
        let limit = RateWatch.Limit(bytesPerSecond: .max, window: Microseconds(1_000_000))
        _ = watch.look(0, isUnderWay: true, now: 0, limit)
        #expect(watch.look(1 << 40, isUnderWay: true, now: 2_000_000, limit) == .tooSlow)
    }
}
