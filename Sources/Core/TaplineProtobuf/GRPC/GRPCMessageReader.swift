// SPDX-License-Identifier: MIT

internal import TaplineBytes
package import TaplineCodings

/// Divides the content of one direction of a gRPC call into messages, and decodes them.
///
/// ```
/// head ── flag and length complete ──▶ payload ── all bytes ──▶ head
///   └── unknown flags ──▶ failed ◀── more ── ended ◀── trailers ──┘
/// ```
/// **Shape**: the bytes may arrive in pieces of any size. Only what is kept of a message is in
/// memory; of compressed messages, only what is kept is decoded. A message that cannot be decoded
/// does not affect the next ones, whose places are known.
/// **Source**: "gRPC over HTTP2" (Length-Prefixed-Message) and "gRPC Web".
package struct GRPCMessageReader: ~Copyable {
    private enum State {
        /// The next byte belongs to a head; some of its bytes have arrived.
        case head(flags: UInt8, length: UInt32, count: Int)
        case payload(Payload)
        /// The trailers of gRPC-Web were read; nothing may follow them.
        case ended
        case failed(GRPCProblem)
    }

    private struct Payload {
        var message: GRPCMessage
        /// How many more bytes of the payload follow.
        var rest: Int
    }

    /// How much of the next messages is kept.
    package var keeps: Int
    /// How much of trailers is kept at least.
    private let keepsTrailers: Int

    private var state = State.head(flags: 0, length: 0, count: 0)
    /// The first problem, of a message or of the content.
    package private(set) var problem: GRPCProblem?
    private let coding: ContentCoding
    private let hasTrailers: Bool
    private let limits: DecodingLimits
    /// Made for the first compressed message.
    private var decoder: ContentDecoder?

    /// Starts before the first message.
    ///
    /// - Parameters:
    ///   - coding: The value of `grpc-encoding`.
    ///   - hasTrailers: Whether the content may end with trailers, as in gRPC-Web.
    ///   - keeps: How much of each message is kept.
    ///   - keepsTrailers: How much of trailers is kept at least.
    ///   - limits: The limits of decoding a message.
    package init(
        coding: ContentCoding,
        hasTrailers: Bool = false,
        keeps: Int,
        keepsTrailers: Int = 0,
        limits: DecodingLimits = DecodingLimits()
    ) {
        self.coding = coding
        self.hasTrailers = hasTrailers
        self.keeps = keeps
        self.keepsTrailers = keepsTrailers
        self.limits = limits
    }

    /// Why the rest of the content is not read; `nil` if it is, even if messages are damaged.
    package var failure: GRPCProblem? {
        if case .failed(let problem) = state { problem } else { nil }
    }

    /// Reads bytes up to the end of a message.
    ///
    /// - Parameter bytes: The next bytes; once reading has failed, all are consumed.
    /// - Returns: How many were consumed, and the message that ended with them.
    package mutating func next(_ bytes: Span<UInt8>) -> (consumed: Int, message: GRPCMessage?) {
        var consumed = 0
        while true {
            switch state {
            case .failed: return (bytes.count, nil)
            case .ended:
                guard consumed < bytes.count else { return (consumed, nil) }
                fail(.dataAfterTrailers)
            case .head(let flags, let length, let count):
                guard consumed < bytes.count else { return (consumed, nil) }
                head(flags, length, count, bytes[consumed])
                consumed += 1
            case .payload(var payload):
                // Moved out, so that the kept bytes are not copied.
                state = .head(flags: 0, length: 0, count: 0)
                let part = min(payload.rest, bytes.count - consumed)
                payload.rest -= part
                let input = bytes.extracting(consumed..<consumed + part)
                consumed += part
                read(input, &payload)
                if payload.rest == 0 {
                    if payload.message.isTrailers { state = .ended }
                    return (consumed, payload.message)
                }
                state = .payload(payload)
                if consumed == bytes.count { return (consumed, nil) }
            }
        }
    }

    /// Ends the content.
    ///
    /// - Returns: The message that is incomplete, if there is one.
    package mutating func end() -> GRPCMessage? {
        switch state {
        case .head(_, _, 0), .ended, .failed: return nil
        case .head:
            fail(.truncated)
            return nil
        case .payload(let payload):
            fail(.truncated)
            var message = payload.message
            message.isTruncated = true
            return message
        }
    }

    private mutating func fail(_ problem: GRPCProblem) {
        state = .failed(problem)
        note(problem)
    }

    private mutating func note(_ problem: GRPCProblem) {
        self.problem = self.problem ?? problem
    }

    /// Adds a byte to a head.
    private mutating func head(
        _ flags: UInt8,
        _ length: UInt32,
        _ count: Int,
        _ byte: UInt8
    ) {
        guard count > 0 else {
            let isKnown = byte & (hasTrailers ? 0x7E : 0xFE) == 0
            if isKnown {
                state = .head(flags: byte, length: 0, count: 1)
            } else {
                fail(.invalidFrame)
            }
            return
        }
        let length = length << 8 | UInt32(byte)
        guard count == 4 else {
            state = .head(flags: flags, length: length, count: count + 1)
            return
        }
        var payload = Payload(
            message: GRPCMessage(
                bytes: [],
                wireSize: Int(length),
                isCompressed: flags & 1 != 0,
                isTruncated: false,
                isTrailers: flags & 0x80 != 0
            ),
            rest: Int(length)
        )
        if payload.message.isCompressed, !begin() { damage(&payload, .unknownEncoding) }
        state = .payload(payload)
    }

    /// Marks a message as one that cannot be decoded, or not any further.
    private mutating func damage(_ payload: inout Payload, _ problem: GRPCProblem) {
        payload.message.isTruncated = true
        payload.message.problem = problem
        note(problem)
    }

    /// Prepares the decoder for a message; returns whether the encoding is supported.
    private mutating func begin() -> Bool {
        guard coding != .identity, coding != .unknown else { return false }
        do throws(CodingError) {
            if let decoder {
                try decoder.reset()
            } else {
                decoder = try .init(coding, limits: limits)
            }
            return true
        } catch {
            return false
        }
    }

    /// Adds bytes to the kept part of a message.
    private mutating func read(_ input: Span<UInt8>, _ payload: inout Payload) {
        guard payload.message.problem == nil else { return }
        let keeps = payload.message.isTrailers ? max(keeps, keepsTrailers) : keeps
        let room = max(keeps - payload.message.bytes.count, 0)
        guard payload.message.isCompressed, let decoder else {
            payload.message.bytes.append(copying: input.extracting(0..<min(room, input.count)))
            if input.count > room { payload.message.isTruncated = true }
            return
        }
        guard !payload.message.isTruncated else { return }
        do throws(CodingError) {
            let isWhole = try Self.decode(input, decoder, keeps, into: &payload.message.bytes)
            if !isWhole { payload.message.isTruncated = true }
            if payload.rest == 0, isWhole { try decoder.finish() }
        } catch {
            damage(&payload, .invalidCompression)
        }
    }

    /// Decodes input until the output is full; returns whether all of it was decoded.
    private static func decode(
        _ input: Span<UInt8>,
        _ decoder: ContentDecoder,
        _ limit: Int,
        into output: inout [UInt8]
    ) throws(CodingError) -> Bool {
        // One byte more than is kept shows that there is more; what follows is not decoded.
        var piece = [UInt8](repeating: 0, count: min(4_096, max(limit - output.count, 0) + 1))
        var consumed = 0
        while true {
            let room = max(limit - output.count, 0)
            if room + 1 < piece.count { piece.removeLast(piece.count - room - 1) }
            var space = piece.mutableSpan
            let step = try decoder.decode(input.extracting(consumed..<input.count), into: &space)
            consumed += step.consumed
            output.append(copying: piece.span.extracting(0..<min(step.produced, room)))
            if step.produced > room { return false }
            if step.needsInput { return true }
        }
    }
}
