// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@testable import StdoutSink

@Suite struct QuantitiesTests {
    @Test(
        arguments: [
            (nil, "-"), (-1, "-"), (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"),
            (12_595, "12.2 KiB"), (102_399, "99.9 KiB"), (102_400, "100 KiB"),
            (1_048_575, "1023 KiB"), (1_048_576, "1.0 MiB"), (5 << 30, "5.0 GiB"),
            (7 << 40, "7.0 TiB"), (Int.max, "8191 PiB"),
        ] as [(Int?, String)]
    )
    func writesSizes(bytes: Int?, text: String) {
        #expect(Quantities.size(bytes) == text)
        #expect(text.count <= 8)
    }

    @Test(
        arguments: [
            (nil, "-"), (-5, "-"), (0, "0.0 ms"), (449, "0.4 ms"), (15_500, "15.5 ms"),
            (99_999, "99.9 ms"), (100_000, "100 ms"), (999_999, "999 ms"), (1_000_000, "1.00 s"),
            (59_990_000, "59.99 s"), (60_000_000, "1m00s"), (123_000_000, "2m03s"),
            (3_720_000_000, "1h02m"),
        ] as [(Int64?, String)]
    )
    func writesDurations(count: Int64?, text: String) {
        #expect(Quantities.duration(count.map { Microseconds($0) }) == text)
        #expect(text.count <= 7)
    }

    @Test func acceptsAnyDuration() {
        #expect(Quantities.duration(Microseconds(.max)).hasSuffix("m"))
    }

    @Test func showsLocalTime() throws {
        let moment = try #require(Timestamp(rfc3339: "2026-11-20T23:03:00.007Z"))
        var clock = LocalClock { _ in 5400 }
        #expect(clock.time(moment, fraction: true) == "00:33:00.007")
        #expect(clock.time(moment, fraction: false) == "00:33:00")
        #expect(clock.time(Timestamp(microseconds: .max), fraction: true).count == 12)
        #expect(clock.time(Timestamp(microseconds: .min), fraction: true).count == 12)
    }
}
