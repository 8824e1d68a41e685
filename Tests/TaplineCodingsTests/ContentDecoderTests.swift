// SPDX-License-Identifier: MIT

import TaplineCodings
import Testing

private let all: [ContentCoding] = [.gzip, .deflate, .brotli, .zstd]

@Suite struct ContentDecoderTests {
    @Test(arguments: all)
    func decodesWholeBodies(coding: ContentCoding) throws {
        #expect(coding.outcome(try Samples.coded(coding)).bytes == Samples.text)
    }

    @Test(arguments: all)
    func decodesAnEmptyStreamToNothing(coding: ContentCoding) {
        #expect(coding.outcome([]).bytes == [])
    }

    @Test(arguments: all)
    func reportsEveryTruncation(coding: ContentCoding) throws {
        let coded = try Samples.coded(coding)
        for end in 1..<coded.count {
            #expect(coding.outcome(Array(coded[..<end])).code == .truncated, "cut at \(end)")
        }
    }

    @Test(arguments: all)
    func keepsBytesDecodedBeforeATruncation(coding: ContentCoding) throws {
        let whole = Samples.mixed(count: 300_000)
        let coded = coding == .brotli ? Samples.brotliText : try coding.encoded(whole)
        let decoder = try ContentDecoder(coding)
        var output: [UInt8] = []
        #expect(throws: CodingError.self) {
            try decoder.whole(
                Array(coded[..<(coded.count - 2)]),
                &output
            )
        }
        let expected = coding == .brotli ? Samples.text : whole
        #expect(output.count > expected.count / 4)
        #expect(expected.starts(with: output))
    }

    @Test(arguments: all)
    func outputDoesNotDependOnTheSplit(coding: ContentCoding) throws {
        let coded = try Samples.coded(coding)
        let decoder = try ContentDecoder(coding)
        for split in 0...coded.count {
            var output: [UInt8] = []
            try decoder.reset()
            try decoder.feed(Array(coded[..<split]), &output)
            try decoder.feed(Array(coded[split...]), &output)
            try decoder.finish()
            #expect(output == Samples.text, "split at \(split)")
        }
        var output: [UInt8] = []
        try decoder.reset()
        for byte in coded {
            try decoder.feed([byte], &output)
        }
        try decoder.finish()
        #expect(output == Samples.text)
        #expect(decoder.inputBytes == coded.count)
        #expect(decoder.outputBytes == Samples.text.count)
    }

    @Test(arguments: all + [.identity], [1, 2, 7, 64])
    func fillsSpaceOfAnySize(coding: ContentCoding, size: Int) throws {
        let coded = coding == .identity ? Samples.text : try Samples.coded(coding)
        let decoder = try ContentDecoder(coding)
        var output: [UInt8] = []
        var space = [UInt8](repeating: 0, count: size)
        var position = 0
        for _ in 0..<10_000 {
            var target = space.mutableSpan
            let step = try decoder.decode(
                coded.span.extracting(position...),
                into: &target
            )
            position += step.consumed
            output.append(contentsOf: space[..<step.produced])
            if step.needsInput {
                break
            }
        }
        try decoder.finish()
        #expect(output == Samples.text)
    }

    @Test(arguments: all)
    func neverTrapsOnDamage(coding: ContentCoding) throws {
        let coded = try Samples.coded(coding)
        let decoder = try ContentDecoder(coding)
        var failures = 0
        for position in coded.indices {
            for mask: UInt8 in [0x01, 0x80, 0xff] {
                var damaged = coded
                damaged[position] ^= mask
                var output: [UInt8] = []
                do throws(CodingError) {
                    try decoder.whole(damaged, &output)
                } catch {
                    failures += 1
                }
            }
        }
        // gzip, zlib and zstd have checksums, but some bytes of gzip's header do not matter.
        #expect(failures > coded.count)
        var output: [UInt8] = []
        try decoder.whole(coded, &output)
        #expect(output == Samples.text)
    }

    @Test(arguments: all)
    func rejectsNoise(coding: ContentCoding) {
        for seed in 1...300 as ClosedRange<UInt64> {
            let noise = Samples.mixed(count: Int(seed), seed: seed &* 977)
            let result = coding.outcome(noise, limits: DecodingLimits(maxOutputBytes: 1 << 16))
            #expect(result.bytes.map { $0.count <= 1 << 16 } ?? true)
        }
    }

    @Test(arguments: all)
    func enforcesTheOutputLimitExactly(coding: ContentCoding) throws {
        let coded = try Samples.coded(coding)
        let count = Samples.text.count
        for limit in [0, 1, count - 1] {
            let result = coding.outcome(coded, limits: .init(maxOutputBytes: limit))
            #expect(result.code == .outputLimit)
        }
        #expect(coding.outcome(coded, limits: .init(maxOutputBytes: count)).bytes?.count == count)
        #expect(coding.outcome(coded, limits: .init(maxOutputBytes: -1)).code == .outputLimit)
    }

    @Test(arguments: all)
    func stopsDecompressionBombs(coding: ContentCoding) throws {
        let bomb = coding == .brotli ? Samples.brotliZeros : try coding.encoded(Samples.zeros)
        #expect(bomb.count < 20_000)
        let ratio = DecodingLimits(maxRatio: 100)
        #expect(coding.outcome(bomb, limits: ratio).code == .ratioLimit)
        let size = DecodingLimits(maxOutputBytes: 1 << 20, maxRatio: 0)
        #expect(coding.outcome(bomb, limits: size).code == .outputLimit)
        let none = DecodingLimits(maxRatio: 0)
        #expect(coding.outcome(bomb, limits: none).bytes == Samples.zeros)
    }

    @Test func repeatsItsFailureUntilReset() throws {
        let decoder = try ContentDecoder(.gzip)
        var output: [UInt8] = []
        for _ in 0..<2 {
            #expect(throws: CodingError.self) {
                try decoder.feed([1, 2, 3], &output)
            }
        }
        #expect(throws: CodingError.self) { try decoder.finish() }
        try decoder.whole(Samples.coded(.gzip), &output)
        #expect(output == Samples.text)
    }

    @Test func readsConcatenatedMembers() throws {
        for coding in [ContentCoding.gzip, .zstd] {
            let two = try coding.encoded([1, 2]) + coding.encoded([]) + coding.encoded([3])
            let decoder = try ContentDecoder(coding)
            for split in 0...two.count {
                var output: [UInt8] = []
                try decoder.reset()
                try decoder.feed(Array(two[..<split]), &output)
                try decoder.feed(Array(two[split...]), &output)
                try decoder.finish()
                #expect(output == [1, 2, 3])
            }
            #expect(coding.outcome(two.dropLast()).code == .truncated)
        }
    }

    @Test func acceptsOnlyZerosAfterGzip() throws {
        let coded = try Samples.coded(.gzip)
        #expect(ContentCoding.gzip.outcome(coded + [0, 0, 0]).bytes == Samples.text)
        #expect(ContentCoding.gzip.outcome(coded + [0, 1]).code == .trailingBytes)
        #expect(ContentCoding.gzip.outcome(coded + [0x0a]).code == .trailingBytes)
        #expect(ContentCoding.gzip.outcome(coded + [0x1f]).code == .truncated)
        for coding in [ContentCoding.deflate, .brotli] {
            #expect(coding.outcome(try Samples.coded(coding) + [0]).code == .trailingBytes)
        }
        #expect(
            ContentCoding.zstd.outcome(try Samples.coded(.zstd) + [7, 7, 7, 7, 7]).code == .corrupt
        )
    }

    @Test func skipsSkippableFrames() throws {
        let skippable: [UInt8] = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9]
        let coded = try skippable + Samples.coded(.zstd) + skippable
        #expect(ContentCoding.zstd.outcome(coded).bytes == Samples.text)
    }

    @Test func acceptsRawDeflate() throws {
        let zlib = try Samples.coded(.deflate)
        let raw = Array(zlib.dropFirst(2).dropLast(4))
        let decoder = try ContentDecoder(.deflate)
        for split in 0...raw.count {
            var output: [UInt8] = []
            try decoder.reset()
            try decoder.feed(Array(raw[..<split]), &output)
            try decoder.feed(Array(raw[split...]), &output)
            try decoder.finish()
            #expect(output == Samples.text)
        }
        #expect(ContentCoding.deflate.outcome([0x03, 0x00]).bytes == [])
        #expect(ContentCoding.deflate.outcome([0x03]).code == .truncated)
        // A stored block with a padding bit set; only the zlib check bits distinguish it from zlib.
        let stored: [UInt8] = [0x08, 1, 0, 0xfe, 0xff, 0x41, 0x01, 0, 0, 0xff, 0xff]
        #expect(ContentCoding.deflate.outcome(stored).bytes == [0x41])
    }

    @Test func decodesLists() throws {
        let twice = try ContentCoding.gzip.encoded(Samples.brotliText)
        let bytes = try ContentCoding.decode(twice.span, codings: [.brotli, .gzip])
        #expect(bytes == Samples.text)
        #expect(try ContentCoding.decode(twice.span, codings: []) == twice)
        #expect(throws: CodingError.self) {
            _ = try ContentCoding.decode(twice.span, codings: [.gzip, .brotli])
        }
    }

    @Test func limitsTheZstdWindow() throws {
        // A frame header with a window of 2^27 bytes, then an empty last block (RFC 8878 §3.1.1).
        let frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, (27 - 10) << 3, 1, 0, 0]
        #expect(ContentCoding.zstd.outcome(frame).code == .windowLimit)
        #expect(ContentCoding.zstd.outcome(frame, limits: .files).bytes == [])
        let any = DecodingLimits(maxZstdWindowLog: .max)
        #expect(ContentCoding.zstd.outcome(frame, limits: any).bytes == [])
        let none = DecodingLimits(maxZstdWindowLog: .min)
        #expect(ContentCoding.zstd.outcome(frame, limits: none).code == .windowLimit)
    }

    @Test func errorsContainNoData() throws {
        let secret = Array("planted-secret".utf8)
        for coding in all {
            guard case .failure(let error) = coding.outcome(secret) else {
                continue
            }
            #expect(!"\(error)".contains("planted"))
            #expect("\(error)".hasPrefix("\(coding.name): "))
        }
    }
}
