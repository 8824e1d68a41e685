// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineCommand

@Suite("Names of saved filters in a filter")
struct SavedFilterTermsTests {
    private func names(_ text: String) -> [String] { SavedFilterTerms(text).terms.map(\.name) }

    @Test("are found anywhere but in strings")
    func terms() {
        #expect(names("@a") == ["a"])
        #expect(names("not @a-1.x and (@b_2 or @a)") == ["a-1.x", "b_2", "a"])
        #expect(names(#"path == "@a""#) == [])
        #expect(names(#"path == "\"@a" and @b"#) == ["b"])
        #expect(names(#"path == "\\" and @b"#) == ["b"])
        #expect(names(#"path == "@a"#) == [])
        #expect(names("\"\\") == [])
        #expect(names("status == 200") == [])
        #expect(names("@ a @") == [])
        #expect(SavedFilterTerms("@a").isSingleTerm)
        #expect(!SavedFilterTerms("@a ").isSingleTerm)
        #expect(!SavedFilterTerms("not @a").isSingleTerm)
    }

    @Test("become the saved filters, in parentheses unless they are everything")
    func expansion() {
        let saved = ["a": "x or y", "b": "z"]
        func expanded(_ text: String) -> String {
            SavedFilterTerms(text).expanded { saved[$0] ?? "?" }.text
        }
        #expect(expanded("@a") == "x or y")
        #expect(expanded("@a and not @b") == "(x or y) and not (z)")
        #expect(expanded(#"p == "@a" and @b"#) == #"p == "@a" and (z)"#)
        #expect(expanded("é@b") == "é(z)")
    }

    @Test("keep the positions of what is around them")
    func positions() {
        let text = "@a and @bb or sttus"
        let expansion = SavedFilterTerms(text).expanded { $0 == "a" ? "status == 500" : "x" }
        #expect(expansion.text == "(status == 500) and (x) or sttus")
        for (expanded, origin) in [(0, 0), (14, 0), (15, 2), (20, 7), (22, 7), (23, 10), (27, 14)] {
            #expect(expansion.origin(of: expanded) == origin)
        }
        #expect(expansion.origin(of: expansion.text.utf8.count) == text.utf8.count)
    }
}
