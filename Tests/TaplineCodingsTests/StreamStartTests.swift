// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineCodings

@Suite struct StreamStartTests {
    private static let filler = Array("some text, and more of it; ".utf8)

    @Test(arguments: [ContentCoding.gzip, .deflate, .zstd], 0..<20)
    func dataIsFoundAtAnyPosition(coding: ContentCoding, offset: Int) throws {
        let text = Array(String(repeating: "a text ", count: 30).utf8)
        let packed = try coding.encode(text.span)
        let bytes = Array(Self.filler.prefix(offset)) + packed + Self.filler
        let found = StreamStart.next(in: bytes.span, from: 0)
        let start = try #require(found)
        #expect(start == StreamStart.next(in: bytes.span, from: offset))
        #expect(start.position == offset)
        #expect(start.coding == coding)
        var output: [UInt8] = []
        let stream = bytes.span.extracting(offset...)
        let decoder = try #require(start.makeDecoder(limit: 1000))
        // Other bytes follow the data.
        #expect(throws: CodingError.self) { try decoder.decode(stream, appendingTo: &output) }
        #expect(output == text)
        #expect(decoder.inputBytes >= packed.count)
        output = []
        let limited = try #require(start.makeDecoder(limit: 10))
        do {
            try limited.decode(stream, appendingTo: &output)
            Issue.record("no limit")
        } catch {
            #expect(error.code == .outputLimit)
        }
        #expect(StreamStart.next(in: bytes.span, from: offset + packed.count) == nil)
    }

    @Test(arguments: 0..<7)
    func zlibWithASmallerWindowIsFoundAtTheStart(window: Int) throws {
        let text = Array(String(repeating: "a text ", count: 30).utf8)
        var packed = try ContentCoding.deflate.encode(text.span)
        let first = window << 4 | 8
        packed[0] = UInt8(first)
        packed[1] = UInt8((31 - (first << 8) % 31) % 31)
        let found = StreamStart.next(in: packed.span, from: 0)
        let start = try #require(found)
        #expect(start.position == 0)
        #expect(start.coding == .deflate)
        var output: [UInt8] = []
        let decoder = try #require(start.makeDecoder(limit: 1000))
        try decoder.decode(packed.span, appendingTo: &output)
        #expect(output == text)
        #expect(StreamStart.next(in: packed.span, from: 1) == nil)
    }

    @Test func othersAreNotFound() {
        for bytes: [UInt8] in [
            [], [0x1F], [0x1F, 0x8B], [0x1F, 0x8B, 8, 0, 0, 0, 0], [0x1F, 0x8B, 9, 0, 0, 0, 0, 0],
            [0x28, 0xB5, 0x2F, 0xFC, 0, 0, 0, 0], [0x78, 0x9D, 1, 0, 0, 0, 0, 0],
            [0x78, 0x9C, 7, 0, 0, 0, 0, 0],
        ] {
            #expect(StreamStart.next(in: bytes.span, from: 0) == nil)
            #expect(StreamStart.next(in: bytes.span, from: 9) == nil)
        }
    }
}
