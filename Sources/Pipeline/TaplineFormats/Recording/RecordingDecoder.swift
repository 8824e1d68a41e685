// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplineSegments

/// Decompresses a file, if its first bytes are those of gzip, zlib or zstd: takes chunks of bytes
/// and passes on the decoded ones.
///
/// The records of a segment of a queue on disk are passed on as lines.
///
/// **Limits**: memory for what 1 KiB of compressed bytes expands to.
package final class RecordingDecoder {
    private enum State {
        /// There are too few bytes to detect compression.
        case probing
        case plain
        case compressed(ContentDecoder)
        case segment
    }

    private var state = State.probing
    private var unframer = SegmentUnframer()
    private var head: [UInt8] = []
    /// How many decoded bytes have been passed on.
    package private(set) var byteCount = 0

    /// Creates a decoder for one file.
    package init() {}

    /// Reads the next bytes of the file.
    ///
    /// - Parameters:
    ///   - chunk: The bytes; any number.
    ///   - pass: Receives the decoded bytes, in order.
    /// - Returns: Why the rest cannot be decoded; `nil` if it may. What precedes was passed on.
    /// - Throws: The error of `pass`.
    package func read(
        _ chunk: Span<UInt8>,
        _ pass: (Span<UInt8>) throws(RecordError) -> Void
    ) throws(RecordError) -> RecordError? {
        guard case .probing = state else { return try decode(chunk, pass) }
        head.append(copying: chunk)
        guard head.count >= 4, !SegmentFormat.needsMore(head.span) else { return nil }
        return try startDecoding(pass)
    }

    /// Ends the file.
    ///
    /// - Parameter pass: Receives the decoded bytes of a file that is too short to be detected.
    /// - Returns: A `RecordError` with code `cutOff` if a compressed file ends too early.
    /// - Throws: The error of `pass`.
    package func finish(
        _ pass: (Span<UInt8>) throws(RecordError) -> Void
    ) throws(RecordError) -> RecordError? {
        if case .probing = state, let failure = try startDecoding(pass) { return failure }
        if case .segment = state { return segmentEnd }
        guard case .compressed(let decoder) = state else { return nil }
        do {
            try decoder.finish()
            return nil
        } catch {
            let message = "the \(decoder.coding.name) file is cut off"
            return RecordError(code: .cutOff, message: message, byte: byteCount)
        }
    }

    private func startDecoding(
        _ pass: (Span<UInt8>) throws(RecordError) -> Void
    ) throws(RecordError) -> RecordError? {
        let first = head
        head = []
        state = .plain
        if SegmentFormat.isSegment(first.span) {
            state = .segment
        } else if let coding = RecordingProbe.coding(of: first.span) {
            do {
                state = .compressed(try ContentDecoder(coding, limits: .files))
            } catch {
                return codingError(error)
            }
        }
        return try decode(first.span, pass)
    }

    private func decode(
        _ chunk: Span<UInt8>,
        _ pass: (Span<UInt8>) throws(RecordError) -> Void
    ) throws(RecordError) -> RecordError? {
        if case .segment = state {
            try unframer.read(chunk) { record throws(RecordError) in
                byteCount += record.count
                try pass(record)
            }
            return nil
        }
        guard case .compressed(let decoder) = state else {
            byteCount += chunk.count
            try pass(chunk)
            return nil
        }
        // zstd may expand four bytes to 128 KiB: the steps are small, and each is passed on before
        // the next.
        var decoded: [UInt8] = []
        var position = 0
        while position < chunk.count {
            let step = min(chunk.count - position, 1024)
            decoded.removeAll(keepingCapacity: decoded.capacity <= 1 << 24)
            var failure: CodingError?
            do {
                try decoder.decode(
                    chunk.extracting(position..<position + step),
                    appendingTo: &decoded
                )
            } catch {
                failure = error
            }
            byteCount += decoded.count
            try pass(decoded.span)
            if let failure { return codingError(failure) }
            position += step
        }
        return nil
    }

    /// What is wrong at the end of a segment; one that is still written may end within a record.
    private var segmentEnd: RecordError? {
        guard unframer.isDamaged else { return nil }
        let message = "a record of the queue is damaged; the rest of the file is ignored"
        return RecordError(code: .coding, message: message, byte: byteCount)
    }

    private func codingError(_ error: CodingError) -> RecordError {
        RecordError(code: .coding, message: error.message, byte: byteCount)
    }
}
