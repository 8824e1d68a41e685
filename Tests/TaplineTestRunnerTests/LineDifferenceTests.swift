// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineTestRunner

@Suite("A line difference")
struct LineDifferenceTests {
    private func lines(_ expected: String, _ found: String) -> [String] {
        LineDifference(
            expected: expected.map { String($0) },
            found: found.map { String($0) }
        ).lines
    }

    @Test("keeps lines that both texts have")
    func both() {
        #expect(lines("abc", "axc") == ["  a", "- b", "+ x", "  c"])
        #expect(lines("abc", "abcd") == ["  …", "  b", "  c", "+ d"])
        #expect(lines("abc", "bc") == ["- a", "  b", "  c"])
        #expect(lines("", "ab") == ["+ a", "+ b"])
        #expect(lines("ab", "") == ["- a", "- b"])
    }

    @Test("leaves out lines far from any difference")
    func context() {
        #expect(
            lines("abcdefghijk", "Abcdefghijk") == ["- a", "+ A", "  b", "  c", "  …"]
        )
        #expect(
            lines("abcdefghi", "Abcdefghj")
                == ["- a", "+ A", "  b", "  c", "  …", "  g", "  h", "- i", "+ j"]
        )
    }

    @Test("is limited in length")
    func bounded() {
        let many = (0..<5000).map { "line \($0)" }
        let other = (0..<5000).map { "other \($0)" }
        #expect(LineDifference(expected: many, found: other).lines.count == 41)
        var late = many
        late[4999] = "other"
        #expect(
            LineDifference(expected: many, found: late).lines
                == ["  … no difference up to line 400"]
        )
        let long = String(repeating: "x", count: 5000)
        let wide = LineDifference(expected: ["\(long)a"], found: ["\(long)b"]).lines
        #expect(wide.allSatisfy { $0.count < 200 })
        #expect(wide.first?.hasSuffix("xa") == true && wide.last?.hasSuffix("xb") == true)
    }
}
