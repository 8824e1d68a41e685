// SPDX-License-Identifier: MIT

internal import TaplineModel

/// What a frame is (RFC 6455 §5.2): the four bits that a standard closes.
@frozen
public enum WebSocketOpcode: UInt8, Sendable, Equatable {
    /// More of the message before.
    case continuation = 0
    /// A message of UTF-8 text.
    case text = 1
    /// A message of any bytes.
    case binary = 2
    /// The end of the connection, with a status and a reason.
    case close = 8
    /// A question whether the other side is there.
    case ping = 9
    /// The answer to a ping.
    case pong = 10

    /// Whether the frame stands alone and may come between the fragments of a message (§5.5).
    @inlinable
    public var isControl: Bool { rawValue >= 8 }

    /// The word in records: `text`, `binary`, `close`, `ping`, `pong`, `continuation`.
    public var name: String {
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
@frozen
public struct WebSocketFrame: Sendable, Equatable {
    /// What the frame is.
    public var opcode: WebSocketOpcode
    /// Whether the message ends with it.
    public var isFinal: Bool
    /// Whether the message is compressed: RSV1 of permessage-deflate (RFC 7692 §6).
    public var isCompressed: Bool
    /// The mask of a client's frame.
    public var mask: WebSocketMask?
    /// The bytes of its payload.
    public var payloadCount: Int

    /// A frame's head.
    @inlinable
    public init(
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

/// The four bytes that a client's payload is mixed with (RFC 6455 §5.3).
@frozen
public struct WebSocketMask: Sendable, Equatable {
    /// The four bytes, the first one highest.
    public var key: UInt32

    /// A mask of a key; take it from a source of randomness that cannot be foretold (§10.3).
    @inlinable
    public init(key: UInt32) { self.key = key }

    /// The byte that goes with a place in the payload.
    @inlinable
    public subscript(place: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: key >> UInt32(24 - 8 * (place & 3)))
    }

    /// The eight bytes that go with a place and those after it, the first one lowest.
    fileprivate func word(at place: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in (0..<8).reversed() { word = word << 8 | UInt64(self[place &+ index]) }
        return word
    }
}

extension [UInt8] {
    /// Appends a part of a payload with its mask taken off or put on.
    ///
    /// - Parameters:
    ///   - bytes: The part.
    ///   - mask: The frame's mask, or nothing for a plain copy.
    ///   - place: The place of the part's first byte in the payload.
    public mutating func append(
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
    ///   - frame: The head; its `payloadCount` is that of the payload, whatever it says.
    ///   - payload: The payload, not masked.
    public mutating func append(_ frame: WebSocketFrame, payload: Span<UInt8>) {
        var head = frame
        head.payloadCount = payload.count
        append(headOf: head)
        append(payload, masking: frame.mask, at: 0)
    }

    /// Appends the head of a frame, whose payload follows in parts.
    public mutating func append(headOf frame: WebSocketFrame) {
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
