// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct JSONPathRulesTests {
    @Test func manyPathsAreFollowedTogether() throws {
        // More states than a word has bits.
        let paths = (0..<60).map { "$.a.k\($0)" } + ["$.a.b[3].c", "$..z"]
        let list = paths.map { "\"\($0)\"" }.joined(separator: ", ")
        let yaml = "{preset: none, mask: '*', json: [\(list)]}"
        let body = #"{"a":{"k0":1,"k59":2,"k60":3,"b":[0,1,2,{"c":4,"z":5}]},"k1":6}"#
        let expected = #"{"a":{"k0":"*","k59":"*","k60":3,"b":[0,1,2,{"c":"*","z":"*"}]},"k1":6}"#
        #expect(try redactBody(body, "application/json", yaml) == expected)
    }

    @Test func statesAreLimited() throws {
        var rules = JSONPathRules()
        let path = try JSONPath("$" + String(repeating: ".a", count: 32))
        for _ in 0..<32 {
            let hasRoom = rules.add(path, Rule(0, .mask))
            #expect(hasRoom)
        }
        let hasRoom = rules.add(path, Rule(0, .mask))
        #expect(!hasRoom)
        #expect(rules.words == 16)
    }
}
