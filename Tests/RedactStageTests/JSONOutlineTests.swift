// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RedactStage

@Suite struct JSONOutlineTests {
    private static let words = StrictWords(ownNames: [])

    private func maps(_ text: String, maxDepth: Int = 10) -> [Bool]? {
        JSONOutline(text.utf8.span, Self.words, maxDepth: maxDepth)?.maps
    }

    @Test(arguments: [
        ("{}", [false]), (#"{"id":{"alice":1}}"#, [false, true]), ("[1,-2.5e3,true,null]", []),
        (#"{"id":1,"frobnitz":2}"#, [false]), (#"{"id":1,"a b":2}"#, [true]),
        (#"{"4711":{"id":{}}}"#, [true, false, false]), (#"{"\u0069d":1}"#, [false]),
        ("\u{1E}{}\n{}", [false, false]), (#""text""#, []), (")]}',\n[]", []),
    ])
    func objectsKeyedByDataAreMaps(text: String, expected: [Bool]) {
        #expect(maps(text) == expected)
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "[1 2]", #""open"#, "tru",
        "01x", "1.", "1e", "-", "{]", "[}", #"{"a":1]"#, "nan", "+1", #"{1:2}"#, "[1]]",
    ])
    func invalidJSONHasNoOutline(text: String) {
        #expect(maps(text) == nil)
    }

    @Test func depthIsBounded() {
        #expect(maps("[[[]]]", maxDepth: 3) != nil)
        #expect(maps("[[[]]]", maxDepth: 2) == nil)
    }
}
