// SPDX-License-Identifier: MIT

import TaplineMultiPattern
import TestSupport
import Testing

@Suite("Byte class anchors")
struct ByteClassAnchorsTests {
    private static let all: ByteClassAnchors = [
        .atSign, .fourDigits, .countryDigits, .digit, .hexColon,
    ]

    private static func find(
        _ kinds: ByteClassAnchors,
        _ bytes: [UInt8],
        cuts: [Int] = []
    ) -> [Anchor] {
        var places: [Anchor] = []
        var start = 0
        for cut in cuts + [bytes.count] {
            kinds.find(in: bytes.span, range: start..<cut, into: &places)
            start = cut
        }
        return places
    }

    @Test(
        "are found at the positions that their classes define",
        arguments: [
            (ByteClassAnchors.atSign, "a@b@", [1, 3]), (.atSign, "@@ @@@a@@", [1, 5, 8]),
            (.fourDigits, "123 1234 12345 x1234", [4, 9, 16]),
            (.countryDigits, "DE12 de12 D12 XDE12 DE1", [0, 15]),
            (.digit, "1 23 a4:5", [0, 2, 6, 8]),
            (.hexColon, "a:b ::1 \":\" :g :F :", [1, 4, 5, 15]), (ByteClassAnchors.atSign, "", []),
        ]
    )
    func places(kind: ByteClassAnchors, text: String, positions: [Int]) {
        // Surrounds the text with fillers, so that it is searched both within a block and at an
        // end.
        for count in 0..<20 {
            let filler = String(repeating: "-", count: count)
            let found = Self.find(kind, Array((filler + text + filler).utf8))
            #expect(found.map(\.position) == positions.map { $0 + count })
            #expect(found.allSatisfy { $0.kinds == kind })
        }
    }

    @Test("are the same in blocks, byte by byte and in parts, for any bytes")
    func agreement() {
        var generator = Random(seed: 49)
        let likely = Array("@0123456789ABCZaf:: -".utf8)
        for round in 0..<300 {
            let bytes = (0..<Int.random(in: 0...120, using: &generator)).map { _ in
                round.isMultiple(of: 3)
                    ? UInt8.random(in: 0...255, using: &generator)
                    : likely[Int.random(in: 0..<likely.count, using: &generator)]
            }
            let whole = Self.find(Self.all, bytes)
            // A part of one byte is too short for a block.
            #expect(Self.find(Self.all, bytes, cuts: Array(0..<bytes.count)) == whole)
            let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &generator) }
            #expect(Self.find(Self.all, bytes, cuts: cuts.sorted()) == whole)
            #expect(
                Self.find(.atSign, bytes).map(\.position)
                    == whole.filter { $0.kinds.contains(.atSign) }.map(\.position)
            )
        }
    }
}
