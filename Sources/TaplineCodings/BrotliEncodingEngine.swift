// SPDX-License-Identifier: MIT

internal import CBrotli

/// Brotli's encoder.
///
/// The library cannot reset one, so each stream gets a new one, made when its first byte comes.
@safe final class BrotliEncodingEngine: EncodingEngine {
    private var state: OpaquePointer?
    private let quality: UInt32

    /// `level` is brotli's quality, 1 to 11; 5 where nothing is told, as its own choice, 11, is
    /// made for files that are written once and read for years.
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
