// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// Texts, booleans, numbers and paths.
@Suite
struct OptionTypeScalarsTests {
    @Test(arguments: [
        ("abc", "abc"), ("'1'", "1"), ("1", "1"), ("true", "true"), ("''", ""), ("no", "no"),
        ("\"a\\nb\"", "a\nb"),
    ])
    func text(_ text: String, _ expected: String) {
        #expect(value(text, .text).value == expected)
    }

    @Test(arguments: [
        ("[a]", "a list"), ("{a: b}", "a mapping"), ("", "nothing"), ("~", "nothing"),
    ])
    func notText(_ text: String, _ found: String) {
        let (value, rendered) = value(text, .text)
        #expect(value == nil)
        #expect(
            rendered.contains("error: wrong type of value; found \(found), expected text\n")
        )
    }

    @Test(arguments: [
        ("true", true), ("True", true), ("TRUE", true), ("false", false), ("False", false),
        ("FALSE", false),
    ])
    func boolean(_ text: String, _ expected: Bool) {
        #expect(value(text, .bool).value == expected)
    }

    @Test(arguments: ["yes", "no", "on", "Off", "y", "N"])
    func oldBooleansAreText(_ text: String) {
        let (value, rendered) = value(text, .bool)
        #expect(value == nil)
        #expect(
            rendered == """
                p.yaml:1:4: error: wrong type of value; found '\(text)', expected true or false
                    1 | x: \(text)
                      |    ^\(String(repeating: "~", count: text.count - 1))
                help: write true or false; yes, no, on and off are text in YAML 1.2

                """
        )
    }

    @Test(arguments: ["'true'", "\"false\"", "tRUE", "1", "[true]", "~"])
    func notABoolean(_ text: String) {
        let (value, rendered) = value(text, .bool)
        #expect(value == nil)
        #expect(rendered.contains("expected true or false\n"))
        #expect(!rendered.contains("help:"))
    }

    @Test(arguments: [
        ("0", 0), ("-7", -7), ("+7", 7), ("007", 7), ("9223372036854775807", .max),
        ("-9223372036854775808", .min),
    ])
    func integer(_ text: String, _ expected: Int) {
        #expect(value(text, .integer()).value == expected)
    }

    @Test(arguments: ["'1'", "1.0", "1e3", "0x10", "1_000", "9223372036854775808", "a", "[1]", ""])
    func notAnInteger(_ text: String) {
        let (value, rendered) = value(text, .integer())
        #expect(value == nil)
        #expect(rendered.contains(", expected a whole number\n"))
    }

    @Test func integerOutOfRange() {
        #expect(value("5", .integer(in: 1...5)).value == 5)
        #expect(
            value("6", .integer(in: 1...5)).rendered == """
                p.yaml:1:4: error: the number is out of range; found 6, expected a whole number from 1 to 5
                    1 | x: 6
                      |    ^

                """
        )
        #expect(value("0", .integer(in: 1...Int.max)).rendered.contains("number, at least 1\n"))
        #expect(value("2", .integer(in: Int.min...1)).rendered.contains("number, at most 1\n"))
    }

    @Test(arguments: [("1", 1.0), ("-2.5", -2.5), ("1e3", 1000), ("1.5E-2", 0.015), ("+1", 1)])
    func number(_ text: String, _ expected: Double) {
        #expect(value(text, .number()).value == expected)
    }

    @Test(arguments: ["'1'", "nan", ".nan", "inf", "-.inf", "0x1p3", "1e999", "1,5", "1 ", "e"])
    func notANumber(_ text: String) {
        // A blank after a plain scalar is not part of it, so that case is a number.
        let (value, rendered) = value(text, .number(in: 2...3))
        #expect(value == nil)
        #expect(rendered.contains("expected a number from 2.0 to 3.0\n"))
    }

    @Test(arguments: [
        ("a.log", "conf/p.yaml", "conf/a.log"), ("/tmp/a", "conf/p.yaml", "/tmp/a"),
        ("a.log", "p.yaml", "a.log"), ("'-'", "conf/p.yaml", "-"),
        ("../a/%Y-%m-%d.log", "conf/p.yaml", "conf/../a/%Y-%m-%d.log"),
        ("a", "/p.yaml", "/a"), ("${DIR}/a", "conf/p.yaml", "/data/a"),
    ])
    func path(_ text: String, _ file: String, _ expected: String) {
        let key = ConfigKey("x", .path, summary: "X.")
        let (options, _) = decode(
            "x: \(text)\n",
            OptionSchema(key),
            environment: ["DIR": "/data"],
            name: file
        )
        #expect(options?[key] == expected)
    }

    @Test(arguments: ["''", "\"a\\0b\"", "\"${EMPTY}\""])
    func notAPath(_ text: String) {
        let (value, rendered) = value(text, .path, environment: ["EMPTY": ""])
        #expect(value == nil)
        #expect(rendered.contains("the path is empty or contains a zero byte\n"))
    }
}
