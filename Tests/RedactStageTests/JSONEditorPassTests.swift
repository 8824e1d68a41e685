// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import RedactStage

/// The fast path through JSON has the same results as the slow path.
@Suite struct JSONEditorPassTests {
    /// Returns both paths; a path rule that matches nothing forces the slow path.
    private static func ways(_ options: String) throws -> (short: Way, long: Way) {
        (try Way("{\(options)}"), try Way("{\(options), json: [$.no.such.path]}"))
    }

    /// A stage that is reused, since parsing its rules takes longer than reading a text.
    private struct Way {
        private let stage: any RecordStage

        init(_ yaml: String) throws {
            let factory = try #require(build(yaml).factory)
            let stage = try factory.makeStage(StageContext(id: "redact"))
            self.stage = try #require(stage as? any RecordStage)
        }

        func callAsFunction(_ text: String) throws -> String {
            var exchange = exchange(type: "application/json", body: text)
            var context = ExchangeContext()
            _ = try stage.record(&exchange, &context)
            return String(decoding: exchange.request.body.bytes, as: UTF8.self)
        }
    }

    private static func document(_ random: inout Random, _ depth: Int) -> String {
        let blank = random.pick(["", "", " ", "\n\t"])
        switch depth > 4 ? 3 + random.below(6) : random.below(9) {
        case 0, 1:
            let members = (0..<random.below(5)).map { _ in
                let key = random.pick([
                    "a", "name", "value", "token", "päss", "user.pin", "list[otp]", "PassWord",
                    "nested", "\\u0070in", "[", "p", "xpasswd2", "key", "", "name", "value", "NAME",
                ])
                return "\(blank)\"\(key)\"\(blank):\(blank)\(document(&random, depth + 1))"
            }
            return "{" + members.joined(separator: "\(blank),") + blank + "}"
        case 2:
            let elements = (0..<random.below(5)).map { _ in document(&random, depth + 1) }
            return "[" + elements.joined(separator: "\(blank),\(blank)") + "\(blank)]"
        case 3, 4:
            return random.pick(["0", "-1.5e+3", "true", "false", "null", "NaN", "-Infinity", "12"])
        default:
            return "\""
                + random.pick([
                    "", "x", "password", "token", "say \\\"so\\\"", "https://u:p@h/?pin=1&a=2",
                    "a=1&token=2", "Bearer abcdef", "{\\\"token\\\":1}", "no names in here",
                    "parent", "user.pin", "myPassword", "p\\u0069n",
                ]) + "\""
        }
    }

    @Test func bothPathsHaveTheSameResults() throws {
        let (shortWay, longWay) = try Self.ways("mask: '*'")
        var random = Random(seed: 11)
        var changed = 0
        for _ in 0..<3000 {
            var text = Self.document(&random, 0)
            switch random.below(6) {
            case 0: text = String(text.prefix(random.below(text.count + 1)))
            case 1: text.insert(random.pick([",", "}", "x", "\"", "[", ":"]), at: text.startIndex)
            case 2:
                let place = text.index(text.startIndex, offsetBy: random.below(text.count + 1))
                text.insert(random.pick([",", "}", "x", "\"", "[", ":", "\\"]), at: place)
            default: break
            }
            let short = try shortWay(text)
            let long = try longWay(text)
            if short != text { changed += 1 }
            guard short == long else {
                Issue.record("'\(text)' became '\(short)', and the long way '\(long)'")
                return
            }
        }
        #expect(changed > 900)
    }

    @Test func bothPathsRemoveTheSame() throws {
        let (shortWay, longWay) = try Self.ways("action: remove")
        var random = Random(seed: 12)
        for _ in 0..<1000 {
            let text = Self.document(&random, 0)
            #expect(try shortWay(text) == longWay(text), "\(text)")
        }
    }

    /// A pending name or value of an incomplete text does not affect the next text.
    @Test func anIncompleteTextDoesNotAffectTheNextOne() throws {
        let way = try Way("{}")
        for broken in ["{\"some\":\"thing\",\"value\":", "{\"name\":\"token\",\"value\":"] {
            _ = try way(broken)
            #expect(try way("12") == "12")
            _ = try way(broken)
            #expect(try way("[\"a\",1]") == "[\"a\",1]")
        }
    }
}
