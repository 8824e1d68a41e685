// SPDX-License-Identifier: MIT

internal import CZstd

/// The encoder for Zstandard; each frame carries a checksum, as with the `zstd` command.
@safe final class ZstdEncodingEngine: EncodingEngine {
    private let context: OpaquePointer

    init(level: Int?) throws(CodingError) {
        guard let context = unsafe ZSTD_createCCtx() else {
            throw .memory(.zstd)
        }
        unsafe self.context = context
        let strength = level.map { Int32(min(max($0, 1), 19)) } ?? ZSTD_defaultCLevel()
        _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, strength)
        _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    }

    deinit {
        unsafe ZSTD_freeCCtx(context)
    }

    func reset() throws(CodingError) {
        _ = unsafe ZSTD_CCtx_reset(context, ZSTD_reset_session_only)
    }

    @unsafe
    func step(
        _ input: UnsafeBufferPointer<UInt8>,
        _ mode: EncodingMode,
        _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> EngineStep {
        var result = EngineStep()
        var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let status = unsafe ZSTD_compressStream2(context, &target, &source, mode.forZstd)
        result.consumed = unsafe source.pos
        result.produced = unsafe target.pos
        if ZSTD_isError(status) != 0 {
            result.outcome = .failed(.memory(.zstd))
        } else if mode == .more ? result.consumed == input.count : status == 0 {
            result.outcome = .ended
        }
        return result
    }
}

extension EncodingMode {
    fileprivate var forZstd: ZSTD_EndDirective {
        switch self {
        case .more: ZSTD_e_continue
        case .flush: ZSTD_e_flush
        case .end: ZSTD_e_end
        }
    }
}
