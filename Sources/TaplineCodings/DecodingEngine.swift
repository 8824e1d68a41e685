// SPDX-License-Identifier: MIT

/// What one call of a library's decoder did.
struct EngineStep {
    /// How the call left the stream.
    enum Outcome {
        /// The stream goes on.
        case inside
        /// The stream, or one member of it, has ended.
        case ended
        /// The stream is of no use.
        case failed(CodingError)
    }

    var consumed = 0
    var produced = 0
    var outcome = Outcome.inside
}

/// One library's decoder for one stream at a time.
protocol DecodingEngine: AnyObject {
    /// Gets ready for a new stream.
    func reset() throws(CodingError)

    /// Decodes as much as input and output allow.
    @unsafe
    func step(
        _ input: UnsafeBufferPointer<UInt8>,
        _ output: UnsafeMutableBufferPointer<UInt8>
    )
        -> EngineStep
}
