// SPDX-License-Identifier: MIT

/// An encoder for one coding, reusable for any number of streams in turn.
///
/// Making an encoder costs more than encoding a small body: keep it. After `finish(appendingTo:)`
/// it is ready for the next stream.
///
/// **Isolation.** Used by one thread at a time.
package final class ContentEncoder {
    /// The coding to produce: gzip, deflate (the zlib format), brotli or zstd.
    package let coding: ContentCoding

    private let engine: any EncodingEngine
    private var scratch: [UInt8] = []

    private static let scratchSize = 32_768

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - coding: gzip, deflate, brotli or zstd.
    ///   - level: The compression level, 1 to 9 (brotli: to 11, zstd: to 19); `nil` for the default
    ///     of the coding.
    /// - Throws: `CodingError` if the coding is not supported or memory runs out.
    package init(_ coding: ContentCoding, level: Int? = nil) throws(CodingError) {
        self.coding = coding
        switch coding {
        case .gzip, .deflate: engine = try DeflateEngine(coding, level: level)
        case .brotli: engine = BrotliEncodingEngine(level: level)
        case .zstd: engine = try ZstdEncodingEngine(level: level)
        default: throw CodingError(.unsupported, coding, "encoding is not supported")
        }
    }

    /// Discards the current stream.
    ///
    /// - Throws: `CodingError` if memory runs out.
    package func reset() throws(CodingError) {
        try engine.reset()
    }

    /// Encodes some bytes; the encoder may buffer much of the result.
    ///
    /// - Parameters:
    ///   - input: The next bytes of the stream.
    ///   - output: The array that coded bytes are appended to.
    /// - Throws: `CodingError` if memory runs out.
    package func encode(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CodingError) {
        try pump(input, .more, &output)
    }

    /// Writes all buffered bytes, so that a reader can decode everything so far.
    ///
    /// - Parameter output: The array that coded bytes are appended to.
    /// - Throws: `CodingError` if memory runs out.
    package func flush(appendingTo output: inout [UInt8]) throws(CodingError) {
        try pump(Span(), .flush, &output)
    }

    /// Ends the stream and prepares for the next one.
    ///
    /// - Parameter output: The array that the last coded bytes are appended to.
    /// - Throws: `CodingError` if memory runs out.
    package func finish(appendingTo output: inout [UInt8]) throws(CodingError) {
        try pump(Span(), .end, &output)
        try engine.reset()
    }

    /// Encodes one whole stream and appends it.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to encode.
    ///   - output: The array that the coded bytes are appended to.
    /// - Throws: `CodingError` if memory runs out.
    package func encodeWhole(
        _ bytes: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CodingError) {
        try engine.reset()
        try pump(bytes, .end, &output)
        try engine.reset()
    }

    private func pump(
        _ input: Span<UInt8>,
        _ mode: EncodingMode,
        _ output: inout [UInt8]
    ) throws(CodingError) {
        if scratch.isEmpty {
            scratch = [UInt8](repeating: 0, count: Self.scratchSize)
        }
        let failure = unsafe input.withUnsafeBufferPointer { source in
            unsafe scratch.withUnsafeMutableBufferPointer { target in
                unsafe pump(source, mode, target, &output)
            }
        }
        if let failure {
            throw failure
        }
    }

    @unsafe
    private func pump(
        _ input: UnsafeBufferPointer<UInt8>,
        _ mode: EncodingMode,
        _ space: UnsafeMutableBufferPointer<UInt8>,
        _ output: inout [UInt8]
    ) -> CodingError? {
        var position = 0
        while true {
            let step = unsafe engine.step(.init(rebasing: input[position...]), mode, space)
            position += step.consumed
            unsafe output.append(contentsOf: UnsafeBufferPointer(space).prefix(step.produced))
            switch step.outcome {
            case .failed(let error): return error
            case .ended: return nil
            case .inside: break
            }
        }
    }
}

/// What an encoder does after it has taken in the input.
enum EncodingMode {
    case more
    case flush
    case end
}

/// A library's encoder, for one stream at a time.
protocol EncodingEngine: AnyObject {
    /// Prepares for a new stream.
    func reset() throws(CodingError)

    /// Encodes as much as input and output allow; the outcome is `ended` once the mode's work is
    /// done.
    @unsafe
    func step(
        _ input: UnsafeBufferPointer<UInt8>,
        _ mode: EncodingMode,
        _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> EngineStep
}

extension ContentCoding {
    /// Encodes a whole body in gzip, deflate (the zlib format), brotli or zstd.
    ///
    /// To encode many bodies, keep a `ContentEncoder` instead.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to encode.
    ///   - level: The compression level, 1 to 9 (brotli: to 11, zstd: to 19); `nil` for the default
    ///     of the coding.
    /// - Returns: The coded bytes.
    /// - Throws: `CodingError` if the coding is not supported or memory runs out.
    package func encode(
        _ bytes: Span<UInt8>,
        level: Int? = nil
    ) throws(CodingError) -> [UInt8] {
        var output: [UInt8] = []
        try ContentEncoder(self, level: level).encodeWhole(bytes, appendingTo: &output)
        return output
    }
}
