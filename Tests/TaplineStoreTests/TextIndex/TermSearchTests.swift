// SPDX-License-Identifier: MIT

import TaplineQuery
import TestSupport
import Testing

@testable import TaplineStore

@Suite("Searches in a full-text index")
struct TermSearchTests {
    private func search(_ text: String, _ kind: TextIndexKind) throws -> TermSearch? {
        try parse(text).requiredText.flatMap { TermSearch($0, in: kind) }
    }

    private func term(_ text: String) -> TermSearch { .term(Array(text.utf8)) }

    @Test("by trigrams need three bytes")
    func trigrams() throws {
        #expect(
            try search(#"any contains "abcd""#, .trigrams) == .all([term("abc"), term("bcd")])
        )
        #expect(try search(#"any contains "ab""#, .trigrams) == nil)
        #expect(try search(#"any contains "é""#, .trigrams) == nil)
        #expect(try search(#"any contains "€""#, .trigrams) == .all([term("€")]))
        let either = #"any contains "abc" or url contains "xyz""#
        #expect(try search(either, .trigrams) == .any([.all([term("abc")]), .all([term("xyz")])]))
        #expect(try search(#"any contains "abc" or url contains "x""#, .trigrams) == nil)
        let long = String(repeating: "0123456789", count: 100)
        guard case .all(let terms)? = try search("any contains \"\(long)\"", .trigrams) else {
            Issue.record("not found by trigrams")
            return
        }
        #expect(terms.count <= 25)
        #expect(terms.last == term("789"))
    }

    @Test("by words need a word inside of the text, or a part of one")
    func words() throws {
        #expect(try search(#"any contains "a word b""#, .words) == .all([term("word")]))
        #expect(try search(#"any contains "word""#, .words) == .part(Array("word".utf8)))
        #expect(try search(#"any contains "a word""#, .words) == .part(Array("word".utf8)))
        #expect(try search(#"any contains ", ""#, .words) == nil)
        let long = String(repeating: "w", count: 100)
        #expect(
            try search("any contains \".\(long).\"", .words)
                == .part(Array(repeating: UInt8(ascii: "w"), count: IndexedWords.maxPart))
        )
    }

    @Test("by several texts begin with the one that no row had in the segment before")
    func order() throws {
        var search = TermSearch.all([term("abc"), term("bcd"), term("xyz")])
        var asked: [String] = []
        func rows(_ found: [String: [Int]]) -> [Int] {
            asked = []
            return search.rows { bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                asked.append(text)
                var rows = SegmentRows()
                for position in found[text] ?? [] { rows.insert(position) }
                return rows
            } withPart: { _ in
                SegmentRows()
            }
            .positions
        }
        #expect(rows(["abc": [1, 2], "bcd": [1], "xyz": [3]]) == [])
        #expect(asked == ["abc", "bcd", "xyz"])
        #expect(rows(["abc": [1, 2], "bcd": [1]]) == [])
        #expect(asked == ["xyz"])
        #expect(rows(["abc": [1, 2], "bcd": [2, 4], "xyz": [2, 4]]) == [2])
        #expect(asked == ["xyz", "abc", "bcd"])
    }
}
