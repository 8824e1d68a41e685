// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Compressed data that begins within other bytes, decoded as far as possible.
struct EmbeddedStream {
    /// How the decoding ended.
    enum End {
        /// The data, or a member or frame of it, ends within the bytes.
        case complete
        /// The bytes end before the data does; the decoder takes what follows.
        case open(ContentDecoder)
        /// The data is damaged, or is none.
        case damaged
        /// A limit prevented the rest from being decoded.
        case limit
    }

    /// The bytes that were decoded, which may include some that follow the data.
    let range: Range<Int>
    let coding: ContentCoding
    let decoded: [UInt8]
    let end: End

    /// Calls a closure with each stream that begins in bytes, until it returns `false`.
    ///
    /// **Shape.** Streams may overlap: only one that is complete is certain to be a stream. Where
    /// others begin, there may be other data in which further streams begin.
    ///
    /// **Limits.** Bytes that are read again, because they follow a start, count as decoded ones.
    static func forEach(
        in bytes: Span<UInt8>,
        _ budget: DecodingBudget,
        _ body: (EmbeddedStream) -> Bool
    ) {
        var position = 0
        while let start = StreamStart.next(in: bytes, from: position) {
            let stream = EmbeddedStream(start, of: bytes, budget)
            if case .complete = stream.end {
                position = stream.range.upperBound
            } else {
                position = start.position + 1
            }
            if !body(stream) { return }
        }
    }

    /// Makes a stream that begins with the next bytes; `nil` if memory runs out.
    init?(_ coding: ContentCoding, _ budget: DecodingBudget) {
        let limits = DecodingLimits(maxOutputBytes: budget.bytes, maxRatio: 0)
        guard let decoder = try? ContentDecoder(coding, limits: limits) else { return nil }
        (range, decoded, end) = (0..<1, [], .open(decoder))
        self.coding = coding
    }

    private init(_ start: StreamStart, of bytes: Span<UInt8>, _ budget: DecodingBudget) {
        coding = start.coding
        let first = start.position
        guard !budget.isUsedUp, let decoder = start.makeDecoder(limit: budget.bytes) else {
            (range, decoded, end) = (first..<first + 1, [], .limit)
            return
        }
        var output: [UInt8] = []
        var outcome: End
        do {
            try decoder.decode(bytes.extracting(first...), appendingTo: &output)
            outcome = (try? decoder.finish()) == nil ? .open(decoder) : .complete
        } catch {
            outcome = Self.end(after: error)
        }
        var count = max(decoder.inputBytes, 1)
        budget.take(max(output.count, decoder.completeBytes.input == 0 ? count : 0))
        // Other bytes may follow, of which decoders of gzip and zstd read some. What follows may also
        // be more of the data, which begins with a magic number as well.
        if decoder.completeBytes.input > 0 {
            (count, outcome) = (decoder.completeBytes.input, .complete)
            output.removeSubrange(min(decoder.completeBytes.output, output.count)...)
        }
        // A zlib header that occurs by chance decodes to a few meaningless bytes.
        if case .damaged = outcome, coding == .deflate, output.count < 8 { output = [] }
        (range, decoded, end) = (first..<first + count, output, outcome)
    }

    private static func end(after error: CodingError) -> End {
        if error.code == .trailingBytes { return .complete }
        return error.isLimit ? .limit : .damaged
    }
}

extension CodingError {
    /// Whether a limit was met, so that the rest could be decoded with a higher one.
    var isLimit: Bool { [.outputLimit, .ratioLimit, .windowLimit, .memory].contains(code) }
}
