// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineCodings

/// Checks that searching in blocks gives the same results as searching byte by byte.
@Suite struct ByteBlocksTests {
    private func isDigit(_ byte: UInt8) -> Bool {
        Base64Text.value(byte) < 64
    }

    /// Returns the runs of at least `length` digits, found byte by byte.
    private func runs(in text: [UInt8], _ range: Range<Int>, _ length: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = range.lowerBound
        for index in range where !isDigit(text[index]) {
            if index - start >= length { runs.append(start..<index) }
            start = index + 1
        }
        if range.upperBound - start >= length { runs.append(start..<range.upperBound) }
        return runs
    }

    @Test func digitsAreTheCharactersOfBothAlphabets() {
        for byte in UInt8.min...UInt8.max {
            #expect(Base64Text.isDigit(byte) == isDigit(byte))
            let text =
                [UInt8](repeating: 0x20, count: 20) + [byte]
                + [UInt8](repeating: 0x20, count: 100)
            var runs = DigitRuns(from: 0)
            #expect(runs.next(in: text.span, length: 1) == (isDigit(byte) ? 20..<21 : nil))
            let end = ByteBlocks.endOfDigits(text.span, from: 20)
            #expect(end == (isDigit(byte) ? 21 : 20))
            let mark = ByteBlocks.nextMark(text.span, from: 0)
            #expect(mark == (EscapeUnit.mayBegin(byte) ? 20 : text.count))
        }
    }

    @Test(arguments: 0..<12)
    func runsAreFoundAtAnyPosition(seed: Int) {
        var random = Random(seed: UInt64(seed) + 99)
        let text = (0..<random.below(200)).map { _ in
            random.below(12) == 0 ? UInt8(random.below(256)) : UInt8(0x61 + random.below(26))
        }
        for length in [1, 4, 12, 13, 31, 32] {
            for start in [0, random.below(text.count + 1)] {
                let end = start + random.below(text.count - start + 1)
                let part = text.span.extracting(0..<end)
                var search = DigitRuns(from: start)
                var found: [Range<Int>] = []
                while let run = search.next(in: part, length: length) { found.append(run) }
                #expect(found == runs(in: text, start..<end, length))
            }
        }
        for start in 0...text.count {
            let mark = text[start...].firstIndex { EscapeUnit.mayBegin($0) }
            let border = text[start...].firstIndex {
                EscapeUnit.mayBegin($0) || $0 < 0x20 || $0 == 0x22
            }
            let other = text[start...].firstIndex { !isDigit($0) }
            let end = start + random.below(text.count - start + 1)
            let last = text[start..<end].lastIndex { $0 < 0x20 || $0 == 0x22 }
            let inner = last.map { $0 + 1 } ?? start
            guard ByteBlocks.endOfDigits(text.span, from: start) == other ?? text.count,
                ByteBlocks.nextMark(text.span, from: start) == mark ?? text.count,
                ByteBlocks.nextMarkOrBorder(text.span, from: start) == border ?? text.count,
                ByteBlocks.afterBorder(text.span, from: start, to: end) == inner
            else {
                Issue.record("at \(start) of \(text)")
                return
            }
        }
    }
}
