// SPDX-License-Identifier: MIT

internal import CZlib

/// The encoder for gzip and the zlib format.
@safe final class DeflateEngine: EncodingEngine {
    private let coding: ContentCoding
    // zlib rejects a stream structure that has moved, so it is allocated on the heap.
    private let stream: UnsafeMutablePointer<z_stream>

    init(_ coding: ContentCoding, level: Int?) throws(CodingError) {
        self.coding = coding
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let strength = level.map { Int32(min(max($0, 1), 9)) } ?? Z_DEFAULT_COMPRESSION
        // zlib.h, deflateInit2: 15 for the zlib format, +16 for gzip.
        let window: Int32 = coding == .gzip ? 15 + 16 : 15
        guard unsafe tapline_deflate_init(stream, strength, window) == Z_OK else {
            unsafe stream.deallocate()
            throw .memory(coding)
        }
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    func reset() throws(CodingError) {
        guard unsafe deflateReset(stream) == Z_OK else {
            throw .memory(coding)
        }
    }

    @unsafe
    func step(
        _ input: UnsafeBufferPointer<UInt8>,
        _ mode: EncodingMode,
        _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> EngineStep {
        var result = EngineStep()
        let inputCount = UInt32(clamping: input.count)
        let outputCount = UInt32(clamping: output.count)
        let isLast = Int(inputCount) == input.count
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.pointee.avail_in = inputCount
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = outputCount
        let status = unsafe deflate(stream, isLast ? mode.forZlib : Z_NO_FLUSH)
        let outputLeft = unsafe stream.pointee.avail_out
        result.consumed = Int(inputCount - (unsafe stream.pointee.avail_in))
        result.produced = Int(outputCount - outputLeft)
        switch status {
        case Z_STREAM_END:
            result.outcome = .ended
        case Z_OK, Z_BUF_ERROR:
            // zlib.h, deflate: if space is left over, there is no more output.
            let isDone = mode != .end && outputLeft > 0 && result.consumed == input.count
            result.outcome = isDone ? .ended : .inside
        default:
            result.outcome = .failed(.memory(coding))
        }
        return result
    }
}

extension EncodingMode {
    fileprivate var forZlib: Int32 {
        switch self {
        case .more: Z_NO_FLUSH
        case .flush: Z_SYNC_FLUSH
        case .end: Z_FINISH
        }
    }
}
