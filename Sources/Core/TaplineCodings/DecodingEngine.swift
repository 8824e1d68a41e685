// SPDX-License-Identifier: MIT

/// The result of one call to a library's decoder.
struct EngineStep {
    /// The state of the stream after the call.
    enum Outcome {
        /// The stream continues.
        case inside
        /// The stream, or one of its members, has ended.
        case ended
        /// The stream cannot be decoded.
        case failed(CodingError)
    }

    var consumed = 0
    var produced = 0
    var outcome = Outcome.inside
}

/// A library's decoder, for one stream at a time.
protocol DecodingEngine: AnyObject {
    /// Prepares for a new stream.
    func reset() throws(CodingError)

    /// Decodes as much as input and output allow.
    @unsafe
    func step(
        _ input: UnsafeBufferPointer<UInt8>,
        _ output: UnsafeMutableBufferPointer<UInt8>
    )
        -> EngineStep
}
