// SPDX-License-Identifier: MIT

/// An encoder for streams of one coding, one after the other.
///
/// Making one costs more than a small body: keep it. After `finish(appendingTo:)` it is ready for
/// the next stream.
///
/// **Isolation.** One thread at a time.
public final class ContentEncoder {
    /// The coding that is made: gzip, deflate (the zlib format), brotli or zstd.
    public let coding: ContentCoding

    private let engine: any EncodingEngine
    private var scratch: [UInt8] = []

    private static let scratchSize = 32_768

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - coding: gzip, deflate, brotli or zstd.
    ///   - level: How hard it tries, 1 to 9 (brotli: to 11, zstd: to 19); the library's own choice where `nil`.
    /// - Throws: `CodingError` for another coding, or without memory.
    public init(_ coding: ContentCoding, level: Int? = nil) throws(CodingError) {
        self.coding = coding
        switch coding {
        case .gzip, .deflate: engine = try DeflateEngine(coding, level: level)
        case .brotli: engine = BrotliEncodingEngine(level: level)
        case .zstd: engine = try ZstdEncodingEngine(level: level)
        default: throw CodingError(.unsupported, coding, "encoding is not supported")
        }
    }

    /// Forgets what has been given since the last end of a stream.
    ///
    /// - Throws: `CodingError` without memory.
    public func reset() throws(CodingError) {
        try engine.reset()
    }

    /// Encodes some bytes; much of what comes of them may be held back for later.
    ///
    /// - Parameters:
    ///   - input: The next bytes of the stream.
    ///   - output: Gets coded bytes.
    /// - Throws: `CodingError` without memory.
    public func encode(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CodingError) {
        try pump(input, .more, &output)
    }

    /// Puts out all that was held back, so that a reader gets everything so far.
    ///
    /// - Parameter output: Gets coded bytes.
    /// - Throws: `CodingError` without memory.
    public func flush(appendingTo output: inout [UInt8]) throws(CodingError) {
        try pump(Span(), .flush, &output)
    }

    /// Ends the stream and gets ready for the next one.
    ///
    /// - Parameter output: Gets the last coded bytes.
    /// - Throws: `CodingError` without memory.
    public func finish(appendingTo output: inout [UInt8]) throws(CodingError) {
        try pump(Span(), .end, &output)
        try engine.reset()
    }

    /// Encodes one whole stream and appends it.
    ///
    /// - Parameters:
    ///   - bytes: What is encoded.
    ///   - output: Gets the coded bytes.
    /// - Throws: `CodingError` without memory.
    public func encodeWhole(
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

/// What an encoder is to do beside taking the input in.
enum EncodingMode {
    case more
    case flush
    case end
}

/// One library's encoder for one stream at a time.
protocol EncodingEngine: AnyObject {
    /// Gets ready for a new stream.
    func reset() throws(CodingError)

    /// Encodes as much as input and output allow; `ended` when all that was asked for is done.
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
    /// Where many bodies are encoded, keep a `ContentEncoder` instead.
    ///
    /// - Parameters:
    ///   - bytes: What is encoded.
    ///   - level: How hard it tries, 1 to 9 (brotli: to 11, zstd: to 19); the library's own choice where `nil`.
    /// - Returns: The coded bytes.
    /// - Throws: `CodingError` for another coding, or without memory.
    public func encode(
        _ bytes: Span<UInt8>,
        level: Int? = nil
    ) throws(CodingError) -> [UInt8] {
        var output: [UInt8] = []
        try ContentEncoder(self, level: level).encodeWhole(bytes, appendingTo: &output)
        return output
    }
}
