// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The type of a frame (RFC 6455 §5.2): four bits, closed by the standard.
@frozen @usableFromInline
package enum WebSocketOpcode: UInt8, Sendable, Equatable {
    /// A continuation of the previous message.
    case continuation = 0
    /// A message of UTF-8 text.
    case text = 1
    /// A message of any bytes.
    case binary = 2
    /// The end of the connection, with a status and a reason.
    case close = 8
    /// A check whether the other side responds.
    case ping = 9
    /// The response to a ping.
    case pong = 10

    /// Whether the frame is a control frame, which may come between the fragments of a message
    /// (§5.5).
    @inlinable
    package var isControl: Bool { rawValue >= 8 }

    /// The word in records: `text`, `binary`, `close`, `ping`, `pong`, `continuation`.
    @usableFromInline package var name: String {
        switch self {
        case .continuation: "continuation"
        case .text: "text"
        case .binary: "binary"
        case .close: "close"
        case .ping: "ping"
        case .pong: "pong"
        }
    }
}

/// The head of a frame (RFC 6455 §5.2).
@frozen @usableFromInline
package struct WebSocketFrame: Sendable, Equatable {
    /// The type of the frame.
    @usableFromInline package var opcode: WebSocketOpcode
    /// Whether the frame ends its message.
    @usableFromInline package var isFinal: Bool
    /// Whether the message is compressed: RSV1 of permessage-deflate (RFC 7692 §6).
    @usableFromInline package var isCompressed: Bool
    /// The mask of a client's frame.
    @usableFromInline package var mask: WebSocketMask?
    /// The number of bytes of its payload.
    @usableFromInline package var payloadCount: Int

    /// Makes the head of a frame.
    @inlinable
    package init(
        _ opcode: WebSocketOpcode,
        payloadCount: Int,
        isFinal: Bool = true,
        isCompressed: Bool = false,
        mask: WebSocketMask? = nil
    ) {
        self.opcode = opcode
        self.payloadCount = payloadCount
        self.isFinal = isFinal
        self.isCompressed = isCompressed
        self.mask = mask
    }
}

/// The four bytes that mask a client's payload (RFC 6455 §5.3).
@frozen @usableFromInline
package struct WebSocketMask: Sendable, Equatable {
    /// The four bytes, the first one in the highest position.
    @usableFromInline package var key: UInt32

    /// Makes a mask from a key, which has to come from an unpredictable source of randomness
    /// (§10.3).
    @inlinable
    package init(key: UInt32) { self.key = key }

    /// The byte of the mask for a position in the payload.
    @inlinable
    package subscript(place: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: key >> UInt32(24 - 8 * (place & 3)))
    }

    /// Returns the eight bytes of the mask from a position on, the first one lowest.
    fileprivate func word(at place: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in (0..<8).reversed() { word = word << 8 | UInt64(self[place &+ index]) }
        return word
    }
}

extension [UInt8] {
    /// Appends a part of a payload and applies the mask, which masks or unmasks it.
    ///
    /// - Parameters:
    ///   - bytes: The part.
    ///   - mask: The frame's mask, or `nil` for a plain copy.
    ///   - place: The position of the part's first byte in the payload.
    package mutating func append(
        _ bytes: Span<UInt8>,
        masking mask: WebSocketMask?,
        at place: Int
    ) {
        let start = count
        append(copying: bytes)
        if let mask { mix(from: start, with: mask.word(at: place)) }
    }

    /// Appends a whole frame (RFC 6455 §5.2).
    ///
    /// - Parameters:
    ///   - frame: The head; its `payloadCount` is ignored in favour of the payload's.
    ///   - payload: The unmasked payload.
    package mutating func append(_ frame: WebSocketFrame, payload: Span<UInt8>) {
        var head = frame
        head.payloadCount = payload.count
        append(headOf: head)
        append(payload, masking: frame.mask, at: 0)
    }

    /// Appends the head of a frame, whose payload follows in parts.
    package mutating func append(headOf frame: WebSocketFrame) {
        var first = frame.opcode.rawValue
        if frame.isFinal { first |= 0x80 }
        if frame.isCompressed { first |= 0x40 }
        append(first)
        let mask: UInt8 = frame.mask == nil ? 0 : 0x80
        let count = UInt64(Swift.max(frame.payloadCount, 0))
        let lengthBytes = count < 126 ? 0 : count <= 0xFFFF ? 2 : 8
        switch lengthBytes {
        case 0: append(mask | UInt8(truncatingIfNeeded: count))
        case 2: append(mask | 126)
        default: append(mask | 127)
        }
        for index in (0..<lengthBytes).reversed() {
            append(UInt8(truncatingIfNeeded: count >> UInt64(8 * index)))
        }
        guard let key = frame.mask else { return }
        for place in 0..<4 { append(key[place]) }
    }
}
