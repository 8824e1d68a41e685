// SPDX-License-Identifier: MIT

/// The sender of a direction; only a client's frames are masked (RFC 6455 §5.1).
@frozen
package enum WebSocketSender: UInt8, Sendable, Equatable {
    /// The side that opened the connection.
    case client
    /// The other side.
    case server
}

/// Separates the heads of frames from their payload, for one direction.
///
/// **Shape**: copies nothing. Each call takes the bytes after those that were consumed so far and
/// returns one part: the head of a frame, or a stretch of its payload, still masked. Call it until
/// `needsBytes`, like `BodyDecoder`.
///
/// ```
/// head ──▶ payload ──▶ head … ──▶ close ──▶ nothing more
/// ```
///
/// **Source**: RFC 6455 §5.
package struct WebSocketFrameParser: ~Copyable {
    /// The next part of a frame.
    @frozen
    package struct Part: Sendable, Equatable {
        /// The frame that begins here, if any.
        package var frame: WebSocketFrame?
        /// The range of the payload in the given bytes, masked if the frame is.
        package var payload: Range<Int>
        /// The position of its first byte in the frame's payload.
        package var place: Int
        /// The number of bytes of the part.
        package var consumed: Int
        /// Whether the frame ends with it.
        package var endsFrame: Bool
        /// Whether all given bytes are consumed.
        package var needsBytes: Bool
    }

    /// The current frame, or the last one.
    package private(set) var frame = WebSocketFrame(.text, payloadCount: 0)
    /// The number of bytes of this direction so far.
    package private(set) var wireBytes = 0

    /// Whether no frame is in progress.
    package var isBetweenFrames: Bool { left == 0 && heldCount == 0 }

    private let sender: WebSocketSender
    private let maximum: Int
    private let allowsCompression: Bool
    /// The number of bytes before the frame.
    private var frameStart = 0
    /// An incomplete head.
    private var held = InlineArray<14, UInt8>(repeating: 0)
    private var heldCount = 0
    /// The remaining bytes of the payload.
    private var left = 0
    private var isInMessage = false
    private var isClosed = false

    /// Makes a parser for one direction.
    ///
    /// - Parameters:
    ///   - sender: The sender of the direction.
    ///   - maximum: The maximum payload of a frame.
    ///   - allowsCompression: Whether permessage-deflate was negotiated (RFC 7692).
    package init(
        from sender: WebSocketSender,
        maximum: Int = .max,
        allowsCompression: Bool = false
    ) {
        self.sender = sender
        self.maximum = maximum
        self.allowsCompression = allowsCompression
    }

    /// Reads the next part.
    ///
    /// - Parameter bytes: The bytes after those consumed so far.
    /// - Returns: The next part.
    /// - Throws: Why the frames are refused; close the connection.
    package mutating func next(_ bytes: Span<UInt8>) throws(WebSocketError) -> Part {
        if left > 0 { return takePayload(bytes) }
        if heldCount == 0 { frameStart = wireBytes }
        var index = 0
        while index < bytes.count {
            held[heldCount] = bytes[index]
            heldCount += 1
            index += 1
            guard heldCount == headCount else { continue }
            try readHead()
            heldCount = 0
            wireBytes &+= index
            return Part(
                frame: frame,
                payload: index..<index,
                place: 0,
                consumed: index,
                endsFrame: left == 0,
                needsBytes: index == bytes.count
            )
        }
        wireBytes &+= index
        return Part(
            frame: nil,
            payload: index..<index,
            place: 0,
            consumed: index,
            endsFrame: false,
            needsBytes: true
        )
    }

    private mutating func takePayload(_ bytes: Span<UInt8>) -> Part {
        let count = Swift.min(left, bytes.count)
        let place = frame.payloadCount - left
        left -= count
        wireBytes &+= count
        return Part(
            frame: nil,
            payload: 0..<count,
            place: place,
            consumed: count,
            endsFrame: left == 0,
            needsBytes: count == bytes.count
        )
    }

    /// The number of bytes of the head, as far as it is known; at least two.
    private var headCount: Int {
        if heldCount < 2 { return 2 }
        let mask = held[1] & 0x80 == 0 ? 0 : 4
        switch held[1] & 0x7F {
        case 126: return 4 + mask
        case 127: return 10 + mask
        default: return 2 + mask
        }
    }

    /// Returns an error in the current frame, or the last one.
    func failure(_ code: WebSocketError.Code) -> WebSocketError {
        WebSocketError(code: code, offset: frameStart)
    }

    private mutating func readHead() throws(WebSocketError) {
        // RFC 6455 §5.5.1: no frame follows the close frame.
        if isClosed { throw failure(.frameAfterClose) }
        // RFC 6455 §5.2: reserved bits are 0 unless an extension defines them.
        if held[0] & 0x30 != 0 { throw failure(.reservedBits) }
        guard let opcode = WebSocketOpcode(rawValue: held[0] & 0x0F) else {
            throw failure(.reservedOpcode)
        }
        let isMasked = held[1] & 0x80 != 0
        // RFC 6455 §5.1: a server closes the connection on an unmasked frame, a client on a masked
        // one.
        guard isMasked == (sender == .client) else { throw failure(.wrongMask) }
        let count = try readLength()
        frame = WebSocketFrame(
            opcode,
            payloadCount: count,
            isFinal: held[0] & 0x80 != 0,
            isCompressed: held[0] & 0x40 != 0,
            mask: isMasked ? readMask() : nil
        )
        try checkPlace()
        if count > maximum { throw failure(.frameTooLong) }
        left = count
        if opcode == .close { isClosed = true }
        if !opcode.isControl { isInMessage = !frame.isFinal }
    }

    /// Reads the length (RFC 6455 §5.2): 7 bits, or another 16 or 64 bits, in the fewest bytes.
    private func readLength() throws(WebSocketError) -> Int {
        let short = Int(held[1] & 0x7F)
        guard short >= 126 else { return short }
        let end = short == 126 ? 4 : 10
        var length: UInt64 = 0
        for index in 2..<end { length = length << 8 | UInt64(held[index]) }
        let least: UInt64 = short == 126 ? 126 : 0x1_0000
        guard length >= least, let count = Int(exactly: length) else {
            throw failure(.invalidLength)
        }
        return count
    }

    private func readMask() -> WebSocketMask {
        let start = heldCount - 4
        var key: UInt32 = 0
        for index in start..<heldCount { key = key << 8 | UInt32(held[index]) }
        return WebSocketMask(key: key)
    }

    private func checkPlace() throws(WebSocketError) {
        if frame.opcode.isControl {
            // RFC 6455 §5.5: control frames are short and not fragmented.
            if !frame.isFinal { throw failure(.fragmentedControl) }
            if frame.payloadCount > 125 { throw failure(.longControl) }
            if frame.isCompressed { throw failure(.reservedBits) }
            return
        }
        // RFC 6455 §5.4: fragments of different messages are not mixed.
        let isContinuation = frame.opcode == .continuation
        if isContinuation, !isInMessage { throw failure(.unexpectedContinuation) }
        if !isContinuation, isInMessage { throw failure(.missingContinuation) }
        // RFC 7692 §6: RSV1 is allowed only in the first frame of a message, if negotiated.
        if frame.isCompressed, isContinuation || !allowsCompression {
            throw failure(.reservedBits)
        }
    }
}
