// SPDX-License-Identifier: MIT

import TaplineCodings
import TestSupport
import Testing

private let made: [ContentCoding] = [.gzip, .deflate, .brotli, .zstd]

@Suite struct ContentEncoderTests {
    @Test(arguments: made, [0, 1, 100, 65_536, 1_000_000])
    func roundTrips(coding: ContentCoding, count: Int) throws {
        let bytes = Samples.mixed(count: count)
        let encoder = try ContentEncoder(coding)
        for _ in 0..<2 {
            var output: [UInt8] = []
            try encoder.encodeWhole(bytes.span, appendingTo: &output)
            #expect(coding.outcome(output).bytes == bytes)
            #expect(count < 1_000 || output.count < count * 9 / 10)
        }
    }

    @Test(arguments: made)
    func encodesPieceByPiece(coding: ContentCoding) throws {
        let bytes = Samples.mixed(count: 200_000)
        let encoder = try ContentEncoder(coding, level: 1)
        for size in [1_000, 65_537, 199_999] {
            var output: [UInt8] = []
            var start = 0
            while start < bytes.count {
                let end = min(start + size, bytes.count)
                try encoder.feed(Array(bytes[start..<end]), &output)
                start = end
            }
            try encoder.finish(appendingTo: &output)
            #expect(coding.outcome(output).bytes == bytes)
        }
    }

    @Test(arguments: made)
    func flushWritesEverythingSoFar(coding: ContentCoding) throws {
        let encoder = try ContentEncoder(coding)
        let decoder = try ContentDecoder(coding)
        var decoded: [UInt8] = []
        for line in ["first line\n", "second line\n", ""] {
            var output: [UInt8] = []
            try encoder.feed(Array(line.utf8), &output)
            try encoder.flush(appendingTo: &output)
            try decoder.feed(output, &decoded)
        }
        #expect(decoded == Array("first line\nsecond line\n".utf8))
        #expect(throws: CodingError.self) { try decoder.finish() }
        var output: [UInt8] = []
        try encoder.finish(appendingTo: &output)
        try decoder.feed(output, &decoded)
        try decoder.finish()
    }

    @Test(arguments: made)
    func resetDiscardsTheStream(coding: ContentCoding) throws {
        let encoder = try ContentEncoder(coding)
        var lost: [UInt8] = []
        try encoder.feed(Samples.mixed(count: 100_000), &lost)
        try encoder.reset()
        var output: [UInt8] = []
        try encoder.feed([1, 2, 3], &output)
        try encoder.finish(appendingTo: &output)
        #expect(coding.outcome(output).bytes == [1, 2, 3])
    }

    @Test(arguments: made)
    func clampsTheLevel(coding: ContentCoding) throws {
        let bytes = Samples.mixed(count: 20_000)
        for level in [Int.min, 0, 1, 9, Int.max] {
            #expect(coding.outcome(try coding.encoded(bytes, level: level)).bytes == bytes)
        }
    }

    @Test(arguments: [ContentCoding.identity, .unknown])
    func rejectsOtherCodings(coding: ContentCoding) {
        #expect(throws: CodingError.self) { _ = try ContentEncoder(coding) }
    }
}

/// Checks the encoders and decoders against independent programs.
@Suite struct ForeignCodingTests {
    static let bodies = [[], Samples.text, Samples.mixed(count: 300_000)]

    @Test(arguments: bodies)
    func agreesWithGzip(body: [UInt8]) throws {
        #expect(try shell("gzip -dc", ContentCoding.gzip.encoded(body)) == body)
        #expect(ContentCoding.gzip.outcome(try shell("gzip -9c", body)).bytes == body)
        let twice = try shell("gzip -c") + shell("gzip -c", body)
        #expect(ContentCoding.gzip.outcome(twice).bytes == body)
    }

    @Test(.enabled(if: isInstalled("zstd"), "requires the zstd program"), arguments: bodies)
    func agreesWithZstd(body: [UInt8]) throws {
        #expect(try shell("zstd -dcq", ContentCoding.zstd.encoded(body)) == body)
        #expect(ContentCoding.zstd.outcome(try shell("zstd -cq", body)).bytes == body)
        let long = try shell("zstd -cq --long=27", body)
        #expect(ContentCoding.zstd.outcome(long, limits: .files).bytes == body)
    }

    @Test(.enabled(if: isInstalled("python3"), "requires python3"), arguments: bodies)
    func agreesWithPython(body: [UInt8]) throws {
        func python(_ mode: String) -> String {
            Python.words("deflate", [mode]).joined(separator: " ")
        }
        let deflate = ContentCoding.deflate
        #expect(try shell(python("decompress"), deflate.encoded(body)) == body)
        for mode in ["compress", "compress_raw"] {
            #expect(deflate.outcome(try shell(python(mode), body)).bytes == body)
        }
    }
}
