// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// Lines and columns of byte offsets.
@Suite
struct ConfigSourceTests {
    @Test(arguments: [
        ("", 0, 1, 1), ("ab\ncd", 0, 1, 1), ("ab\ncd", 2, 1, 3), ("ab\ncd", 3, 2, 1),
        ("ab\ncd", 5, 2, 3), ("ab\r\ncd", 4, 2, 1), ("ab\rcd", 3, 2, 1), ("a\n\nb", 3, 3, 1),
        ("a\n", 2, 2, 1), ("\u{E4}\u{1F600}b", 6, 1, 3), ("\tb", 1, 1, 2), ("ab", 99, 1, 3),
        ("ab", -5, 1, 1), ("a\r", 2, 2, 1),
    ])
    func positions(_ text: String, _ offset: Int, _ line: Int, _ column: Int) {
        let place = ConfigSource(name: "a", text: text).location(at: offset)
        #expect(place.line == line)
        #expect(place.column == column)
    }

    @Test func positionsAgreeWithCountingInALongLine() {
        let text = String(repeating: "ab\u{E4}\u{20AC}\u{1F600}", count: 1000)
        let source = ConfigSource(name: "a", text: "x\n" + text)
        var offset = 2
        for (index, scalar) in text.unicodeScalars.enumerated() {
            #expect(source.location(at: offset).column == index + 1)
            offset += scalar.utf8.count
        }
    }

    @Test func locationsAreClampedToTheText() {
        let place = ConfigSource(name: "a", text: "abc").location(at: 2, length: .max)
        #expect(place.byteOffset == 2)
        #expect(place.length == 1)
        #expect(place.byteEnd == 3)
    }

    @Test(arguments: [
        ("p.yaml", ""), ("a/p.yaml", "a"), ("/p.yaml", "/"), ("a/b/p.yaml", "a/b"), ("-", ""),
    ])
    func folder(_ name: String, _ expected: String) {
        #expect(ConfigSource(name: name, text: "").folder == expected)
        #expect(ConfigSource(name: name, text: "", folder: "f").folder == "f")
        #expect(ConfigSource(name: name, text: "", hasLines: false).folder == "")
    }

    @Test func locationsAreOrdered() {
        let first = ConfigSource(name: "a", text: "abc")
        let second = ConfigSource(name: "b", text: "abc")
        #expect(first.location(at: 2) < second.location(at: 1))
        #expect(first.location(at: 1) < first.location(at: 2))
        #expect(first.location(at: 1) < first.location(at: 1, length: 1))
        #expect(first != ConfigSource(name: "a", text: "abc"))
        #expect(Set([first.location(at: 1), first.location(at: 1)]).count == 1)
    }
}
