// SPDX-License-Identifier: MIT

import TaplineQuery
import Testing

@Suite struct SuggestionTests {
    @Test(arguments: [
        ("hots", "host"), ("metod", "method"), ("statuss", "status"), ("pth", "path"),
        ("respones.header", "response.header"), ("request.heder", "request.header"), ("nto", "not"),
    ])
    func aNearNameIsSuggested(wrong: String, meant: String) {
        #expect(failure("\(wrong) exists")?.help == "did you mean '\(meant)'?")
    }

    @Test func aDistantNameIsNotSuggested() {
        #expect(failure("elephant exists")?.help == nil)
        let long = String(repeating: "status", count: 20)
        #expect(failure("\(long) exists")?.message == "unknown field")
        #expect(failure("\(long) exists")?.help == nil)
    }
}
