// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct JSONPathTests {
    private static let document =
        #"{"card":{"number":"4","x":1},"items":[{"t":"a","n":[1,2]},{"t":"b"}],"o d":5,"card2":{"number":6}}"#

    @Test(arguments: [
        (
            "$.card.number",
            #"{"card":{"number":"*","x":1},"items":[{"t":"a","n":[1,2]},{"t":"b"}],"o d":5,"card2":{"number":6}}"#
        ),
        (
            "$.items[*].t",
            #"{"card":{"number":"4","x":1},"items":[{"t":"*","n":[1,2]},{"t":"*"}],"o d":5,"card2":{"number":6}}"#
        ),
        (
            "$.items[1].t",
            #"{"card":{"number":"4","x":1},"items":[{"t":"a","n":[1,2]},{"t":"*"}],"o d":5,"card2":{"number":6}}"#
        ),
        (
            "$..number",
            #"{"card":{"number":"*","x":1},"items":[{"t":"a","n":[1,2]},{"t":"b"}],"o d":5,"card2":{"number":"*"}}"#
        ),
        (
            "$['o d']",
            #"{"card":{"number":"4","x":1},"items":[{"t":"a","n":[1,2]},{"t":"b"}],"o d":"*","card2":{"number":6}}"#
        ),
        ("$.items", #"{"card":{"number":"4","x":1},"items":"*","o d":5,"card2":{"number":6}}"#),
        (
            "$..n[*]",
            #"{"card":{"number":"4","x":1},"items":[{"t":"a","n":["*","*"]},{"t":"b"}],"o d":5,"card2":{"number":6}}"#
        ),
        (
            "$..n[0]",
            #"{"card":{"number":"4","x":1},"items":[{"t":"a","n":["*",2]},{"t":"b"}],"o d":5,"card2":{"number":6}}"#
        ),
        (
            "$.card*.number",
            #"{"card":{"number":"*","x":1},"items":[{"t":"a","n":[1,2]},{"t":"b"}],"o d":5,"card2":{"number":"*"}}"#
        ),
        (
            "$.CARD.*",
            #"{"card":{"number":"*","x":"*"},"items":[{"t":"a","n":[1,2]},{"t":"b"}],"o d":5,"card2":{"number":6}}"#
        ),
        (
            "$.items..t",
            #"{"card":{"number":"4","x":1},"items":[{"t":"*","n":[1,2]},{"t":"*"}],"o d":5,"card2":{"number":6}}"#
        ),
        ("$.number", document),
    ])
    func pathsSelectTheirValues(path: String, expected: String) throws {
        let yaml = "preset: none\nmask: '*'\njson: [\"\(path)\"]"
        #expect(try redactBody(Self.document, "application/json", yaml) == expected)
    }

    @Test(arguments: [
        ("$", "path has no steps; expected '.name' after '$'"),
        ("$.", "invalid path '$.': name is missing after '.'"),
        ("$.a[", "invalid path '$.a[': ']' is missing"),
        (
            "$.a[x]",
            "invalid path '$.a[x]': unknown selector; expected [*], a number from 0 or a name in quotes"
        ),
        (
            "$.a[-1]",
            "invalid path '$.a[-1]': unknown selector; expected [*], a number from 0 or a name in quotes"
        ),
        ("$['a", "invalid path '$['a': '']' is missing"),
        ("$a", "invalid path '$a': unexpected character; expected '.' or '['"),
    ])
    func invalidPathsAreErrors(path: String, message: String) {
        let built = build("json: [\"\(path)\"]")
        #expect(built.factory == nil)
        #expect(built.problems == [message])
    }

    @Test func onlyTextsThatBeginWithADollarSignArePaths() throws {
        #expect(throws: JSONPathError.self) {
            try JSONPath("$" + String(repeating: ".a", count: 33))
        }
        #expect(throws: Never.self) { try JSONPath("$" + String(repeating: ".a", count: 32)) }
    }
}
