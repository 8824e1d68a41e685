// SPDX-License-Identifier: MIT

import TaplineBytes
import TestSupport
import Testing

@Suite struct SpanSearchTests {
    @Test(
        arguments: [(",", 0, 1), (",", 2, 3), (",", 5, nil), (",", 9, nil), ("x", 0, nil)]
            as [(Unicode.Scalar, Int, Int?)]
    )
    func bytesAreFound(byte: Unicode.Scalar, start: Int, expected: Int?) {
        let bytes = Array("a,b,c".utf8)
        let first = bytes.span.firstIndex(of: .ascii(byte), from: start)
        #expect(first == expected)
        let inLongText = bytes.span.firstIndex(of: .ascii(byte), inLongTextFrom: start)
        #expect(inLongText == expected)
        let last = bytes.span.lastIndex(of: .ascii(byte))
        #expect(last == (byte == "," ? 3 : nil))
    }

    @Test func searchesAgreeWithNaiveOnes() {
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
            let one = bytes.indices.first { $0 >= start && bytes[$0] == first }
            let found = bytes.span.firstIndex(of: first, from: start)
            let foundInLongText = bytes.span.firstIndex(of: first, inLongTextFrom: start)
            #expect(found == one && foundInLongText == one)
            let hasAny = bytes.span.containsAny(of: first, second, 90, 91)
            #expect(hasAny == (bytes.contains(first) || bytes.contains(second)))
            let count = bytes.span.count(of: first)
            #expect(count == bytes.filter { $0 == first }.count)
        }
        let last = [UInt8](repeating: 1, count: 33) + [7]
        let hasAny = last.span.containsAny(of: 9, 9, 9, 7)
        #expect(hasAny)
        let none = [UInt8]().span.count(of: 0)
        #expect(none == 0)
    }

    @Test(
        arguments: [
            (0, 12, 2), (2, 12, 2), (3, 12, 8), (2, 5, 2), (2, 4, nil), (9, 12, nil), (8, 11, 8),
            (8, 10, nil), (4, 4, nil),
        ] as [(Int, Int, Int?)]
    )
    func bytesAreFoundOnlyIfCompletelyInTheRange(start: Int, end: Int, expected: Int?) {
        let bytes = Array("ENEND ENEND ".utf8)
        let found = bytes.span.firstIndex(of: "END".utf8.span, in: start..<end)
        #expect(found == expected)
        let nothing = bytes.span.firstIndex(of: "".utf8.span, in: start..<end)
        #expect(nothing == nil)
    }

    @Test func containsAgreesWithANaiveSearch() {
        var random = Random(seed: 9)
        let letters = Array("abAB[{".utf8)
        for _ in 0..<3000 {
            let text = (0..<random.below(30)).map { _ in random.pick(letters) }
            let part = (0..<random.below(4)).map { _ in random.pick(letters).asciiLowercased }
            func occurs(in text: [UInt8]) -> Bool {
                guard !part.isEmpty else { return true }
                return text.indices.contains { text[$0...].starts(with: part) }
            }
            let contains = text.span.contains(part.span, ignoringCase: false)
            #expect(contains == occurs(in: text))
            let containsLike = text.span.contains(part.span, ignoringCase: true)
            #expect(containsLike == occurs(in: text.map(\.asciiLowercased)))
        }
    }

    @Test func searchesStartOnlyWithinTheBytes() {
        let bytes = Array("abc".utf8)
        for (start, expected) in [(0, 0), (2, 2), (3, 3), (4, 3), (-1, 3)] {
            let found = unsafe bytes.span.search(from: start) { _, start, count in
                #expect(count == 3)
                return start
            }
            #expect(found == expected)
        }
    }
}
