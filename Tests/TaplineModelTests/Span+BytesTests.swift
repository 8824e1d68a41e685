// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite struct SpanBytesTests {
    private func decimal(_ text: String) -> Int? { text.utf8.span.decimal }

    @Test func decimalsAreReadOnlyWhereTheyFit() {
        #expect(decimal("0") == 0)
        #expect(decimal("0042") == 42)
        #expect(decimal("9223372036854775807") == .max)
        #expect(decimal("9223372036854775808") == nil)
        #expect(decimal("99999999999999999999999") == nil)
        for text in ["", "-1", "+1", " 1", "1 ", "1x", "٣"] { #expect(decimal(text) == nil) }
    }

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

    @Test(arguments: [("", true), ("Set", true), ("Set-", true), ("set", false), ("Set-x", false)])
    func beginningsAreCompared(text: String, expected: Bool) {
        let bytes = Array("Set-".utf8)
        let starts = bytes.span.starts(with: text)
        #expect(starts == expected)
    }

    @Test(
        arguments: [(",", 0, 1), (",", 2, 3), (",", 9, nil), ("x", 0, nil)]
            as [(Unicode.Scalar, Int, Int?)]
    )
    func bytesAreFound(byte: Unicode.Scalar, start: Int, expected: Int?) {
        let bytes = Array("a,b,c".utf8)
        let first = bytes.span.firstIndex(of: .ascii(byte), from: start)
        #expect(first == expected)
        let last = bytes.span.lastIndex(of: .ascii(byte))
        #expect(last == (byte == "," ? 3 : nil))
    }

    @Test func searchesAgreeWithPlainOnes() {
        var random = Random(seed: 8)
        for _ in 0..<3000 {
            let bytes = (0..<random.below(60)).map { _ in UInt8(random.below(40)) }
            let (first, second) = (UInt8(random.below(80)), UInt8(random.below(80)))
            let start = random.below(70)
            let either = bytes.span.firstIndex(ofEither: first, second, from: start)
            let expected = bytes.indices.first {
                $0 >= start && (bytes[$0] == first || bytes[$0] == second)
            }
            #expect(either == expected ?? bytes.count)
            let hasAny = bytes.span.containsAny(of: first, second, 90, 91)
            #expect(hasAny == (bytes.contains(first) || bytes.contains(second)))
        }
        let last = [UInt8](repeating: 1, count: 33) + [7]
        let hasAny = last.span.containsAny(of: 9, 9, 9, 7)
        #expect(hasAny)
    }

    @Test func blanksAreTrimmed() {
        let bytes = Array(" \ta b\t ".utf8)
        let trimmed = bytes.span.trimmed(0..<bytes.count)
        #expect(Array(bytes[trimmed]) == Array("a b".utf8))
        let blank = Array(" \t ".utf8)
        let nothing = blank.span.trimmed(0..<3)
        #expect(nothing.isEmpty)
    }

    @Test func hexadecimalDigitsHaveTheirValue() {
        for byte in UInt8.min...UInt8.max {
            let expected = String(decoding: [byte], as: UTF8.self).unicodeScalars.first
                .flatMap { $0.isASCII ? Character($0).hexDigitValue : nil }
            #expect(byte.hexDigit.map(Int.init) == expected)
        }
    }
}
