// SPDX-License-Identifier: MIT

internal import CZlib

/// Decodes the messages of one direction that are compressed with permessage-deflate, in order.
///
/// **Shape.** Pass each message in parts, and mark the last part. Decoded bytes beyond the caller's
/// limit are counted and dropped; they are still decoded because later messages may refer back to
/// them.
///
/// **Isolation.** Used by one thread at a time.
///
/// **Source.** RFC 7692 §7.2.2.
@safe package final class MessageInflater {
    // zlib rejects a stream structure that has moved, so it is allocated on the heap.
    private let stream: UnsafeMutablePointer<z_stream>
    private let forgets: Bool
    private let limits: DecodingLimits
    private var inputBytes = 0
    private var outputBytes = 0
    private var scratch: [UInt8]

    private static let scratchSize = 16_384
    /// The bytes that the sender removes from the end of each message (RFC 7692 §7.2.1).
    private static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]

    /// Makes a decoder for one direction.
    ///
    /// - Parameters:
    ///   - windowBits: The size of the sender's window as a power of two, 8 to 15.
    ///   - forgets: Whether each message begins with an empty window.
    ///   - limits: The limits of each message.
    /// - Throws: `CodingError` if memory runs out.
    package init(
        windowBits: Int = 15,
        forgets: Bool = false,
        limits: DecodingLimits = DecodingLimits()
    ) throws(CodingError) {
        self.forgets = forgets
        self.limits = limits
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        scratch = [UInt8](repeating: 0, count: Self.scratchSize)
        // zlib does not support windows of 8 bits, so senders that agreed on 8 use 9.
        let bits = Int32(Swift.min(Swift.max(windowBits, 9), 15))
        guard unsafe tapline_inflate_init(stream, -bits) == Z_OK else {
            unsafe stream.deallocate()
            throw .memory(.deflate)
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Decodes a part of a message.
    ///
    /// - Parameters:
    ///   - part: The next bytes of the message.
    ///   - isLast: Whether this is the last part of the message.
    ///   - room: The maximum number of decoded bytes to keep.
    ///   - output: The array that the kept bytes are appended to.
    /// - Returns: The number of decoded bytes, whether kept or not.
    /// - Throws: `CodingError` if the message is damaged or exceeds a limit; the direction can then
    ///   no longer be decoded.
    package func decode(
        _ part: Span<UInt8>,
        isLast: Bool,
        keeping room: Int,
        appendingTo output: inout [UInt8]
    ) throws(CodingError) -> Int {
        inputBytes &+= part.count
        var decoded = try inflate(part, room, &output)
        guard isLast else { return decoded }
        decoded += try inflate(Self.tail.span, room - decoded, &output)
        inputBytes = 0
        outputBytes = 0
        if forgets { unsafe inflateReset(stream) }
        return decoded
    }

    private func inflate(
        _ part: Span<UInt8>,
        _ room: Int,
        _ output: inout [UInt8]
    ) throws(CodingError) -> Int {
        let before = outputBytes
        let failure = unsafe part.withUnsafeBufferPointer { input in
            unsafe scratch.withUnsafeMutableBufferPointer { space in
                unsafe pump(input, space, Swift.max(room, 0), &output)
            }
        }
        if let failure { throw failure }
        return outputBytes - before
    }

    @unsafe
    private func pump(
        _ input: UnsafeBufferPointer<UInt8>,
        _ space: UnsafeMutableBufferPointer<UInt8>,
        _ room: Int,
        _ output: inout [UInt8]
    ) -> CodingError? {
        var at = 0
        var room = room
        while true {
            let given = UInt32(clamping: input.count - at)
            unsafe stream.pointee.next_in = UnsafeMutablePointer(
                mutating: UnsafeBufferPointer(rebasing: input[at...]).baseAddress
            )
            unsafe stream.pointee.avail_in = given
            unsafe stream.pointee.next_out = space.baseAddress
            unsafe stream.pointee.avail_out = UInt32(space.count)
            let status = unsafe CZlib.inflate(stream, Z_SYNC_FLUSH)
            at += Int(given - (unsafe stream.pointee.avail_in))
            let produced = space.count - Int(unsafe stream.pointee.avail_out)
            outputBytes &+= produced
            let kept = Swift.min(produced, room)
            unsafe output.append(contentsOf: UnsafeBufferPointer(space).prefix(kept))
            room -= kept
            switch status {
            // RFC 7692 §7.2.3.4: a sender may end the stream; the window is kept.
            case Z_STREAM_END: unsafe inflateResetKeep(stream)
            case Z_OK, Z_BUF_ERROR: break
            case Z_MEM_ERROR: return .memory(.deflate)
            default: return .corrupt(.deflate)
            }
            if let excess { return excess }
            if at == input.count, produced < space.count { return nil }
            // zlib always makes progress while there is input; if it ever did not, this loop must
            // end.
            if status == Z_BUF_ERROR, produced == 0 { return .corrupt(.deflate) }
        }
    }

    private var excess: CodingError? {
        if outputBytes > limits.maxOutputBytes {
            return CodingError(
                .outputLimit,
                .deflate,
                "a decoded message is too large; expected at most \(limits.maxOutputBytes) bytes"
            )
        }
        guard limits.maxRatio > 0, outputBytes > limits.ratioFreeBytes else { return nil }
        let (bound, overflow) = inputBytes.multipliedReportingOverflow(by: limits.maxRatio)
        guard !overflow, outputBytes > bound else { return nil }
        return CodingError(
            .ratioLimit,
            .deflate,
            "a decoded message is more than \(limits.maxRatio) times as large as its input"
        )
    }
}
