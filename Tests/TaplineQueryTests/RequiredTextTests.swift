// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineQuery

@Suite("The texts that a filter requires")
struct RequiredTextTests {
    private func text(_ text: String) -> RequiredText { .text(Array(text.utf8)) }

    @Test(
        "are those of comparisons that must hold",
        arguments: [
            (#"any contains "a""#, "a"), (#"url == "b""#, "b"),
            (#"request.body contains "c" and status == 200"#, "c"),
            (#"not (not response.header["x"] == "d")"#, "d"),
            (#"request.cookie["n"] like "e?""#, "e"), (#"message.text in ["f"]"#, "f"),
        ]
    )
    func single(filter: String, expected: String) throws {
        #expect(try Filter(filter).requiredText == text(expected))
    }

    @Test("are none if the filter can hold without them")
    func none() throws {
        for filter in [
            "status == 200", #"not any contains "a""#, #"any contains """#, #"url != "a""#,
            #"url ~ "abc""#, #"any contains "a" or status == 200"#, #"url like "*""#,
            #"request.body exists"#, #"url > "a""#, #"query["a"] == "b""#, #"path == "/a""#,
            #"host == "a.test""#, #"json "$.a" == "b""#, #"url == env["NONE"]"#,
            #"url in ["a", ""]"#,
        ] {
            #expect(try Filter(filter).requiredText == nil, "\(filter)")
        }
    }

    @Test("are combined as comparisons are")
    func combined() throws {
        #expect(
            try Filter(#"any contains "a" and (url == "b" or url in ["c", "d"])"#).requiredText
                == .all([text("a"), .any([text("b"), .any([text("c"), text("d")])])])
        )
        #expect(try Filter(#"url like "a*b?c""#).requiredText == .all(["a", "b", "c"].map(text)))
    }
}
