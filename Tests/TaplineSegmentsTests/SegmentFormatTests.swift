// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineSegments

/// The bytes of a segment.
func segment(_ records: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    SegmentFormat.appendHeader(to: &bytes)
    for record in records { SegmentFormat.appendFrame(Array(record.utf8).span, to: &bytes) }
    return bytes
}

/// The bytes as text.
func text(_ bytes: Span<UInt8>) -> String {
    String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
}

@Suite("The format of a segment")
struct SegmentFormatTests {
    /// The records that a segment in chunks holds.
    private func records(_ bytes: [UInt8], chunk: Int) -> (records: [String], isDamaged: Bool) {
        var unframer = SegmentUnframer()
        var found: [String] = []
        var start = 0
        while start < bytes.count {
            let end = min(start + chunk, bytes.count)
            let part = Array(bytes[start..<end])
            unframer.read(part.span) { record in found.append(text(record)) }
            start = end
        }
        return (found, unframer.isDamaged)
    }

    @Test("gives the same records for chunks of any size", arguments: [1, 2, 3, 7, 16, 64, 1000])
    func chunks(size: Int) {
        let wanted = ["one\n", "the second record\n", "3\n"]
        let found = records(segment(wanted), chunk: size)
        #expect(found.records == wanted)
        #expect(!found.isDamaged)
    }

    @Test("detects every flipped bit of a record and of the bytes before it")
    func flippedBits() {
        let start = SegmentFormat.headerBytes
        let whole = segment(["a record\n", "another\n"])
        for position in start..<start + SegmentFormat.frameHeaderBytes + 9 {
            for bit in 0..<8 {
                var bytes = whole
                bytes[position] ^= 1 << bit
                if case .record = SegmentFormat.frame(in: bytes.span, at: start) {
                    Issue.record("bit \(bit) of byte \(position) is not noticed")
                }
            }
        }
    }

    @Test("has no record in bytes that are all zero, as a power failure may leave them")
    func zeros() {
        let bytes = [UInt8](repeating: 0, count: 64)
        #expect(SegmentFormat.frame(in: bytes.span, at: 0) == .corrupt(end: nil))
    }

    @Test("names the version of a header that is newer")
    func versions() {
        var bytes = segment([])
        #expect(SegmentFormat.header(bytes.span) == .valid)
        bytes[8] = 2
        #expect(SegmentFormat.header(bytes.span) == .version(2))
        let isSegment = SegmentFormat.isSegment(bytes.span)
        #expect(isSegment)
        bytes[0] = 0
        #expect(SegmentFormat.header(bytes.span) == .foreign)
        #expect(SegmentFormat.header([UInt8]().span) == .incomplete)
    }

    @Test("reads back the position that it writes, and no damaged one")
    func positions() {
        let position = SegmentPosition(segment: 7, offset: 4711, record: 9)
        let text = SegmentPositionText.text(position)
        #expect(SegmentPositionText.position(text) == position)
        for damaged in [
            "", "\n", String(text.dropLast()), "tapline-queue 2 7 4711 9\n",
            "tapline-queue 1 7 4 9\n", "tapline-queue 1 7 4711 6\n", "tapline-queue 1 7 -1 9\n",
            "tapline-queue 1 7 4711 \(UInt64.max)\n",
        ] {
            #expect(SegmentPositionText.position(damaged) == nil, "'\(damaged)'")
        }
    }
}
