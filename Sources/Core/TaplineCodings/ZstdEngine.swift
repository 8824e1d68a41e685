// SPDX-License-Identifier: MIT

internal import CZstd

/// The decoder for Zstandard; frames may follow each other, and skippable frames are skipped.
@safe final class ZstdEngine: DecodingEngine {
    private let context: OpaquePointer

    init(maxWindowLog: Int) throws(CodingError) {
        guard let context = unsafe ZSTD_createDCtx() else {
            throw .memory(.zstd)
        }
        unsafe self.context = context
        let bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax)
        let limit = min(max(Int32(clamping: maxWindowLog), bounds.lowerBound), bounds.upperBound)
        _ = unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, limit)
    }

    deinit {
        unsafe ZSTD_freeDCtx(context)
    }

    func reset() throws(CodingError) {
        _ = unsafe ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
    }

    @unsafe
    func step(
        _ input: UnsafeBufferPointer<UInt8>,
        _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> EngineStep {
        var result = EngineStep()
        var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let status = unsafe ZSTD_decompressStream(context, &target, &source)
        result.consumed = unsafe source.pos
        result.produced = unsafe target.pos
        if ZSTD_isError(status) != 0 {
            result.outcome = .failed(Self.failure(status))
        } else if status == 0 {
            result.outcome = .ended
        }
        return result
    }

    private static func failure(_ status: Int) -> CodingError {
        switch ZSTD_getErrorCode(status) {
        case ZSTD_error_memory_allocation:
            .memory(.zstd)
        case ZSTD_error_frameParameter_windowTooLarge:
            CodingError(.windowLimit, .zstd, "data needs a larger window than the limit allows")
        default:
            .corrupt(.zstd)
        }
    }
}
