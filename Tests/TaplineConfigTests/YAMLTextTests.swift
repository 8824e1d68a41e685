// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// Scalars are written so that they read as the same text.
@Suite
struct YAMLTextTests {
    static let texts = [
        "abc", "", " ", "a b", "*.x", "&a", "a: b", "a #b", "#a", "'", "it's", "\"", "- a", "-",
        "true", "No", "null", "~", "1", "1.5", "1e3", "a:", "[a]", "a,b", "{", "\u{1B}[31m",
        "a\nb", "\u{2028}", "\u{E4}", "image/*", "${A}", "@a", "%a", "`a`", "|", ">", "!a", "?",
        "a ", "0x1F", "a\\b", "\u{FEFF}",
    ]

    @Test(arguments: texts)
    func readsAsTheSameText(_ text: String) {
        let written = YAMLText.scalar(text)
        #expect(read("x: \(written)\n").node?["x"]?.text == text)
        #expect(read("x: [\(written), y]\n").node?["x"]?.elements?.first?.text == text)
    }

    @Test(arguments: ["abc", "a b", "image/*", "a-b", "it's", "/tmp/%Y.log", "\u{E4}"])
    func plainIfPossible(_ text: String) {
        #expect(YAMLText.scalar(text) == text)
    }
}
