// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct EditListTests {
    private let text = Array("0123456789".utf8)
    private let rule = Rule(7, .mask)
    private let other = Rule(8, .remove)

    private func rules(_ edits: EditList) -> [UInt32] {
        var rules: [UInt32] = []
        edits.forEachRule { rules.append($0) }
        return rules
    }

    private func applied(_ edits: EditList) -> String {
        String(decoding: edits.apply(to: text.span), as: UTF8.self)
    }

    @Test func editsAreAppliedInOrder() {
        var edits = EditList()
        #expect(edits.isEmpty)
        #expect(applied(edits) == "0123456789")
        edits.add(1..<3, rule) { $0.append(contentsOf: "ab".utf8) }
        edits.add(5..<5, rule) { $0.append(contentsOf: "xyz".utf8) }
        edits.remove(8..<10, other)
        #expect(applied(edits) == "0ab34xyz567")
        #expect(edits.end == 10)
        #expect(rules(edits) == [7, 7, 8])
    }

    @Test func anEditAbsorbsTheEditsAfterItsBeginning() {
        var edits = EditList()
        edits.remove(1..<2, other)
        edits.add(4..<5, rule) { $0.append(contentsOf: "a".utf8) }
        edits.add(6..<7, rule) { $0.append(contentsOf: "b".utf8) }
        edits.add(3..<9, rule) { $0.append(contentsOf: "c".utf8) }
        #expect(applied(edits) == "02c9")
        // The absorbed edit is not counted.
        #expect(rules(edits) == [8, 7])
        edits.reset()
        #expect(edits.isEmpty)
        #expect(applied(edits) == "0123456789")
    }

    @Test func anEditWithinAnotherExtendsIt() {
        var edits = EditList()
        edits.add(2..<6, rule) { $0.append(contentsOf: "a".utf8) }
        edits.add(3..<5, rule) { $0.append(contentsOf: "b".utf8) }
        edits.add(4..<8, rule) { $0.append(contentsOf: "c".utf8) }
        #expect(applied(edits) == "01a89")
    }

    @Test func itemsAreRemovedWithOneSeparator() {
        var edits = EditList()
        var remover = ListItemRemover()
        // "01,34,67": the first item is kept, the others are removed.
        remover.keep(until: 2)
        remover.remove(3..<5, next: 6, rule, &edits)
        remover.remove(6..<8, next: nil, rule, &edits)
        #expect(applied(edits) == "0189")
        edits.reset()
        let fresh = ListItemRemover()
        fresh.remove(0..<2, next: 3, rule, &edits)
        #expect(applied(edits) == "3456789")
    }

    /// Returns edits of ranges, each with its own letter.
    private func list(_ ranges: [Range<Int>], _ letters: String) -> EditList {
        var list = EditList()
        for (range, letter) in zip(ranges, letters.utf8) {
            list.add(range, Rule(0, .mask)) { $0.append(letter) }
        }
        return list
    }

    @Test(arguments: [
        ([0..<1], [2..<3], "A1x3456789"), ([2..<3], [0..<1], "x1A3456789"),
        ([2..<6], [3..<4], "01A6789"), ([3..<4], [2..<6], "01A6789"),
        ([2..<4, 6..<8], [3..<7], "01A89"), ([0..<1, 8..<9], [4..<5], "A123x567B9"),
        ([], [4..<5], "0123x56789"), ([4..<5], [], "0123A56789"),
    ])
    func mergedListsPreferTheirOwnEdits(own: [Range<Int>], other: [Range<Int>], text: String) {
        var edits = list(own, "AB")
        edits.merge(list(other, "xy"))
        let bytes = Array("0123456789".utf8)
        #expect(String(decoding: edits.apply(to: bytes.span), as: UTF8.self) == text)
    }

    @Test func rangesAreCoveredByOneEdit() {
        let edits = list([2..<5, 7..<9], "AB")
        #expect(edits.covers(2..<5) && edits.covers(3..<4) && edits.covers(8..<9))
        #expect(!edits.covers(1..<3) && !edits.covers(4..<8) && !edits.covers(5..<6))
    }
}
