// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct CleanTextCacheTests {
    private let text = "the same bytes"

    private func contains(_ pieces: CleanTextCache, _ text: String, mark: Int) -> Bool {
        pieces.contains(text.utf8.span, mark: mark)
    }

    @Test func equalPiecesAreRecognized() {
        var pieces = CleanTextCache()
        pieces.insert(text.utf8.span, mark: 1, meaning: 1 << 20)
        #expect(contains(pieces, text, mark: 1))
        #expect(!contains(pieces, text, mark: 2))
        #expect(!contains(pieces, "the same byteS", mark: 1))
        #expect(!contains(pieces, "the same", mark: 1))
        pieces.removeAll()
        #expect(!contains(pieces, text, mark: 1))
    }

    @Test func smallPiecesAndPiecesBeyondTheCapacityAreNotStored() {
        var pieces = CleanTextCache()
        pieces.insert(text.utf8.span, mark: 0, meaning: 100)
        #expect(!contains(pieces, text, mark: 0))
        let large = String(repeating: "x", count: 1 << 20)
        pieces.insert(large.utf8.span, mark: 0, meaning: 16 << 20)
        #expect(contains(pieces, large, mark: 0))
        pieces.insert(text.utf8.span, mark: 0, meaning: 1 << 20)
        #expect(!contains(pieces, text, mark: 0))
    }
}
