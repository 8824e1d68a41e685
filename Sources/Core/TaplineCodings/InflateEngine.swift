// SPDX-License-Identifier: MIT

internal import CZlib

/// The decoder for gzip members and for both kinds of deflate.
@safe final class InflateEngine: DecodingEngine {
    private let coding: ContentCoding
    // zlib rejects a stream structure that has moved, so it is allocated on the heap.
    private let stream: UnsafeMutablePointer<z_stream>
    private var header: [UInt8] = []
    private var headerPosition = 0
    private var isRecognised = true

    init(_ coding: ContentCoding) throws(CodingError) {
        self.coding = coding
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe tapline_inflate_init(stream, Self.gzipWindow) == Z_OK else {
            unsafe stream.deallocate()
            throw .memory(coding)
        }
        try reset()
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    // zlib.h, inflateInit2: 15 for the zlib format, +16 for gzip, negative for raw deflate.
    private static let zlibWindow: Int32 = 15
    private static let gzipWindow: Int32 = 15 + 16
    private static let rawWindow: Int32 = -15

    func reset() throws(CodingError) {
        header.removeAll(keepingCapacity: true)
        headerPosition = 0
        isRecognised = coding == .gzip
        try restart(window: coding == .gzip ? Self.gzipWindow : Self.zlibWindow)
    }

    private func restart(window: Int32) throws(CodingError) {
        guard unsafe inflateReset2(stream, window) == Z_OK else {
            throw .memory(coding)
        }
    }

    @unsafe
    func step(
        _ input: UnsafeBufferPointer<UInt8>,
        _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> EngineStep {
        var result = EngineStep()
        if !isRecognised {
            while header.count < 2, result.consumed < input.count {
                header.append(unsafe input[result.consumed])
                result.consumed += 1
            }
            guard header.count == 2 else {
                return result
            }
            if let failure = recognise() {
                result.outcome = .failed(failure)
                return result
            }
        }
        if headerPosition < header.count {
            let first = unsafe header.withUnsafeBufferPointer { bytes in
                unsafe inflate(.init(rebasing: bytes[headerPosition...]), output)
            }
            headerPosition += first.consumed
            result.produced = first.produced
            result.outcome = first.outcome
            guard case .inside = first.outcome, headerPosition == header.count else {
                return result
            }
        }
        let rest = unsafe inflate(
            .init(rebasing: input[result.consumed...]),
            .init(rebasing: output[result.produced...])
        )
        result.consumed += rest.consumed
        result.produced += rest.produced
        result.outcome = rest.outcome
        return result
    }

    /// Distinguishes the zlib format from raw deflate by the first two bytes (RFC 1950 §2.2).
    private func recognise() -> CodingError? {
        isRecognised = true
        let isZlib =
            header[0] & 0x0f == 8 && header[0] >> 4 <= 7
            && (Int(header[0]) << 8 | Int(header[1])) % 31 == 0
        do throws(CodingError) {
            try restart(window: isZlib ? Self.zlibWindow : Self.rawWindow)
            return nil
        } catch {
            return error
        }
    }

    @unsafe
    private func inflate(
        _ input: UnsafeBufferPointer<UInt8>,
        _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> EngineStep {
        var result = EngineStep()
        let inputCount = UInt32(clamping: input.count)
        let outputCount = UInt32(clamping: output.count)
        guard outputCount > 0, let target = output.baseAddress else {
            return result
        }
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.pointee.avail_in = inputCount
        unsafe stream.pointee.next_out = target
        unsafe stream.pointee.avail_out = outputCount
        let status = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
        result.consumed = Int(inputCount - (unsafe stream.pointee.avail_in))
        result.produced = Int(outputCount - (unsafe stream.pointee.avail_out))
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: result.outcome = .ended
        case Z_MEM_ERROR: result.outcome = .failed(.memory(coding))
        default: result.outcome = .failed(.corrupt(coding))
        }
        return result
    }
}
