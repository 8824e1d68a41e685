// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A complete message, or a control frame.
@frozen
package struct WebSocketMessage: Sendable, Equatable {
    /// The type of the message; never `continuation`.
    package var opcode: WebSocketOpcode
    /// The unmasked payload, with fragments joined; decoded if the assembler can do that.
    package var bytes: [UInt8]
    /// The number of bytes of payload on the wire.
    package var size: Int
    /// Whether bytes are missing at the end because they exceeded the limit.
    package var isTruncated: Bool
    /// Whether it was compressed with permessage-deflate (RFC 7692 §7).
    package var isCompressed: Bool

    /// The status of a close frame; `nil` if it has none (RFC 6455 §7.4).
    package var closeCode: Int? {
        guard opcode == .close, bytes.count >= 2 else { return nil }
        return Int(bytes[0]) << 8 | Int(bytes[1])
    }
}

/// Joins the fragments of messages, with control frames in between (RFC 6455 §5.4).
///
/// **Shape**: feed the bytes of one direction as they arrive; each call consumes up to the end of
/// the next message. Beyond `keeps` bytes of a message, data is counted, not kept. Text is not
/// checked for valid UTF-8, since nothing is changed on the way, and records keep any bytes.
/// Compressed messages are decoded as they arrive if there is an inflater, and otherwise left
/// compressed.
///
/// **Source**: RFC 6455 §5.4 and §5.5, RFC 7692 §7.2.2.
@usableFromInline package struct WebSocketMessageAssembler: ~Copyable {
    /// The result of a call.
    @frozen
    package struct Step: Sendable, Equatable {
        /// The message that ended, if any.
        package var message: WebSocketMessage?
        /// The number of consumed bytes.
        package var consumed: Int
    }

    private var parser: WebSocketFrameParser
    /// The number of bytes that are kept of a message; a message in progress keeps what it has.
    package var keeps: Int
    private let inflater: (any WebSocketInflater)?
    /// A part of a compressed message, unmasked.
    private var unmasked: [UInt8] = []
    private var message: WebSocketMessage?
    private var control: WebSocketMessage?

    /// Makes an assembler for one direction.
    ///
    /// - Parameters:
    ///   - sender: The sender of the direction.
    ///   - keeps: The number of bytes that are kept of a message.
    ///   - maximum: The maximum payload of a frame.
    ///   - allowsCompression: Whether permessage-deflate was negotiated.
    ///   - inflater: Decodes compressed messages, if that was negotiated.
    package init(
        from sender: WebSocketSender,
        keeps: Int,
        maximum: Int = .max,
        allowsCompression: Bool = false,
        inflater: (any WebSocketInflater)? = nil
    ) {
        parser = WebSocketFrameParser(
            from: sender,
            maximum: maximum,
            allowsCompression: allowsCompression || inflater != nil
        )
        self.keeps = keeps
        self.inflater = inflater
    }

    /// The number of bytes of this direction so far.
    package var wireBytes: Int { parser.wireBytes }

    /// Whether no frame is in progress; a message may be.
    @usableFromInline package var isBetweenFrames: Bool { parser.isBetweenFrames }

    /// The number of bytes that are held of the message in progress.
    package var heldCount: Int { message?.bytes.count ?? 0 }

    /// Takes the held bytes of the message in progress; later bytes are held again.
    package mutating func takeHeld() -> WebSocketMessage? {
        guard let held = message else { return nil }
        // `message?.bytes = []` would leak the bytes, because of a bug of Swift 6.3 in noncopyable
        // types.
        var rest = held
        rest.bytes = []
        message = rest
        return held
    }

    /// Reads up to the end of the next message.
    ///
    /// - Parameter bytes: The bytes after those consumed so far.
    /// - Returns: The message that ended, and the number of consumed bytes; all of them if no
    ///   message ended.
    /// - Throws: Why the frames are refused; close the connection.
    package mutating func next(_ bytes: Span<UInt8>) throws(WebSocketError) -> Step {
        var consumed = 0
        while true {
            let rest = bytes.extracting(consumed..<bytes.count)
            let part = try parser.next(rest)
            consumed += part.consumed
            if let frame = part.frame { begin(frame) }
            if !part.payload.isEmpty { try append(rest.extracting(part.payload), at: part.place) }
            if part.endsFrame, let message = try end() {
                return Step(message: message, consumed: consumed)
            }
            if part.needsBytes { return Step(message: nil, consumed: consumed) }
        }
    }

    private mutating func begin(_ frame: WebSocketFrame) {
        guard frame.opcode != .continuation else { return }
        let begun = WebSocketMessage(
            opcode: frame.opcode,
            bytes: [],
            size: 0,
            isTruncated: false,
            isCompressed: frame.isCompressed
        )
        if frame.opcode.isControl { control = begun } else { message = begun }
    }

    private mutating func append(_ payload: Span<UInt8>, at place: Int) throws(WebSocketError) {
        let mask = parser.frame.mask
        if parser.frame.opcode.isControl {
            // Never more than 125 bytes, so everything is kept.
            control?.add(payload, mask, place, keeps: 125)
        } else if let inflater, message?.isCompressed == true, var inflated = message.take() {
            inflated.size &+= payload.count
            unmasked.removeAll(keepingCapacity: true)
            unmasked.append(payload, masking: mask, at: place)
            let failure = inflated.inflate(unmasked.span, isLast: false, inflater, keeps: keeps)
            message = inflated
            if let failure { throw parser.failure(failure) }
        } else {
            message?.add(payload, mask, place, keeps: keeps)
        }
    }

    /// Ends a frame.
    ///
    /// Returns the message that ends with it, if any.
    private mutating func end() throws(WebSocketError) -> WebSocketMessage? {
        if parser.frame.opcode.isControl {
            let ended = control.take()
            if let ended, ended.opcode == .close, !ended.hasValidClose {
                throw parser.failure(.invalidClose)
            }
            return ended
        }
        guard parser.frame.isFinal else { return nil }
        var ended = message.take()
        if let inflater, ended?.isCompressed == true {
            let failure = ended?.inflate(Span(), isLast: true, inflater, keeps: keeps)
            if let failure { throw parser.failure(failure) }
        }
        return ended
    }
}

extension WebSocketMessage {
    fileprivate mutating func add(
        _ payload: Span<UInt8>,
        _ mask: WebSocketMask?,
        _ place: Int,
        keeps: Int
    ) {
        size &+= payload.count
        let count = Swift.min(payload.count, Swift.max(keeps - bytes.count, 0))
        if count < payload.count { isTruncated = true }
        bytes.append(payload.extracting(0..<count), masking: mask, at: place)
    }

    /// Decodes a part.
    ///
    /// Returns why it cannot be decoded, if that fails.
    fileprivate mutating func inflate(
        _ part: Span<UInt8>,
        isLast: Bool,
        _ inflater: any WebSocketInflater,
        keeps: Int
    ) -> WebSocketError.Code? {
        let room = Swift.max(keeps - bytes.count, 0)
        do throws(WebSocketError.Code) {
            let count = try inflater.inflate(
                part,
                isLast: isLast,
                keeping: room,
                appendingTo: &bytes
            )
            if count > room { isTruncated = true }
            return nil
        } catch {
            return error
        }
    }

    /// Whether a close frame is empty or begins with a valid status (RFC 6455 §7.4).
    fileprivate var hasValidClose: Bool {
        if bytes.isEmpty { return true }
        return closeCode.map(Self.isValid(closeCode:)) ?? false
    }
}
