// SPDX-License-Identifier: MIT

import TaplineBytes
import TestSupport
import Testing

@Suite struct GramTableTests {
    private func positions(_ table: GramTable, _ text: [UInt8], from start: Int) -> [Int] {
        var found: [Int] = []
        var last = start
        while true {
            last = table.next(in: text.span, from: last)
            guard last < text.count else { return found }
            found.append(last)
            last += 1
        }
    }

    @Test(arguments: [4, 5, 11, 64])
    func noEndOfAWindowIsSkipped(length: Int) {
        var random = Random(seed: UInt64(length))
        for _ in 0..<200 {
            let windows = (0..<1 + random.below(5)).map { _ in
                (0..<length).map { _ in UInt8(0x61 + random.below(3)) }[...]
            }
            let table = GramTable(windows: windows, bits: 14)
            #expect(table.slotCount == 1 << 14)
            var text = (0..<random.below(150)).map { _ in UInt8(0x61 + random.below(3)) }
            for window in windows where random.below(2) == 0 {
                text.insert(contentsOf: window, at: random.below(text.count + 1))
            }
            let expected = Set(
                text.indices.filter { index in
                    windows.contains { window in
                        index + 1 >= length && text[index + 1 - length...index] == window
                    }
                }
            )
            let found = Set(positions(table, text, from: length - 1))
            #expect(expected.isSubset(of: found))
        }
    }

    @Test func textsWithoutTheWindowsAreSkipped() {
        let table = GramTable(windows: [Array("Secret-Token".utf8)[...]], bits: 14)
        let text = Array(String(repeating: "some other words, ", count: 50).utf8)
        #expect(positions(table, text, from: 11) == [])
        #expect(positions(table, Array("a secret-TOKEN".utf8), from: 11) == [13])
        #expect(positions(table, Array("abc".utf8), from: 0) == [])
        #expect(positions(table, [], from: 0) == [])
        let one = table.slot(Array("oken".utf8).span, endingAt: 3)
        let other = table.slot(Array("tOKEN".utf8).span, endingAt: 4)
        #expect(one == other)
    }
}
