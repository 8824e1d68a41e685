// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct JSONEditFitterTests {
    /// Returns a text with some of its ranges replaced by `X`.
    private func placed(_ text: String, _ ranges: [Range<Int>]) -> String {
        var edits = EditList()
        let bytes = Array(text.utf8)
        for range in ranges { edits.add(range, Rule(0, .mask)) { $0.append(0x58) } }
        let placed = JSONEditFitter.placed(edits, in: bytes.span)
        return String(decoding: placed.apply(to: bytes.span), as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"a":"bcd"}"#, [7..<8], #"{"a":"bXd"}"#), (#"{"a":"bcd"}"#, [2..<3], #"{"X":"bcd"}"#),
        ("[12345,true]", [2..<4], #"["X",true]"#), ("[12345,true]", [3..<9], #"["X","X"]"#),
        (#"["ab","cd"]"#, [3..<8], #"["aX","Xd"]"#), (#"["ab"]"#, [1..<5], #"["X"]"#),
        ("[1, 2]", [2..<4], "[1, 2]"), ("[12]", [1..<2, 2..<3], #"["X"]"#),
        (#"{"a":"#, [1..<3], #"{"X":"#), ("[nonsense]", [3..<5], "[noXense]"),
    ])
    func editsFitIntoTheirValues(text: String, ranges: [Range<Int>], expected: String) {
        #expect(placed(text, ranges) == expected)
    }
}
