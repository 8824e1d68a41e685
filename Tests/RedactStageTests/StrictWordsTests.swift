// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct StrictWordsTests {
    private static let words = StrictWords(ownNames: ["frobnitz"])

    private func isName(_ name: String) -> Bool { Self.words.isName(name.utf8.span) }
    private func isSegment(_ name: String) -> Bool { Self.words.isSegment(name.utf8.span) }
    private func isIdentifier(_ name: String) -> Bool { StrictWords.isIdentifier(name.utf8.span) }

    @Test(arguments: [
        "id", "userId", "user_id", "APIKey", "created-at", "items[0].price", "ETag", "line2",
        "X-Request-ID", "password", "phpsessid", "frobnitz", "@type", "$schema",
    ])
    func namesOfKnownWordsAreKnown(name: String) {
        #expect(isName(name))
    }

    @Test(arguments: [
        "alice", "Gk3x9QpL2m", "bafigidab", "user_4711", "a.b.c.d.e", "id id", "", "9", "userGk3x",
        "id0123456789", "user/id", "W3cm86H", "H64LUp9", "idIsOk", "a1b23",
    ])
    func otherNamesAreUnknown(name: String) {
        #expect(!isName(name))
    }

    @Test func segmentsConsistOfRouteWords() {
        for segment in ["users", "v2", "user-profiles", "index.html", "app.js", "oauth2"] {
            #expect(isSegment(segment), "\(segment)")
        }
        for segment in ["alice", "4711", "Gk3x9QpL2m", "report.Gk3x", "alice.html", "123.js"] {
            #expect(!isSegment(segment), "\(segment)")
        }
    }

    @Test func identifiersHaveTheCharactersOfNames() {
        for name in ["alice", "a.b", "x_1", "$ref"] {
            #expect(isIdentifier(name))
        }
        for name in ["", "a b", "1a", "a/b", "é", "user12345", String(repeating: "a", count: 65)] {
            #expect(!isIdentifier(name))
        }
    }

    /// Words are looked up in lowercase, and no list contains a word twice.
    @Test func listsAreClean() {
        for list in [
            StrictWords.nameWords, StrictWords.valueWords, StrictWords.codeWords,
            StrictWords.mediaTypes, StrictWords.proseWords, StrictWords.routeWords,
            StrictWords.fileEndings, StrictWords.fieldNames,
        ] {
            let words = list.split(whereSeparator: \.isWhitespace)
            #expect(Set(words).count == words.count)
        }
    }
}
