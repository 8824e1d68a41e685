// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// Sizes and times, which always have a unit.
@Suite
struct OptionTypeQuantitiesTests {
    @Test(arguments: [
        ("512B", 512), ("64KiB", 65536), ("10MB", 10_000_000), ("1GiB", 1 << 30), ("2kB", 2000),
        ("2KB", 2000), ("1TiB", 1 << 40), ("3TB", 3_000_000_000_000), ("1.5KiB", 1536),
        ("0B", 0), ("'64KiB'", 65536), ("0.0001KiB", 0), ("8388607TiB", 8_388_607 << 40),
    ])
    func size(_ text: String, _ expected: Int) {
        #expect(value(text, .byteSize).value == expected)
    }

    @Test(arguments: [
        ("10us", Duration.microseconds(10)), ("250ms", .milliseconds(250)), ("10s", .seconds(10)),
        ("5m", .seconds(300)), ("1h", .seconds(3600)), ("7d", .seconds(604_800)),
        ("1.5s", .milliseconds(1500)), ("0s", .zero),
    ])
    func time(_ text: String, _ expected: Duration) {
        #expect(value(text, .duration).value == expected)
    }

    @Test func bareNumbersAreRejected() {
        #expect(
            value("64", .byteSize).rendered == """
                p.yaml:1:4: error: the unit is missing; found '64', expected a size with its unit, such as 64KiB
                    1 | x: 64
                      |    ^~
                help: write '64KiB' if that is what you mean

                """
        )
        #expect(
            value("10", .duration).rendered == """
                p.yaml:1:4: error: the unit is missing; found '10', expected a time with its unit, such as 250ms
                    1 | x: 10
                      |    ^~
                help: write '10s' if that is what you mean

                """
        )
    }

    @Test func unknownUnits() {
        #expect(
            value("64kib", .byteSize).rendered == """
                p.yaml:1:4: error: unknown unit 'kib'; expected one of B, KB, kB, MB, GB, TB, KiB, MiB, GiB, TiB
                    1 | x: 64kib
                      |    ^~~~~
                help: did you mean '64KiB'?

                """
        )
        #expect(
            value("2 weeks", .duration).rendered == """
                p.yaml:1:4: error: unknown unit ' weeks'; expected one of us, ms, s, m, h, d
                    1 | x: 2 weeks
                      |    ^~~~~~~

                """
        )
    }

    @Test(arguments: ["KiB", "-1KiB", "1.KiB", ".5KiB", "''", "1.2.3KiB"])
    func notASize(_ text: String) {
        let (value, rendered) = value(text, .byteSize)
        #expect(value == nil)
        #expect(rendered.contains("expected a size with its unit, such as 64KiB\n"))
    }

    @Test(arguments: ["8388608TiB", "99999999999999999999B", "9223372036854775807KiB"])
    func tooLarge(_ text: String) {
        #expect(value(text, .byteSize).rendered.contains("the quantity is too large; found '"))
    }

    @Test(arguments: ["[1s]", "{a: 1s}", "~"])
    func notAScalar(_ text: String) {
        #expect(value(text, .duration).rendered.contains("wrong type of value"))
    }

    @Test(arguments: [
        (0, "0B"), (512, "512B"), (1000, "1kB"), (65536, "64KiB"), (1 << 30, "1GiB"),
        (1_000_000, "1MB"), (1536, "1536B"),
    ])
    func sizesAreDescribed(_ bytes: Int, _ expected: String) {
        let type = OptionType<Int>.byteSize
        #expect(type.describe(bytes) == expected)
        #expect(value(expected, type).value == bytes)
    }

    @Test(arguments: [
        (Duration.zero, "0s"), (.microseconds(10), "10us"), (.milliseconds(1500), "1500ms"),
        (.seconds(60), "1m"), (.seconds(90), "90s"), (.seconds(604_800), "7d"),
    ])
    func timesAreDescribed(_ time: Duration, _ expected: String) {
        let type = OptionType<Duration>.duration
        #expect(type.describe(time) == expected)
        #expect(value(expected, type).value == time)
    }

    @Test func valuesWithoutANotationAreNotDescribed() {
        let type = OptionType<Duration>.duration
        #expect(type.describe(.seconds(-1)) == nil)
        #expect(type.describe(.seconds(Int64.max)) == nil)
    }
}
