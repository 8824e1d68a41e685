// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct ByteMemoTests {
    private static func text(_ count: Int, _ seed: UInt8 = 0x61) -> [UInt8] {
        (0..<count).map { seed &+ UInt8(truncatingIfNeeded: $0 * 7) }
    }

    /// Texts of all lengths, each next to texts that differ in one byte.
    @Test func textsAreDistinguishedByAllTheirBytes() {
        for count in 0...70 {
            var memo = ByteMemo<Int>(slots: 2, room: 64)
            let known = Self.text(count)
            for _ in 0..<2 { memo.note(count, of: known.span) }
            #expect(memo.value(of: known.span) == (count <= 64 ? count : nil), "\(count)")
            for place in 0..<count {
                var other = known
                other[place] ^= 1
                #expect(memo.value(of: other.span) == nil, "\(place) of \(count)")
            }
            #expect(memo.value(of: Self.text(count + 1).span) == nil)
        }
    }

    @Test func marksDistinguishTexts() {
        for text in [Self.text(0), Self.text(12)] {
            var memo = ByteMemo<Bool>(slots: 2, room: 16)
            for _ in 0..<2 { memo.note(true, of: text.span, mark: 5) }
            #expect(memo.value(of: text.span, mark: 5) == true)
            #expect(memo.value(of: text.span, mark: 6) == nil)
            #expect(memo.value(of: text.span) == nil)
        }
    }

    /// Texts beyond the capacity replace each other and are never confused.
    @Test func manyTextsAreDistinguished() {
        var memo = ByteMemo<Int>(slots: 16, room: 32)
        var known = 0
        for _ in 0..<2 {
            for number in 0..<500 {
                let text = Array("a text of number \(number)".utf8)
                for _ in 0..<2 {
                    let value = memo.value(of: text.span)
                    #expect(value == nil || value == number)
                    if value != nil { known += 1 }
                    memo.note(number, of: text.span)
                }
                #expect(memo.value(of: text.span) == number)
            }
        }
        #expect(known < 100)
    }

    /// A text that occurs once does not replace one that recurs.
    @Test func aTextThatOccursOnceIsNotKept() {
        var memo = ByteMemo<Int>(slots: 2, room: 32)
        let known = Array("one text".utf8)
        for _ in 0..<2 { memo.note(1, of: known.span) }
        for number in 0..<500 { memo.note(2, of: Array("text \(number)".utf8).span) }
        #expect(memo.value(of: known.span) == 1)
    }

    /// The value that was noted last wins.
    @Test func aValueIsReplaced() {
        var memo = ByteMemo<Int?>(slots: 4, room: 32)
        let text = Self.text(20)
        for _ in 0..<2 { memo.note(1, of: text.span) }
        memo.note(nil, of: text.span)
        #expect(memo.value(of: text.span) == .some(nil))
    }
}
