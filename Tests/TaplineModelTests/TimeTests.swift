// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@Suite struct TimeTests {
    @Test func microsecondsAndDurationsAreCompared() {
        let time = Microseconds(1500)
        #expect(time == .microseconds(1500) && .microseconds(1500) == time)
        #expect(time != .milliseconds(1) && .milliseconds(1) != time)
        #expect(time > .milliseconds(1) && .milliseconds(1) < time)
        #expect(time < .milliseconds(2) && .milliseconds(2) > time)
        #expect(time <= .microseconds(1500) && .microseconds(1500) >= time)
        #expect(time >= .microseconds(1500) && .microseconds(1500) <= time)
        // A duration is finer than a microsecond.
        #expect(time < .nanoseconds(1_500_001) && time != .nanoseconds(1_500_001))
        #expect(Duration(time) == .microseconds(1500))
        #expect(Microseconds(.max) > .seconds(9e12) && Microseconds(.min) < .seconds(-9e12))
    }

    /// Computed with Python's datetime, which uses a table of days.
    private static let known: [(Int64, String)] = [
        (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
        (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
        (951_868_799_999_999, "2000-02-29T23:59:59.999999Z"),
        (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
        (1_763_647_380_123_456, "2025-11-20T14:03:00.123456Z"),
        (-2_203_891_200_000_000, "1900-03-01T00:00:00.000000Z"),
        (-62_135_596_800_000_000, "0001-01-01T00:00:00.000000Z"),
        (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
    ]

    @Test(arguments: known)
    func knownTimesRoundTrip(microseconds: Int64, text: String) {
        #expect(Timestamp(microseconds: microseconds).rfc3339 == text)
        #expect(Timestamp(rfc3339: text)?.microseconds == microseconds)
    }

    @Test(arguments: [
        ("2026-11-20T14:03:00Z", "2026-11-20T14:03:00.000000Z"),
        ("2026-11-20t14:03:00z", "2026-11-20T14:03:00.000000Z"),
        ("2026-11-20 14:03:00Z", "2026-11-20T14:03:00.000000Z"),
        ("2026-11-20T14:03:00.5Z", "2026-11-20T14:03:00.500000Z"),
        ("2026-11-20T14:03:00.123456789Z", "2026-11-20T14:03:00.123456Z"),
        ("2026-11-20T14:03:00+01:30", "2026-11-20T12:33:00.000000Z"),
        ("2026-11-20T23:59:59.9-00:01", "2026-11-21T00:00:59.900000Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000000Z"),
        ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000000Z"),
    ])
    func otherFormsOfTheRFCAreAccepted(text: String, expected: String) {
        #expect(Timestamp(rfc3339: text)?.rfc3339 == expected)
    }

    @Test(arguments: [
        "", "2026-11-20", "2026-11-20T14:03:00", "2026-11-20T14:03Z", "2026-13-20T14:03:00Z",
        "2026-00-20T14:03:00Z", "2026-11-31T14:03:00Z", "2025-02-29T14:03:00Z",
        "2100-02-29T14:03:00Z", "2026-11-20T24:03:00Z", "2026-11-20T14:60:00Z",
        "2026-11-20T14:03:61Z", "2026-11-20T14:03:00.Z", "2026-11-20T14:03:00+1:00",
        "2026-11-20T14:03:00+24:00", "2026-11-20T14:03:00+01:60", "2026-11-20T14:03:00ZZ",
        "2026/11/20T14:03:00Z", "2026-11-20\t14:03:00Z", "x026-11-20T14:03:00Z",
        "2026-11-20T14:03:00.5", "2026-11-20T14:03:00é", "-026-11-20T14:03:00Z",
    ])
    func invalidTimesAreRejected(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test func everyDayOfFourCenturiesHasItsDate() {
        var year = 1999
        var month = 12
        var day = 31
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        for number in 0..<146_097 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            day += 1
            if day > lengths[month - 1] + (month == 2 && isLeap ? 1 : 0) {
                day = 1
                month += 1
            }
            if month > 12 {
                month = 1
                year += 1
            }
            let moment = Timestamp(
                microseconds: 946_684_800_000_000 + Int64(number) * 86_400_000_000
            )
            let date = moment.date
            guard date == (Int64(year), month, day) else {
                Issue.record("day \(number): \(date), expected \(year)-\(month)-\(day)")
                return
            }
        }
    }

    @Test func anyTimeCanBeWritten() {
        for microseconds in [Int64.min, .min + 1, -1, 0, .max - 1, .max] {
            let text = Timestamp(microseconds: microseconds).rfc3339
            #expect(text.utf8.count == 27)
        }
    }

    @Test func textsSortLikeTimes() {
        var random = Random(seed: 3)
        for _ in 0..<500 {
            let first = Timestamp(microseconds: Int64(random.below(4_000_000_000_000_000)))
            let second = Timestamp(
                microseconds: first.microseconds + Int64(random.below(2_000_000)) - 1_000_000
            )
            #expect((first < second) == (first.rfc3339 < second.rfc3339))
            #expect(Timestamp(rfc3339: first.rfc3339) == first)
        }
    }

    @Test(arguments: [
        (0.0, 0), (1.5, 1500), (0.0004, 0), (0.0006, 1), (-0.0006, -1), (-2.5, -2500),
        (8.9e12, 8_900_000_000_000_000),
    ])
    func millisecondsAreRounded(milliseconds: Double, microseconds: Int64) {
        #expect(Microseconds(milliseconds: milliseconds)?.count == microseconds)
    }

    @Test func timesOfAConnectionReplaceOnlyThose() {
        var connection = Timing()
        connection.connect = Microseconds(2)
        connection.tls = Microseconds(3)
        connection.total = Microseconds(5)
        var timing = Timing()
        timing.dns = Microseconds(1)
        timing.send = Microseconds(4)
        timing.take(connection: connection)
        var expected = connection
        expected.total = nil
        expected.send = Microseconds(4)
        #expect(timing == expected)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -9e12])
    func invalidDurationsAreRejected(milliseconds: Double) {
        #expect(Microseconds(milliseconds: milliseconds) == nil)
    }
}
