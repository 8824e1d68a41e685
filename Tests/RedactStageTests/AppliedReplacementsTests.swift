// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct AppliedReplacementsTests {
    private func has(_ text: String, _ applied: AppliedReplacements) -> Bool {
        applied.contains(text.utf8.span)
    }

    @Test func textsAndTheirLongWordsAreKeptUntilTheNextExchange() {
        let applied = AppliedReplacements()
        let long = String(repeating: "a", count: 100)
        for text in ["Bearer Gk3x9QpL2m", "ab", long] { applied.note(text.utf8.span) }
        for text in ["Bearer Gk3x9QpL2m", "Gk3x9QpL2m", "ab", long] { #expect(has(text, applied)) }
        // These have the length or the first byte of a recorded text, and some have both.
        let others = [
            "", "a", "Bearer", "ac", "bb", "Gk3x9QpL2n", long + "a", "\(long.dropLast())",
        ]
        for text in others {
            #expect(!has(text, applied), "\(text)")
        }
        applied.reset()
        #expect(!has("ab", applied))
        applied.note("cd".utf8.span)
        #expect(has("cd", applied) && !has("ab", applied))
    }
}
