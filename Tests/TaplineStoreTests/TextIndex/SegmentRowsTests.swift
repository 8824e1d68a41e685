// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineStore

@Suite("Lists of rows of a full-text index")
struct SegmentRowsTests {
    private func written(_ positions: [Int], of rows: Int) throws -> (SegmentRows, isBits: Bool) {
        var writer = IndexBlockWriter()
        SegmentRows.write(positions, of: rows, to: &writer)
        var reader = try IndexBlockReader(writer.finish(key: 0), key: 0)
        let list = try SegmentRows.list(&reader)
        #expect(reader.isAtEnd)
        var found = SegmentRows()
        try found.insert(list)
        return (found, list.isBits)
    }

    @Test("are read as they were written, with few rows or many")
    func roundTrip() throws {
        var random = Random(seed: 1)
        for round in 0..<300 {
            let rows = random.pick([1, 7, 8, 64, 1000, SegmentRows.limit])
            let share = random.below(30) + 1
            let positions = (0..<rows).filter { _ in random.below(share) == 0 }
            let found = try written(positions, of: rows)
            #expect(found.0.positions == positions, "round \(round)")
            #expect(found.0.isEmpty == positions.isEmpty)
        }
        #expect(try written([0, 4095], of: 4096).isBits == false)
        #expect(try written(Array(0..<4096), of: 4096).isBits)
    }

    @Test("form unions and intersections")
    func sets() throws {
        var left = try written([1, 64, 4095], of: 4096).0
        let right = try written([2, 64], of: 4096).0
        var both = left
        both.formIntersection(right)
        #expect(both.positions == [64])
        left.formUnion(right)
        #expect(left.positions == [1, 2, 64, 4095])
    }

    @Test(
        "are damaged if they have rows that no segment has",
        arguments: [
            ([0xFF, 0x7F] as [UInt8], false), ([0x80], false), ([0xFF, 0xFF, 0xFF, 1], false),
            ([0xFF, 0x1F, 1], false), ([UInt8](repeating: 0, count: 513), true),
        ]
    )
    func damage(bytes: [UInt8], isBits: Bool) {
        var rows = SegmentRows()
        #expect(throws: DamagedIndex.self) {
            try rows.insert(SegmentRows.List(bytes: bytes[...], isBits: isBits))
        }
    }
}
