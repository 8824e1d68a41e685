// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineStore

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
            SavedFilterTerms(text).expanded { saved[$0.name] ?? "?" }.text
        }
        #expect(expanded("@a") == "x or y")
        #expect(expanded("@a and not @b") == "(x or y) and not (z)")
        #expect(expanded(#"p == "@a" and @b"#) == #"p == "@a" and (z)"#)
        #expect(expanded("é@b") == "é(z)")
    }

    @Test("keep the positions of what is around them")
    func positions() {
        let text = "@a and @bb or sttus"
        let expansion = SavedFilterTerms(text).expanded { $0.name == "a" ? "status == 500" : "x" }
        #expect(expansion.text == "(status == 500) and (x) or sttus")
        for (expanded, origin) in [(0, 0), (14, 0), (15, 2), (20, 7), (22, 7), (23, 10), (27, 14)] {
            #expect(expansion.origin(of: expanded) == origin)
        }
        #expect(expansion.origin(of: expansion.text.utf8.count) == text.utf8.count)
        // A range in a saved filter is that of its term; one beyond the end is empty.
        let ranges: [(Range<Int>, Range<Int>)] = [
            (8..<10, 0..<2), (21..<22, 7..<10), (27..<32, 14..<19), (32..<32, 19..<19),
            (0..<32, 0..<19), (10..<10, 0..<0),
        ]
        for (expanded, origin) in ranges {
            #expect(expansion.origin(of: expanded) == origin, "\(expanded)")
        }
    }
}
