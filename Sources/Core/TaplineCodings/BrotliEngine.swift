// SPDX-License-Identifier: MIT

internal import CBrotli

/// The decoder for brotli.
///
/// The library cannot reset a decoder, so each stream gets a new one. The library allocates the
/// window, at most 16 MiB (RFC 7932), when the stream needs it.
@safe final class BrotliEngine: DecodingEngine {
    private var state: OpaquePointer?

    init() throws(CodingError) {
        try reset()
    }

    deinit {
        unsafe BrotliDecoderDestroyInstance(state)
    }

    func reset() throws(CodingError) {
        unsafe BrotliDecoderDestroyInstance(state)
        unsafe state = BrotliDecoderCreateInstance(nil, nil, nil)
        guard unsafe state != nil else {
            throw .memory(.brotli)
        }
    }

    @unsafe
    func step(
        _ input: UnsafeBufferPointer<UInt8>,
        _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> EngineStep {
        var result = EngineStep()
        var inputLeft = input.count
        var inputNext = input.baseAddress
        var outputLeft = output.count
        var outputNext = output.baseAddress
        let status = unsafe BrotliDecoderDecompressStream(
            state,
            &inputLeft,
            &inputNext,
            &outputLeft,
            &outputNext,
            nil
        )
        result.consumed = input.count - inputLeft
        result.produced = output.count - outputLeft
        switch status {
        case BROTLI_DECODER_RESULT_SUCCESS: result.outcome = .ended
        case BROTLI_DECODER_RESULT_ERROR: result.outcome = .failed(failure)
        default: break
        }
        return result
    }

    private var failure: CodingError {
        // Brotli numbers its allocation failures -21 to -30 (brotli/decode.h).
        let code = unsafe BrotliDecoderGetErrorCode(state).rawValue
        return (-30 ... -21).contains(Int(code)) ? .memory(.brotli) : .corrupt(.brotli)
    }
}
