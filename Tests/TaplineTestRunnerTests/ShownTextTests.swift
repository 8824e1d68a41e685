// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineTestRunner

@Suite("Text of messages")
struct ShownTextTests {
    @Test("contains nothing that a terminal would interpret")
    func escaped() {
        #expect(
            ShownText.escaped("a\n\r\t\u{1B}[31m\u{9B}\u{202E}é")
                == "a\\n\\r\\t\\u{1B}[31m\\u{9B}\\u{202E}é"
        )
    }

    @Test("is limited in length, whatever it contains")
    func bounded() {
        #expect(ShownText.bounded("short") == "short")
        let long = ShownText.bounded(String(repeating: "é", count: 100_000))
        #expect(long == String(repeating: "é", count: ShownText.limit) + "…")
        #expect(ShownText.bounded(String(repeating: "a", count: 160)).count == 160)
    }

    @Test("shows the part of two texts that differs, from the same position, with whole characters")
    func pair() {
        let same = String(repeating: "é", count: 5000)
        let (first, second) = ShownText.pair(same + "a" + same, same + "b" + same)
        #expect(first.count <= ShownText.limit + 2 && second.count <= ShownText.limit + 2)
        #expect(first.contains("éaé") && second.contains("ébé"))
        #expect(!first.contains("\u{FFFD}") && !second.contains("\u{FFFD}"))
        #expect(ShownText.pair("a", "b") == ("a", "b"))
        let (cut, whole) = ShownText.pair(same, same + "tail")
        #expect(cut.hasPrefix("…") && whole.hasSuffix("tail"))
    }
}
