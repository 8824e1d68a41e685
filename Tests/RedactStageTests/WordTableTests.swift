// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct WordTableTests {
    private func contains(_ table: WordTable, _ word: String) -> Bool {
        table.contains(word.utf8.span)
    }

    @Test func wordsAreFoundRegardlessOfCase() {
        let table = WordTable(["alpha Beta\n  gamma", "*/* x"])
        for word in ["alpha", "ALPHA", "beta", "Gamma", "*/*", "X"] {
            #expect(contains(table, word))
        }
        for word in ["", "alph", "alphab", "beta gamma", "y", String(repeating: "x", count: 300)] {
            #expect(!contains(table, word))
        }
        #expect(!contains(WordTable([]), "a"))
    }

    @Test func manyWordsAreFound() {
        let words = (0..<5000).map { "word\($0)" }
        let table = WordTable([words.joined(separator: " ")])
        #expect(words.allSatisfy { contains(table, $0) })
        #expect(!contains(table, "word5000"))
    }
}
