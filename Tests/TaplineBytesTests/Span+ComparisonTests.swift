// SPDX-License-Identifier: MIT

import TaplineBytes
import Testing

@Suite struct SpanComparisonTests {
    @Test(arguments: [
        ("Set-Cookie@[", true, true), ("set-Cookie@[", false, true), ("sET-cOOKIE@[", false, true),
        ("set-cookie`{", false, false), ("set-cookie@", false, false), ("", false, false),
    ])
    func bytesAreComparedWithAndWithoutCase(text: String, isEqual: Bool, isLike: Bool) {
        let bytes = Array("Set-Cookie@[".utf8)
        let equals = bytes.span.equals(text)
        let equalsIgnoringCase = bytes.span.equalsIgnoringCase(text)
        #expect(equals == isEqual)
        #expect(equalsIgnoringCase == isLike)
    }

    @Test(arguments: [
        ("", true, true), ("Set", true, true), ("Set-", true, true), ("set", false, true),
        ("Set-x", false, false), ("Sex", false, false),
    ])
    func beginningsAreCompared(text: String, isEqual: Bool, isLike: Bool) {
        let bytes = Array("Set-".utf8)
        let starts = bytes.span.starts(with: text)
        let startsWithBytes = bytes.span.starts(with: text.utf8.span)
        let startsIgnoringCase = bytes.span.starts(withIgnoringCase: text)
        #expect(starts == isEqual && startsWithBytes == isEqual)
        #expect(startsIgnoringCase == isLike)
    }

    @Test func compileTimeConstantsAreCompared() {
        func isExactly(_ bytes: String, _ text: StaticString) -> Bool {
            Array(bytes.utf8).span.isExactly(text)
        }
        #expect(isExactly("", "") && isExactly("abc", "abc"))
        #expect(!isExactly("abc", "abd") && !isExactly("abc", "ab") && !isExactly("", "a"))
        #expect(isExactly("0123456789abcdef0", "0123456789abcdef0"))
        #expect(!isExactly("0123456789abcdef0", "0123456789abcdef1"))
        #expect(!isExactly("0123456789abcdef0", "0123456789abcdEf0"))
    }

    @Test(arguments: [
        (0, true), (1, false), (4, true), (5, false), (8, false), (-1, false), (Int.max, false),
    ])
    func textIsComparedAtAPosition(start: Int, expected: Bool) {
        let bytes = Array("pub-pub-".utf8)
        let hasBytes = bytes.span.hasBytes("pub-", at: start)
        #expect(hasBytes == expected)
        let hasLonger = bytes.span.hasBytes("pub-pub-p", at: 0)
        #expect(!hasLonger)
    }

    @Test(arguments: [("", "a", true), ("a", "", false), ("ab", "b", true), ("a", "a", false)])
    func bytesAreOrdered(left: String, right: String, expected: Bool) {
        let precedes = left.utf8.span.precedes(right.utf8.span)
        #expect(precedes == expected)
    }

    @Test func nonASCIIBytesAreDetected() {
        for count in 0..<20 {
            var bytes = [UInt8](repeating: 0x7F, count: count)
            var isASCII = bytes.span.isASCII
            #expect(isASCII)
            for index in bytes.indices {
                bytes[index] = 0x80
                isASCII = bytes.span.isASCII
                #expect(!isASCII)
                bytes[index] = 0
            }
        }
    }
}
