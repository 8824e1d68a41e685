// SPDX-License-Identifier: MIT

internal import CBrotli

/// The encoder for brotli.
///
/// The library cannot reset an encoder, so each stream gets a new one when its first byte arrives.
@safe final class BrotliEncodingEngine: EncodingEngine {
    private var state: OpaquePointer?
    private let quality: UInt32

    /// Makes an encoder; `level` is brotli's quality, 1 to 11.
    ///
    /// The default is 5, because brotli's own default, 11, suits only files that are compressed
    /// once and read many times.
    init(level: Int?) {
        quality = UInt32(min(max(level ?? 5, 1), 11))
    }

    deinit {
        unsafe BrotliEncoderDestroyInstance(state)
    }

    func reset() throws(CodingError) {
        unsafe BrotliEncoderDestroyInstance(state)
        unsafe state = nil
    }

    private func start() -> OpaquePointer? {
        if let state = unsafe state { return unsafe state }
        guard let made = unsafe BrotliEncoderCreateInstance(nil, nil, nil) else {
            return nil
        }
        _ = unsafe BrotliEncoderSetParameter(made, BROTLI_PARAM_QUALITY, quality)
        unsafe state = made
        return unsafe made
    }

    @unsafe
    func step(
        _ input: UnsafeBufferPointer<UInt8>,
        _ mode: EncodingMode,
        _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> EngineStep {
        var result = EngineStep()
        guard let state = unsafe start() else {
            result.outcome = .failed(.memory(.brotli))
            return result
        }
        var inputLeft = input.count
        var inputNext = input.baseAddress
        var outputLeft = output.count
        var outputNext = output.baseAddress
        let status = unsafe BrotliEncoderCompressStream(
            state,
            mode.forBrotli,
            &inputLeft,
            &inputNext,
            &outputLeft,
            &outputNext,
            nil
        )
        result.consumed = input.count - inputLeft
        result.produced = output.count - outputLeft
        guard status != 0 else {
            result.outcome = .failed(.memory(.brotli))
            return result
        }
        let isDone = unsafe inputLeft == 0 && BrotliEncoderHasMoreOutput(state) == 0
        switch mode {
        case .more, .flush:
            if isDone { result.outcome = .ended }
        case .end:
            if unsafe BrotliEncoderIsFinished(state) != 0 { result.outcome = .ended }
        }
        return result
    }
}

extension EncodingMode {
    fileprivate var forBrotli: BrotliEncoderOperation {
        switch self {
        case .more: BROTLI_OPERATION_PROCESS
        case .flush: BROTLI_OPERATION_FLUSH
        case .end: BROTLI_OPERATION_FINISH
        }
    }
}
