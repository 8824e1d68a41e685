// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct MadeTextsTests {
    private func has(_ text: String, _ made: MadeTexts) -> Bool { made.contains(text.utf8.span) }

    @Test func textsAndTheirLongWordsAreKeptUntilTheNextExchange() {
        let made = MadeTexts()
        let long = String(repeating: "a", count: 100)
        for text in ["Bearer Gk3x9QpL2m", "ab", long] { made.note(text.utf8.span) }
        for text in ["Bearer Gk3x9QpL2m", "Gk3x9QpL2m", "ab", long] { #expect(has(text, made)) }
        // These have the length or the first byte of a recorded text, and some have both.
        let others = [
            "", "a", "Bearer", "ac", "bb", "Gk3x9QpL2n", long + "a", "\(long.dropLast())",
        ]
        for text in others {
            #expect(!has(text, made), "\(text)")
        }
        made.reset()
        #expect(!has("ab", made))
        made.note("cd".utf8.span)
        #expect(has("cd", made) && !has("ab", made))
    }
}
